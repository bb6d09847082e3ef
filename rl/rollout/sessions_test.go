package rollout_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"

	"parley/rl/credit"
	"parley/rl/rollout"
	"parley/task"
	"parley/task/environment"
)

// lasting is an environment that numbers its episodes and remembers which are under way.
type lasting struct {
	race
	mu   sync.Mutex
	last int
	open map[int]int // episode: steps
}

func (l *lasting) Reset(_ context.Context, p task.Problem) (environment.Outcome, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last++
	l.open[l.last] = 0
	return environment.Outcome{State: json.RawMessage(fmt.Sprintf("[%d,0]", l.last)), All: "start of " + p.ID}, nil
}

func (l *lasting) Step(ctx context.Context, state json.RawMessage, actions map[string]string) (environment.Outcome, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var at [2]int
	if err := json.Unmarshal(state, &at); err != nil {
		return environment.Outcome{}, err
	}
	if steps, known := l.open[at[0]]; !known || steps != at[1] {
		return environment.Outcome{}, fmt.Errorf("episode %d cannot go on from step %d", at[0], at[1])
	}
	out, err := l.race.Step(ctx, json.RawMessage(fmt.Sprint(at[1])), actions)
	l.open[at[0]]++
	out.State = json.RawMessage(fmt.Sprintf("[%d,%d]", at[0], at[1]+1))
	return out, err
}

func (l *lasting) End(_ context.Context, state json.RawMessage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var at [2]int
	if json.Unmarshal(state, &at) == nil {
		delete(l.open, at[0])
	}
}

// TestSessions: each episode of a stateful environment is its own, none is under way when the run is over, and it plays as a pure function does.
func TestSessions(t *testing.T) {
	s := rollout.Settings{Group: 1, Episodes: 4, Joint: credit.Aligned, MaxTokens: 3}
	for _, lie := range []string{"", "dies"} {
		r := racer(t, lie, s)
		l := &lasting{race: race{lie}, open: map[int]int{}}
		r.World.Environment = l
		got, want := play(t, r, 3), play(t, racer(t, lie, s), 3)
		if l.last != 12 || len(l.open) != 0 {
			t.Errorf("%d episodes, under way are %v", l.last, l.open)
		}
		for i := range want {
			if !maps.Equal(got[i].Failures(), want[i].Failures()) || len(got[i].Nodes) != len(want[i].Nodes) {
				t.Errorf("%q: %v in %d nodes, as a pure function %v in %d", lie, got[i].Failures(), len(got[i].Nodes), want[i].Failures(), len(want[i].Nodes))
			}
		}
	}
	// A tree would go back, which it is told.
	r := racer(t, "", rollout.Settings{Group: 2, Joint: credit.Aligned, MaxTokens: 3})
	r.World.Environment = &lasting{open: map[int]int{}}
	if why := play(t, r, 1)[0].Failed(); !strings.Contains(why, "cannot go on from step 0") {
		t.Errorf("a tree fails with %q", why)
	}
}
