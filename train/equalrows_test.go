package train_test

import (
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"parley/engine/native"
	"parley/internal/turn"
	"parley/recipe/language"
	"parley/runs"
	"parley/team/protocols"
	"parley/train"
)

// teams are the teams of each protocol, as recipes write them. One model that writes for all has no reward of the user's own.
var teams = map[string]string{
	"debate":   "{protocol: debate, agents: 2, turns: 2}",
	"parallel": "{protocol: parallel, agents: 2, turns: 2}",
	"single":   "{protocol: single, agents: 1, turns: 1}",
	"central":  "",
	"pipeline": "{protocol: pipeline, agents: 2, turns: 2}",
	"leader":   "{protocol: leader, agents: 2, turns: 2}",
	"harness":  "", // its program answers, and leaves no votes
	"workflow": `{protocol: workflow, agents: {writer: {}, checker: {}}, workflow: [{ask: writer, prompt: "{{.Question}}"}, {ask: checker, prompt: "{{.Last.writer}}"}], answer: writer}`,
}

// TestEqualRows: under a reward that is constant, or a function of the truth alone, all systems of every protocol are equal: teams before and after
// training, votes of teams, teams with one agent changed, and single agents, their votes too. Each is measured by the same measure, and accuracy, which
// is another, has a table of its own.
func TestEqualRows(t *testing.T) {
	type paid struct {
		reward, metric string
		raw            float64 // of a constant; NaN: it is none
	}
	n := -1
	for _, kind := range protocols.All() {
		team, known := teams[kind.Name]
		if !known {
			t.Errorf("protocol %s has no team here", kind.Name)
		}
		if team == "" {
			continue
		}
		n++
		for i, p := range []paid{
			{"{expression: '0.5'}", "reward", 0.5},
			{"{expression: '0', min: -1}", "share of the range", 0},
			{"{expression: '0.01*float(item[\"truth\"])'}", "reward", math.NaN()},
		} {
			if !turn.Share(n + 2*i) {
				continue
			}
			baselines, train := "[single, majority-vote]", 0
			if i == 0 && kind.Name == "parallel" {
				baselines, train = "[single, majority-vote, off-the-shelf-double, trained-single]", 1
			}
			r := rowsOf(t, fmt.Sprintf(`name: equal
task: {name: sums, train: 20}
team: %s
algorithm: magrpo
policies: {sharing: per-agent}
sampling: {max_tokens: 6}
reward: {source: user, user: %s}
training: {updates: 1, problems: 2}
eval: {problems: 5, examples: 0, baselines: %s, passes: 2, ablations: [skipped]}
`, team, p.reward, baselines), train)
			if r.Metric != p.metric || len(r.Rows) < 4 || r.Also == nil || len(r.Also.Rows) != len(r.Rows) || r.Also.Metric != "accuracy" {
				t.Errorf("%s, %s: %s of %d systems, also %+v", kind.Name, p.reward, r.Metric, len(r.Rows), r.Also)
				continue
			}
			for _, row := range r.Rows {
				first := r.Rows[0]
				if math.Abs(row.Score-first.Score) > 1e-12 || math.Abs(row.CI95[0]-first.CI95[0]) > 1e-12 || math.Abs(row.CI95[1]-first.CI95[1]) > 1e-12 {
					t.Errorf("%s, %s: %s has %v %v, %s %v %v", kind.Name, p.reward, row.System, row.Score, row.CI95, first.System, first.Score, first.CI95)
				}
				if raw := rawOf(row); !math.IsNaN(p.raw) && math.Abs(raw-p.raw) > 1e-12 {
					t.Errorf("%s, %s: %s earns %v", kind.Name, p.reward, row.System, raw)
				}
			}
			for _, c := range r.Comparisons {
				if math.Abs(c.Difference) > 1e-12 || c.P != 1 {
					t.Errorf("%s, %s: %+v", kind.Name, p.reward, c)
				}
			}
		}
	}
}

// rawOf is what a row earned.
func rawOf(row runs.Row) float64 {
	if row.Raw != nil {
		return *row.Raw
	}
	return row.Score
}

// rowsOf is the report of a recipe after so many updates; 0: it is only measured.
func rowsOf(t *testing.T, text string, updates int) runs.Report {
	t.Helper()
	r, err := language.New().Parse("equal.yaml", []byte(text), nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	o := train.Options{Backend: native.Backend{}, Recipe: r, MaxUpdates: -1, Version: "test"}
	do := train.Evaluate
	if updates > 0 {
		o.Dir, do = filepath.Join(t.TempDir(), "run"), train.Run
	}
	result, err := do(t.Context(), o)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return result.Report
}
