package rollout_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"parley/engine"
	"parley/rl/credit"
	"parley/rl/rollout"
	"parley/rl/tabular"
	"parley/team"
)

// A served is an engine that computes calls at the same time. It says how many were under way at most.
type served struct {
	engine.Engine
	slots int

	mu        sync.Mutex
	now, most int
	calls     int
	fails     error // of every call
}

func (s *served) Slots() int { return s.slots }

func (s *served) Sample(ctx context.Context, reqs []engine.SampleRequest) ([]engine.Sample, error) {
	s.mu.Lock()
	s.calls++
	s.now++
	s.most = max(s.most, s.now)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.now--
		s.mu.Unlock()
	}()
	if s.fails != nil {
		return nil, s.fails
	}
	return (&dice{}).Sample(ctx, reqs)
}

// written are episodes as the run writes them.
func written(t *testing.T, episodes []*rollout.Episode) string {
	t.Helper()
	b, err := json.Marshal(episodes)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Problems that advance by themselves become the episodes that they become together, however rollouts branch, and whichever of the engines
// serve many calls at once.
func TestApartIsTogether(t *testing.T) {
	ends := func(n *rollout.Node) bool { return n.Rewards[0] > 0 }
	for name, s := range map[string]rollout.Settings{
		"debate":       {Group: 1, Joint: credit.Aligned, MaxTokens: 3},
		"tree":         {Group: 2, Joint: credit.Aligned, MaxTokens: 3},
		"crossed tree": {Group: 2, Joint: credit.Cross, MaxTokens: 3, Ends: ends},
		"ends":         {Group: 2, Joint: credit.Aligned, MaxTokens: 3, Ends: ends},
		"chain":        {Group: 4, Joint: credit.Aligned, Chain: true, MaxTokens: 3},
		"episodes":     {Group: 1, Episodes: 3, Joint: credit.Aligned, MaxTokens: 3, Ends: ends},
		"decisions":    decided(credit.Best),
		"fan-out":      {Group: 1, Joint: credit.Aligned, MaxTokens: 3, FanOut: []int{2, 3, 1}},
		"replay":       {Group: 1, Joint: credit.Aligned, MaxTokens: 3, Replay: &rollout.Replay{Alternatives: 2, Continuations: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			// Of three agents the second sits on another engine.
			on := func(first, second engine.Engine) *rollout.Runner {
				r := runner(t, first, 3, 3, s)
				r.Actors[1].Engine = second
				if s.Decides != nil || s.FanOut != nil || s.Replay != nil {
					r.Protocol = team.InTurn(r.Protocol)
				}
				return r
			}
			want := written(t, play(t, on(&dice{}, &dice{}), 5))
			for mixed, r := range map[string]*rollout.Runner{
				"both":       on(&served{slots: 4}, &served{slots: 1}),
				"the first":  on(&served{slots: 3}, &dice{}),
				"the second": on(&dice{}, &served{slots: 16}),
			} {
				if got := written(t, play(t, r, 5)); got != want {
					t.Errorf("%s serves many calls at once: other episodes\n%s\n%s", mixed, got, want)
				}
			}
		})
	}
}

// A slotted engine serves many calls, as one that answers for its own samples.
type slotted struct{ engine.Engine }

func (slotted) Slots() int { return 2 }

// The same on the engine that is a table.
func TestApartIsTogetherOnATable(t *testing.T) {
	e := tabular.NewTabular(26)
	if err := e.NewPolicy(t.Context(), "p", engine.PolicySpec{}); err != nil {
		t.Fatal(err)
	}
	s := rollout.Settings{Group: 3, Joint: credit.Aligned, MaxTokens: 1, Sampling: engine.Sampling{Temperature: 1}}
	want := written(t, play(t, runner(t, blind{e}, 2, 3, s), 8))
	if got := written(t, play(t, runner(t, slotted{blind{e}}, 2, 3, s), 8)); got != want {
		t.Errorf("other episodes\n%s\n%s", got, want)
	}
}

// A blind engine does not read prompts, whose characters are no letters of a table.
type blind struct{ engine.Engine }

func (b blind) Sample(ctx context.Context, reqs []engine.SampleRequest) ([]engine.Sample, error) {
	reqs = slices.Clone(reqs)
	for i := range reqs {
		reqs[i].Prompt = []int{0}
	}
	return b.Engine.Sample(ctx, reqs)
}

// What is not a tree of texts alone advances by itself too: agents that act, that call tools, that are no models.
func TestApartIsTogetherInWorlds(t *testing.T) {
	for name, of := range map[string]func(e engine.Engine) *rollout.Runner{
		"world": func(e engine.Engine) *rollout.Runner {
			return on(e, racer(t, "", rollout.Settings{Group: 1, Episodes: 3, Joint: credit.Aligned, MaxTokens: 3}))
		},
		"tools": func(e engine.Engine) *rollout.Runner {
			return on(e, equipped(t, 2, spelling{}, rollout.Settings{Joint: credit.Aligned}))
		},
		"speakers": func(e engine.Engine) *rollout.Runner {
			r := runner(t, e, 3, 2, rollout.Settings{Group: 2, Joint: credit.Aligned, MaxTokens: 3})
			r.Actors[2].Speaker = parrot{}
			return r
		},
	} {
		if got, want := written(t, play(t, of(&served{slots: 2}), 7)), written(t, play(t, of(&dice{}), 7)); got != want {
			t.Errorf("%s: other episodes\n%s\n%s", name, got, want)
		}
	}
}

// on puts all agents on an engine.
func on(e engine.Engine, r *rollout.Runner) *rollout.Runner {
	for i := range r.Actors {
		r.Actors[i].Engine = e
	}
	return r
}

// No more problems are under way than twice the slots, each with one call.
func TestApartIsBounded(t *testing.T) {
	e := &served{slots: 2}
	play(t, runner(t, e, 2, 3, rollout.Settings{Group: 1, Joint: credit.Aligned, MaxTokens: 3}), 40)
	if e.calls != 40*3 || e.most > 4 {
		t.Errorf("%d calls, at most %d at once; want %d and at most 4", e.calls, e.most, 40*3)
	}
}

// The first error ends all problems, and is the one that is returned.
func TestApartFails(t *testing.T) {
	broken := errors.New("the cluster is on fire")
	r := runner(t, &served{slots: 2, fails: broken}, 2, 3, rollout.Settings{Group: 1, Joint: credit.Aligned, MaxTokens: 3})
	if _, err := r.Run(t.Context(), "test", 1, problems(50)); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := runner(t, &served{slots: 2}, 2, 3, rollout.Settings{Group: 1, MaxTokens: 3}).Run(ctx, "test", 1, problems(5)); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// A streamed is an engine that serves many calls and hands out tokens.
type streamed struct{ served }

func (s *streamed) Stream(ctx context.Context, reqs []engine.SampleRequest, each func(i, token int) error) ([]engine.Sample, error) {
	out, err := s.Sample(ctx, reqs)
	for i := range out {
		for _, token := range out[i].Tokens {
			if err := each(i, token); err != nil {
				return nil, err
			}
		}
	}
	return out, err
}

// Who watches hears of all problems together, and at the end of all their completions.
func TestApartIsWatched(t *testing.T) {
	r := runner(t, &streamed{served{slots: 3}}, 2, 2, rollout.Settings{Group: 1, Joint: credit.Aligned, MaxTokens: 3})
	tokens := 0
	var last rollout.Progress
	r.Watch = func(p rollout.Progress) { tokens, last = tokens+1, p }
	play(t, r, 6)
	if want := (rollout.Progress{Turn: 1, Whole: 12, Completions: 12, Tokens: 36}); tokens != 72 || fmt.Sprint(last) != fmt.Sprint(want) {
		t.Errorf("heard of %d tokens, at last %+v; want 72 and %+v", tokens, last, want)
	}
}
