package train

import (
	"context"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"parley/engine"
	"parley/recipe"
)

// A pupil notes the first token of what it is trained on, call by call.
type pupil struct {
	engine.Engine
	calls [][]int
}

func (p *pupil) ForwardBackward(_ context.Context, data []engine.Datum, loss engine.Loss) error {
	var call []int
	for _, d := range data {
		call = append(call, d.Tokens[0])
	}
	p.calls = append(p.calls, call)
	_, err := loss(0, make([]engine.Output, len(data)))
	return err
}

// Policies of one engine are trained in one call, in the order of their lessons; each loss is told of its own data.
func TestStudyTogether(t *testing.T) {
	a, b := &pupil{}, &pupil{}
	told := map[engine.Policy]int{}
	lessonOf := func(e engine.Engine, p engine.Policy, tokens ...int) lesson {
		l := lesson{to: target{e, p}}
		for _, id := range tokens {
			l.data = append(l.data, engine.Datum{Policy: p, Tokens: []int{id}})
		}
		l.loss = func(first int, outputs []engine.Output) ([]engine.Gradient, error) {
			told[p] += len(outputs)
			return make([]engine.Gradient, len(outputs)), nil
		}
		return l
	}
	lessons := []lesson{lessonOf(a, "p", 1, 2), lessonOf(b, "q", 3), lessonOf(a, "r", 4, 5, 6)}
	if err := study(t.Context(), lessons); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(a.calls, [][]int{{1, 2, 4, 5, 6}}) || !reflect.DeepEqual(b.calls, [][]int{{3}}) {
		t.Errorf("calls %v and %v", a.calls, b.calls)
	}
	if want := (map[engine.Policy]int{"p": 2, "q": 1, "r": 3}); !reflect.DeepEqual(told, want) {
		t.Errorf("losses were told of %v data, want %v", told, want)
	}
	lessons[2].loss = func(int, []engine.Output) ([]engine.Gradient, error) { return nil, engine.ErrNotFinite }
	if err := study(t.Context(), lessons); err == nil || !strings.HasPrefix(err.Error(), "train p, r: r: ") {
		t.Errorf("got %v", err)
	}
}

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
			r, err := recipe.Load("magrpo-tiny", []string{"team.turns=2", "group.size=2", "policies.sharing=" + sharing, "training.updates=1", "training.problems=3",
				"eval.problems=2", "eval.baselines=[]"})
			if err != nil {
				t.Fatal(err)
			}
			result, err := Run(t.Context(), Options{Recipe: r, Dir: filepath.Join(t.TempDir(), "run"), MaxUpdates: -1})
			if err != nil {
				t.Fatal(err)
			}
			var diaries []*diary
			learn := func(apart bool) *session {
				return replay(t, r, result.Dir, func(e engine.Engine) engine.Engine {
					diaries = append(diaries, &diary{Engine: e, apart: apart})
					return diaries[len(diaries)-1]
				})
			}
			together, apart := learn(false), learn(true)
			defer together.close()
			defer apart.close()
			for _, d := range diaries {
				if !reflect.DeepEqual(d.lines, want) {
					t.Errorf("learned in the order %q, want %q", d.lines, want)
				}
			}
			for i, p := range together.policies() {
				if fingerprint(t, p) != fingerprint(t, apart.policies()[i]) {
					t.Errorf("%s is another policy when it is trained by itself", p.name)
				}
			}
		})
	}
}
