package train_test

import (
	"slices"
	"testing"

	"parley/runs/store"
	"parley/train/shortrun"
)

// TestUntrainedTeams: untrained agents who work together in other ways are rows of the report, within the team's budget of tokens.
func TestUntrainedTeams(t *testing.T) {
	o := quick(t, "magrpo-tiny", "training.updates=0", "eval.baselines=[concatenation, pipeline, discussion]", "sampling.max_tokens=40")
	result, _ := shortrun.Run(t, o.Recipe)
	team := result.Report.Rows[0]
	for system, most := range map[string]float64{"concatenation": 80, "pipeline": 80, "discussion": 80} {
		row, ok := result.Report.Row(system)
		if !ok {
			t.Errorf("no row of %s", system)
			continue
		}
		if row.TokensPerProblem <= 0 || row.TokensPerProblem > most || row.Latency <= 0 || row.Latency > row.TokensPerProblem || row.Parts == nil {
			t.Errorf("%s: %+v", system, row)
		}
	}
	same, _ := result.Report.Row("concatenation")
	if same.Score != team.Score || same.Latency != team.Latency || team.Latency >= team.TokensPerProblem {
		t.Errorf("concatenation scores %g with latency %g, the untrained team, which is the same, %g with %g", same.Score, same.Latency, team.Score, team.Latency)
	}
	if relay, _ := result.Report.Row("pipeline"); relay.Latency != relay.TokensPerProblem {
		t.Errorf("a pipeline has latency %g for %g tokens", relay.Latency, relay.TokensPerProblem)
	}
}

// TestSingleBuildsAlone: in the games of blocks one model is measured at the work of the pair.
func TestSingleBuildsAlone(t *testing.T) {
	for _, name := range []string{"magrpo-strbuild-tiny", "magrpo-housebuild-tiny"} {
		result, _ := shortrun.Run(t, quick(t, name, "training.updates=1", "truncate=left", "training.problems=1", "group.size=2", "eval.problems=2", "eval.baselines=[single, trained-single]").Recipe)
		for _, system := range []string{"single", "trained-single"} {
			if row, ok := result.Report.Row(system); !ok || len(row.Parts) == 0 {
				t.Errorf("%s: %s %+v", name, system, row)
			}
		}
	}
}

// TestSingleOfPairTask: where two texts are rewarded together, one model writes both.
func TestSingleOfPairTask(t *testing.T) {
	o := quick(t, "magrpo-smollm-tldr", "model=parley-base", "training.updates=1", "training.problems=1", "sampling.max_tokens=8", "truncate=left",
		"eval.problems=2", "eval.baselines=[single, trained-single]", "policies.rank=2")
	result, _ := shortrun.Run(t, o.Recipe)
	for _, system := range []string{"single", "trained-single"} {
		if row, ok := result.Report.Row(system); !ok || row.TokensPerProblem > 16 {
			t.Errorf("%s: %+v, %v", system, row, ok)
		}
	}
	// Nobody writes eight words, so the team gains nothing over one model.
	if !slices.ContainsFunc(result.Report.Diagnostics, func(d store.Diagnostic) bool { return d.Kind == "no_cooperative_structure" && d.Value == 0 }) {
		t.Errorf("diagnostics %v", result.Report.Diagnostics)
	}
}
