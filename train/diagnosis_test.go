package train_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/runs"
	"parley/train"
)

// diagnosed trains a short version of a recipe and returns its report, its diagnosis and what was said about it on the way.
func diagnosed(t *testing.T, name string, sets ...string) (*train.Result, runs.Diagnosis, []string) {
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
	d, err := runs.ReadDiagnosis(o.Dir)
	if err != nil {
		t.Fatal(err)
	}
	return result, d, agentTurn
}

func TestHealthyRunHasNoDiagnostics(t *testing.T) {
	result, d, agentTurn := diagnosed(t, "magrpo-tiny")
	if result.Report.Diagnostics == nil || len(result.Report.Diagnostics) > 0 || len(agentTurn) > 0 {
		t.Errorf("diagnostics %v, said %q", result.Report.Diagnostics, agentTurn)
	}
	if len(d.Checked) != 5 || d.JointActions != 64 {
		t.Errorf("%d rules checked over %d joint actions, want 5 over 64", len(d.Checked), d.JointActions)
	}
	if !strings.Contains(result.Text, "nothing fired") {
		t.Errorf("the report does not say that nothing fired: %s", result.Text)
	}
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
	if want := "dead_groups unusable unusable"; strings.Join(rules, " ") != want {
		t.Errorf("diagnostics %q, want %s", rules, want)
	}
	if len(agentTurn) != 3 || len(d.Diagnostics) != 3 {
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

// MAPoRL's learner has no groups: it has no diagnosis.
func TestNoDiagnosisWithoutGroups(t *testing.T) {
	o := quick(t, "debate-sums", "training.updates=1")
	result, err := train.Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(o.Dir, runs.DiagnosisFile)); err == nil || result.Report.Diagnostics != nil {
		t.Error("a debate has a diagnosis")
	}
}
