package train_test

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"parley/engine/native"
	"parley/train"
	"parley/train/shortrun"
)

// failing is a run of two updates, with a reward of the user's own.
func failing(t *testing.T, expression string, sets ...string) train.Options {
	t.Helper()
	sets = append([]string{"reward.source=user", "reward.user.expression=" + expression, "training.updates=2", "training.problems=12", "task.train=100", "eval.baselines=[]"}, append(sets, shortrun.Small...)...)
	return train.Options{Backend: native.Backend{}, Recipe: shortrun.Load(t, "magrpo-tiny", sets...), Dir: filepath.Join(t.TempDir(), "run"), MaxUpdates: -1}
}

// someFail has no reward for the problems whose number ends in 1, 2 or 3.
const someFail = `responses[9] if "train" in item["id"] and int(item["id"][-1]) in [1, 2, 3] else len(responses[0]) / 100000`

// TestFailedProblemsAreSaid: what is not learned from is said with its reason when it fails first, and counted in metrics and report.
func TestFailedProblemsAreSaid(t *testing.T) {
	o := failing(t, someFail, "training.failed_share=1")
	said := map[string]int{}
	counted := 0
	reasons := map[string]int{}
	o.Observe = func(e train.Event) {
		if _, rest, is := strings.Cut(e.Message, "nothing is learned from "); is {
			ids, why, _ := strings.Cut(rest, ", which could not be scored: ")
			for id := range strings.SplitSeq(ids, ", ") {
				said[id]++
			}
			if !strings.Contains(why, "list index 9 out of range") {
				t.Errorf("note %q", e.Message)
			}
		}
		if e.Metrics != nil {
			counted += e.Metrics.Failed
			for r, n := range e.Metrics.FailedReasons {
				reasons[r] += n
			}
		}
	}
	result, err := train.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if counted == 0 || counted == 24 || len(said) == 0 {
		t.Fatalf("%d of 24 problems failed, %d were said: the test tells nothing", counted, len(said))
	}
	for id, n := range said {
		if n != 1 {
			t.Errorf("%s was said %d times", id, n)
		}
	}
	if result.Report.Failed != counted || !maps.Equal(result.Report.FailedReasons, reasons) || len(reasons) != 1 {
		t.Errorf("report: %d failed, %v; metrics: %d, %v", result.Report.Failed, result.Report.FailedReasons, counted, reasons)
	}
	if !strings.Contains(result.Text, "of training that could not be scored") || !strings.Contains(result.Text, "list index 9 out of range") {
		t.Errorf("the report says nothing of it:\n%s", result.Text)
	}
}

// TestFailedShare: more failures than the bound allows end the run, and say the bound.
func TestFailedShare(t *testing.T) {
	_, err := train.Run(t.Context(), failing(t, someFail, "training.failed_share=0.05"))
	if err == nil || !strings.Contains(err.Error(), "training.failed_share") || !strings.Contains(err.Error(), "list index 9 out of range") {
		t.Errorf("error %v", err)
	}
}

// TestRoundingFailsNothing: the best answers earn the greatest reward, which their parts add up to beyond by rounding.
func TestRoundingFailsNothing(t *testing.T) {
	o := failing(t, `1.0000000000000002 if len(responses[0]) % 2 else 0`)
	failed, best := 0, 0.0
	o.Observe = func(e train.Event) {
		if e.Metrics != nil {
			failed += e.Metrics.Failed
			best = max(best, e.Metrics.Reward[0])
		}
	}
	if _, err := train.Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if failed != 0 || best == 0 || best > 1 {
		t.Errorf("%d problems failed, mean reward up to %v", failed, best)
	}
}
