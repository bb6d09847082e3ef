package train_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"parley/internal/turn"
	"parley/runs/store"
	"parley/train"
)

// diagnosed trains a short version of a recipe and returns its report, its diagnosis and what was said about it on the way.
func diagnosed(t *testing.T, name string, sets ...string) (*train.Result, store.Diagnosis, []string) {
	t.Helper()
	o := quick(t, name, append([]string{"training.problems=16", "training.updates=3"}, sets...)...)
	var agentTurn []string
	o.Observe = func(e train.Event) {
		if strings.HasPrefix(e.Message, "diagnostic of the team: ") {
			agentTurn = append(agentTurn, e.Message)
		}
	}
	result, err := train.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	d, err := store.ReadDiagnosis(o.Dir)
	if err != nil {
		t.Fatal(err)
	}
	return result, d, agentTurn
}

// Answers of one token are of no use and all alike: both are said once, and are in the report.
func TestRunOfUselessAnswers(t *testing.T) {
	result, d, agentTurn := diagnosed(t, "magrpo-tiny", "sampling.max_tokens=1")
	var rules []string
	for _, x := range result.Report.Diagnostics {
		rules = append(rules, x.Rule)
		if !strings.Contains(result.Text, x.String()) {
			t.Errorf("the report lacks %s", x)
		}
	}
	if want := "dead_groups unusable unusable return_spread endless"; strings.Join(rules, " ") != want {
		t.Errorf("diagnostics %q, want %s", rules, want)
	}
	if len(agentTurn) != 5 || len(d.Diagnostics) != 5 {
		t.Errorf("said %q, filed %v", agentTurn, d.Diagnostics)
	}
}

// A team that votes no better than one model alone has nothing to cooperate on.
func TestHeldOutProblemsWithoutGain(t *testing.T) {
	result, _, _ := diagnosed(t, "magrpo-tiny", "reward.source=label", "sampling.max_tokens=1", "eval.baselines=[single]", "training.updates=1")
	last := result.Report.Diagnostics[len(result.Report.Diagnostics)-1]
	if last.Kind != "no_cooperative_structure" || !last.Evidence[0].HeldOut || last.Evidence[0].Problem == "" {
		t.Errorf("last diagnostic %+v", last)
	}
}

// TestHealthOfAllAlgorithms: whatever learns is watched for what goes wrong with any training, and says so on screen, in the report and in the
// folder: a penalty that replaces every reward, answers that never end, a reward that is the same for all.
func TestHealthOfAllAlgorithms(t *testing.T) {
	sets := []string{"training.updates=2", "training.problems=16", "sampling.max_tokens=2", "eval.baselines=[]"}
	for i, c := range []struct {
		name, recipe string
		sets         []string
		want         []string
	}{
		{"mappo", "debate-sums", []string{"ppo.epochs=1"}, []string{"flagged:no_box", "return_spread", "endless"}},
		{"sft", "maporl-e5-tiny", []string{"experiment.variants={}", "experiment.seeds=[]", "eval.agents=0", "algorithm=sft"}, []string{"flagged:no_box", "endless"}},
		{"iac", "iac-tiny", nil, []string{"return_spread", "endless"}},
		{"madpo", "madpo-tiny", []string{"preference.iterations=1", "preference.candidates=4"}, []string{"return_spread", "endless"}},
	} {
		if !turn.Share(i) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			result, d, said := diagnosed(t, c.recipe, append(append([]string{}, sets...), c.sets...)...)
			var rules []string
			for _, x := range result.Report.Diagnostics {
				rules = append(rules, x.Rule)
				if x.Remedy == "" || !strings.Contains(result.Text, x.Remedy) {
					t.Errorf("the report lacks %+v", x)
				}
			}
			for _, want := range c.want {
				if !slices.Contains(rules, want) || !slices.ContainsFunc(d.Diagnostics, func(x store.Diagnostic) bool { return x.Rule == want }) {
					t.Errorf("found %q, filed %v: no %s", rules, d.Diagnostics, want)
				}
			}
			if len(said) == 0 {
				t.Error("nothing was said")
			}
		})
	}
}
