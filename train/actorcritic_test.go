package train_test

import (
	"testing"

	"parley/internal/turn"
	"parley/train/shortrun"
)

// TestActorCritics: a run gives critics what their recipe says: a hidden layer, a base of their own, dialogues that end early.
func TestActorCritics(t *testing.T) {
	for i, c := range []struct {
		name, recipe string
		sets         []string
		adapters     int // that take optimizer steps
	}{
		{"hidden layer", "iac-tiny", []string{"critic.hidden=8"}, 4},
		{"ends early", "iac-tiny", []string{"group.size=1", "team.turns=2", "group.discount=0.5", "group.terminate=0.1"}, 4},
		{"central, two bases", "maac-tiny", []string{"models=[parley-base, testdata/tiny-base]"}, 3},
		{"central, an agent that is no model", "maac-tiny", []string{`team.agents={a: {script: "def speak(messages, problem):\n    return 'The sum is 3.'"}, b: {}}`, "team.prompts.roles=[]"}, 2},
	} {
		if !turn.Share(i) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			o := quick(t, c.recipe, append([]string{"training.updates=1", "training.problems=2", "eval.problems=1"}, c.sets...)...)
			_, metrics := shortrun.Run(t, o.Recipe)
			m := metrics[len(metrics)-1]
			if len(m.GradNorm) != c.adapters {
				t.Errorf("gradients of %v, want %d adapters", m.GradNorm, c.adapters)
			}
			if m.ValueLoss <= 0 || m.RatioMean == 0 {
				t.Errorf("value loss %g, mean ratio %g", m.ValueLoss, m.RatioMean)
			}
		})
	}
}
