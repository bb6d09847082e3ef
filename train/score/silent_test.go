package score

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"parley/internal/service"
	"parley/recipe/keys"
	"parley/rl/rollout"
	"parley/task"
)

// aloud reports on responses at once.
type aloud struct{ counting }

func (aloud) Report(_ context.Context, _ task.Problem, responses []string, _ int) ([]string, error) {
	return responses, nil
}

// TestSilentExpert: an expert that says nothing is waited for no longer than the run goes on.
func TestSilentExpert(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else the server does not notice who leaves
		interrupt()
		<-r.Context().Done()
	}))
	defer silent.Close()
	r, err := lang.Load("magrpo-tiny", []string{"team.turns=2"})
	if err != nil {
		t.Fatal(err)
	}
	r.Team.Feedback, r.Team.Expert = "expert", keys.Expert{URL: silent.URL, Model: "m", Seconds: 3000}
	s, err := New(t.Context(), r, aloud{}, Parts{})
	if err != nil {
		t.Fatal(err)
	}
	n := &rollout.Node{Joint: [][]int{{0, 0}}, Agents: []rollout.AgentTurn{{Completions: make([]rollout.Completion, 1)}, {Agent: 1, Completions: make([]rollout.Completion, 1)}}}
	err = s.rewards(ctx, rollout.ScoreItem{Node: n, Agents: 2})
	if left := new(service.LeftError); !errors.As(err, &left) || !errors.Is(err, context.Canceled) {
		t.Fatalf("%v, want who was waited for", err)
	}
}
