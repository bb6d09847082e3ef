package rollout_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/engine"
	"parley/rl/credit"
	"parley/rl/rollout"
	"parley/task"
)

// A straggler is an engine that takes a second for a call, but days for one about some problem in some turn.
type straggler struct {
	engine.Engine
	slow string // what its prompts hold
	deaf bool   // nobody can stop it
}

func (s straggler) Sample(ctx context.Context, reqs []engine.SampleRequest) ([]engine.Sample, error) {
	takes := time.Second
	for _, r := range reqs {
		var text strings.Builder
		for _, id := range r.Prompt {
			text.WriteRune(rune(id))
		}
		if strings.Contains(text.String(), s.slow) {
			takes = 48 * time.Hour
		}
	}
	if s.deaf {
		time.Sleep(takes)
		return (&dice{}).Sample(ctx, reqs)
	}
	select {
	case <-time.After(takes):
		return (&dice{}).Sample(ctx, reqs)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// A busy straggler serves many calls at once.
type busy struct{ straggler }

func (busy) Slots() int { return 8 }

// timed plays five problems under a deadline, and says how long that takes. Later prompts say which turn it is.
func timed(t *testing.T, e engine.Engine, s rollout.Settings) (list []*rollout.Episode, took time.Duration) {
	t.Helper()
	s.Joint, s.MaxTokens, s.Deadline = credit.Aligned, 3, time.Minute
	began := time.Now()
	r := runner(t, e, 2, 3, s)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel() // of calls that nobody waits for
	list, err := r.Run(ctx, "test", 1, named(5))
	if err != nil {
		t.Fatal(err)
	}
	return list, time.Since(began)
}

// named problems are asked for by their letters.
func named(n int) (list []task.Problem) {
	for i := range n {
		list = append(list, task.Problem{ID: string(rune('a' + i)), Question: "problem " + string(rune('A'+i))})
	}
	return list
}

// A problem whose answers take too long fails by itself, with what was said before; the others are what they would be without it, and nobody waits
// for longer than the deadline and a moment.
func TestStraggler(t *testing.T) {
	for name, s := range map[string]rollout.Settings{"tree": {Group: 2}, "episodes": {Group: 1, Episodes: 3}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				want, took := timed(t, busy{straggler{slow: "nobody"}}, s)
				if took != 3*time.Second {
					t.Errorf("three turns without a straggler took %v", took)
				}
				got, took := timed(t, busy{straggler{slow: "problem C"}}, s)
				if took > time.Minute+time.Second {
					t.Errorf("the update took %v", took)
				}
				for i, e := range got {
					if i != 2 && written(t, got[i:i+1]) != written(t, want[i:i+1]) {
						t.Errorf("problem %d is another than without a straggler", i)
					}
					if late := strings.Contains(e.Failed(), "longer than training.deadline, 60 s"); late != (i == 2) {
						t.Errorf("problem %d failed: %q", i, e.Failed())
					}
				}
				if len(got[2].Nodes) > 0 || len(got[2].Refused) != max(1, s.Episodes) {
					t.Errorf("%d nodes, %v", len(got[2].Nodes), got[2].Refused)
				}
			})
		})
	}
}

// What was said in turns before stays, and is read back.
func TestStragglerInALaterTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		whole, _ := timed(t, busy{straggler{slow: "nobody"}}, rollout.Settings{Group: 1})
		// The second prompt of a problem shows what the other agent said in the first turn.
		second := whole[3].Nodes[0].Agents[0].Completions[0].Text + "?"
		got, _ := timed(t, busy{straggler{slow: second}}, rollout.Settings{Group: 1})
		e := got[3]
		if len(e.Nodes) != 1 || !strings.Contains(e.Nodes[0].Failed, "training.deadline") || e.Nodes[0].Rewards != nil {
			t.Fatalf("%+v", e)
		}
		if e.Nodes[0].Agents[0].Completions[0].Text != whole[3].Nodes[0].Agents[0].Completions[0].Text {
			t.Error("what was said is gone")
		}
		if _, err := rollout.ReadEpisode(asJSON(t, e)); err != nil {
			t.Error(err)
		}
	})
}

// An engine that nobody can stop is not waited for either, whether it serves many calls or gets what is ready in one.
func TestDeafStraggler(t *testing.T) {
	for name, of := range map[string]func(straggler) engine.Engine{
		"many calls": func(s straggler) engine.Engine { return busy{s} },
		"one call":   func(s straggler) engine.Engine { return s },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got, took := timed(t, of(straggler{slow: "problem C", deaf: true}), rollout.Settings{Group: 1})
				if took > time.Minute+2*time.Second || !strings.Contains(got[2].Failed(), "training.deadline") {
					t.Errorf("took %v; %q", took, got[2].Failed())
				}
				time.Sleep(100 * time.Hour) // until it comes back
			})
		})
	}
}

// A deadline that nobody misses changes nothing, on engines that are asked in batches too.
func TestDeadlineInTime(t *testing.T) {
	s := rollout.Settings{Group: 2, Joint: credit.Aligned, MaxTokens: 3}
	want := written(t, play(t, runner(t, &dice{}, 2, 3, s), 6))
	s.Deadline = time.Hour
	if got := written(t, play(t, runner(t, &locked{}, 2, 3, s), 6)); got != want {
		t.Errorf("other episodes\n%s\n%s", got, want)
	}
}

// A locked engine may not be called twice at once.
type locked struct {
	dice
	inside bool
}

func (l *locked) Sample(ctx context.Context, reqs []engine.SampleRequest) ([]engine.Sample, error) {
	if l.inside {
		panic("called twice at once")
	}
	l.inside = true
	defer func() { l.inside = false }()
	return l.dice.Sample(ctx, reqs)
}
