package train_test

import (
	"context"
	"encoding/json"
	"math"
	"testing"

	"parley/runs"
	"parley/train"
	"parley/train/measure"
)

// TestPassesAndAblations: a vote over passes and teams with one agent changed are rows of their own, with what they cost; a single pass scores as the
// team alone does, whose random numbers it has.
func TestPassesAndAblations(t *testing.T) {
	o := quick(t, "malt-tiny", "training.updates=1", "training.problems=2", "eval.problems=12", "eval.passes=3", "eval.ablations=[untrained, skipped]", "eval.baselines=[]")
	result, err := train.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]runs.Row{}
	for _, row := range result.Report.Rows {
		rows[row.System] = row
	}
	systems := []string{runs.OffTheShelf, runs.Trained, runs.OffTheShelfVote, runs.TrainedVote}
	for _, agent := range []string{"writer", "critic", "editor"} {
		systems = append(systems, "untrained-"+agent, "skipped-"+agent)
	}
	for _, system := range systems {
		if _, there := rows[system]; !there {
			t.Errorf("no row of %s", system)
		}
	}
	if len(rows) != len(systems) {
		t.Errorf("%d rows, want %d", len(rows), len(systems))
	}
	for vote, one := range map[string]string{runs.OffTheShelfVote: runs.OffTheShelf, runs.TrainedVote: runs.Trained} {
		if three, once := rows[vote].TokensPerProblem, rows[one].TokensPerProblem; three < 2*once || three > 4*once {
			t.Errorf("%s has %v tokens a problem, one pass %v", vote, three, once)
		}
	}
	// What a row costs is told by role.
	for system, row := range rows {
		sum := 0.0
		for _, agent := range []string{"writer", "critic", "editor"} {
			spent, told := row.Costs[agent]
			if sum += spent["tokens"]; !told {
				t.Errorf("%s does not say what %s costs", system, agent)
			}
		}
		if math.Abs(sum-row.TokensPerProblem) > 1e-9 {
			t.Errorf("the roles of %s have %v tokens a problem, all together %v", system, sum, row.TokensPerProblem)
		}
	}
	// Whoever says nothing costs nothing, and whoever is untrained costs something.
	for _, agent := range []string{"writer", "critic", "editor"} {
		if skipped, whole := rows["skipped-"+agent].TokensPerProblem, rows["untrained-"+agent].TokensPerProblem; skipped <= 0 || skipped >= whole {
			t.Errorf("%s: skipped %v tokens a problem, untrained %v", agent, skipped, whole)
		}
	}
	var m measure.Measurement
	if err := json.Unmarshal(runFile(t, result.Dir, "evaluation/trained-vote-000001.json"), &m); err != nil {
		t.Fatal(err)
	}
	if err := m.Check(); err != nil {
		t.Error(err)
	}
	for i, x := range m.Scores[0] {
		if x != 0 && x != 1 {
			t.Errorf("problem %d: a vote whose first answer wins ties scores %v", i, x)
		}
	}
}
