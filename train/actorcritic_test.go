package train_test

import (
	"testing"

	"parley/internal/shortrun"
)

// TestActorCritics: critics of every kind train beside their policies, over one turn and over several.
func TestActorCritics(t *testing.T) {
	twoTurns := []string{"group.size=1", "team.turns=2", "group.discount=0.5"}
	for _, c := range []struct {
		name, recipe string
		sets         []string
		adapters     int // that take optimizer steps
	}{
		{"own", "iac-tiny", nil, 4},
		{"own, reads answers", "iac-tiny", []string{"critic.input=q", "group.kl=0.1"}, 4},
		{"shared head", "iac-tiny", []string{"critic.head=shared"}, 2},
		{"hidden layer", "iac-tiny", []string{"critic.hidden=8"}, 4},
		{"two turns", "iac-tiny", twoTurns, 4},
		{"two turns, one policy a turn", "iac-tiny", append([]string{"policies.sharing=per-turn"}, twoTurns...), 4},
		{"ends early", "iac-tiny", append([]string{"group.terminate=0.1"}, twoTurns...), 4},
		{"central", "maac-tiny", twoTurns, 3},
		{"central, reads answers", "maac-tiny", []string{"critic.input=q"}, 3},
		{"central, frozen first agent", "maac-tiny", []string{"policies.frozen=[1]"}, 2},
		{"central, two bases", "maac-tiny", []string{"models=[parley-base, testdata/tiny-base]"}, 3},
		{"buffers", "iac-tiny", []string{"group.buffer=3", "group.train_batch=2"}, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := quick(t, c.recipe, append([]string{"training.updates=2"}, c.sets...)...)
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
