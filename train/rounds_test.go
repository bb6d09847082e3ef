package train

import (
	"context"
	"path/filepath"
	"reflect"
	"testing"

	"parley/engine"
	"parley/engine/native"
	"parley/train/lineup"
)

// A diary notes which policies an engine trains together, and whose steps it takes.
type diary struct {
	engine.Engine
	lines []string
	apart bool // it trains them one by one
}

func (d *diary) ForwardBackward(ctx context.Context, data []engine.Datum, loss engine.Loss) error {
	line := "train"
	for at := 0; at < len(data); {
		n, p := 1, data[at].Policy
		for at+n < len(data) && data[at+n].Policy == p {
			n++
		}
		line += " " + string(p)
		if first := at; d.apart {
			if err := d.Engine.ForwardBackward(ctx, data[at:at+n], func(i int, outputs []engine.Output) ([]engine.Gradient, error) { return loss(first+i, outputs) }); err != nil {
				return err
			}
		}
		at += n
	}
	d.lines = append(d.lines, line)
	if d.apart {
		return nil
	}
	return d.Engine.ForwardBackward(ctx, data, loss)
}

func (d *diary) Step(ctx context.Context, p engine.Policy, opt engine.Adam) (engine.StepInfo, error) {
	d.lines = append(d.lines, "step "+string(p))
	return d.Engine.Step(ctx, p, opt)
}

// A team learns turn by turn (magrpo.md §2.4), all policies of a turn together, and its policies become what they would by themselves. The
// first turn is alone and first: sampling has kept what training would compute.
func TestRounds(t *testing.T) {
	for sharing, want := range map[string][]string{
		"per-agent": {"train policy-agent1 policy-agent2", "step policy-agent1", "step policy-agent2", "train policy-agent1 policy-agent2", "step policy-agent1", "step policy-agent2"},
		"per-turn":  {"train policy-turn1", "step policy-turn1", "train policy-turn2", "step policy-turn2"},
		"per-agent-turn": {"train policy-turn1-agent1 policy-turn1-agent2", "step policy-turn1-agent1", "step policy-turn1-agent2",
			"train policy-turn2-agent1 policy-turn2-agent2", "step policy-turn2-agent1", "step policy-turn2-agent2"},
	} {
		t.Run(sharing, func(t *testing.T) {
			r, err := lang.Load("magrpo-tiny", []string{"team.turns=2", "group.size=2", "policies.sharing=" + sharing, "training.updates=1", "training.problems=3",
				"eval.problems=2", "eval.baselines=[]"})
			if err != nil {
				t.Fatal(err)
			}
			result, err := Run(t.Context(), Options{Backend: native.Backend{}, Recipe: r, Dir: filepath.Join(t.TempDir(), "run"), MaxUpdates: -1})
			if err != nil {
				t.Fatal(err)
			}
			var diaries []*diary
			learn := func(apart bool) lineup.Lineup {
				return replay(t, r, result.Dir, func(e engine.Engine) engine.Engine {
					diaries = append(diaries, &diary{Engine: e, apart: apart})
					return diaries[len(diaries)-1]
				})
			}
			together, apart := learn(false), learn(true)
			defer together.Close()
			defer apart.Close()
			for _, d := range diaries {
				if !reflect.DeepEqual(d.lines, want) {
					t.Errorf("learned in the order %q, want %q", d.lines, want)
				}
			}
			for _, p := range together.Policies() {
				if fingerprint(t, together, p) != fingerprint(t, apart, p) {
					t.Errorf("%s is another policy when it is trained by itself", p.Name)
				}
			}
		})
	}
}
