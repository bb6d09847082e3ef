package train_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/engine/native"
	"parley/train"
	"parley/train/shortrun"
)

// TestRewardIsTriedFirst: a reward of the user's own that cannot take the responses of the team, or the one of a single agent, is refused
// before anything is trained, and nothing is left behind. One that takes what it will get is trained with, whatever else it cannot take. Texts are as
// long as those of the run.
func TestRewardIsTriedFirst(t *testing.T) {
	second := `len(responses[1]) / 100000`
	for name, c := range map[string]struct {
		expression string
		sets       []string
		want       string // of the error; empty: it is trained with
	}{
		"needs both, and gets both":        {second, nil, ""},
		"needs both, and gets one":         {second, []string{"eval.baselines=[single]"}, "with 1 response, before any training:"},
		"takes one":                        {"len(responses[-1]) / 100000", []string{"eval.baselines=[single]"}, ""},
		"needs three":                      {"len(responses[2])", nil, "with 2 responses, before any training:"},
		"refuses texts that are no answer": {`1.0 / (0 if "placeholder" in responses[0] else 1)`, nil, ""},
		"out of range":                     {"7", nil, "outside of the declared range [0, 1]"},
		"out of range for long texts":      {"0.5 if len(responses[0]) < 20 else 1.5", nil, "outside of the declared range [0, 1]"},
		"in range for texts of the run":    {"0.5 if len(responses[0]) < 20 else 1.5", []string{"sampling.max_tokens=2"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			sets := append([]string{"reward.source=user", "reward.user.expression=" + c.expression, "training.updates=1", "training.problems=2", "task.train=20", "sampling.max_tokens=16", "eval.baselines=[]"}, shortrun.Small...)
			o := train.Options{Backend: native.Backend{}, Recipe: shortrun.Load(t, "magrpo-tiny", append(sets, c.sets...)...), Dir: filepath.Join(t.TempDir(), "run"), MaxUpdates: -1}
			_, err := train.Run(t.Context(), o)
			if c.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if !errors.As(err, new(*train.UserError)) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if _, err := os.Stat(o.Dir); !os.IsNotExist(err) {
				t.Errorf("something was started: %v", err)
			}
		})
	}
}
