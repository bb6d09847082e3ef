package keep_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"parley/rl/rollout"
	"parley/rl/rollout/keep"
	"parley/task"
	"parley/team"
)

// episodesOf is an update of one episode, which says whose it is.
func episodesOf(update int) []*rollout.Episode {
	n := &rollout.Node{Parent: -1, ParentAction: -1, Joint: [][]int{{0}}, Rewards: []float64{1. / 3}, Agents: []rollout.AgentTurn{{
		Messages: []team.Message{{Role: team.User, Content: "<b>"}}, Completions: []rollout.Completion{{Tokens: []int{1}, Logprobs: []float32{-0.1}}},
	}}}
	return []*rollout.Episode{{Update: update, Problem: task.Problem{ID: fmt.Sprint(update)}, Nodes: []*rollout.Node{n}}}
}

// while lets the update after so many learn, beside what is sampled ahead.
func while(t *testing.T, r *keep.Ahead, done int, learn func() error) error {
	if err := r.Begin(t.Context(), done); err != nil {
		return err
	}
	return r.End(learn())
}

// cannot says that engines do not keep policies as they are.
func cannot(context.Context) (func(), error) { return nil, nil }

// Where engines keep the policies, an update is sampled while the one before learns, and they are let go afterwards. The first error ends both.
func TestAtTheSameTime(t *testing.T) {
	broken := errors.New("broken")
	for name, c := range map[string]struct{ learn, play error }{"both": {}, "the learner fails": {learn: broken}, "sampling fails": {play: broken}} {
		pinned, learns, samples := false, make(chan bool), make(chan bool)
		r := keep.Ahead{
			Ahead: true, Updates: 9,
			Pin: func(context.Context) (func(), error) {
				pinned = true
				return func() { pinned = false }, nil
			},
			Play: func(ctx context.Context, done int) ([]*rollout.Episode, error) {
				close(samples)
				<-learns
				if c.learn != nil {
					<-ctx.Done()
					return nil, ctx.Err()
				}
				return episodesOf(done + 1), c.play
			},
		}
		err := while(t, &r, 3, func() error {
			<-samples
			close(learns)
			return c.learn
		})
		if failed := c.learn != nil || c.play != nil; failed != errors.Is(err, broken) || pinned {
			t.Errorf("%s: %v; still kept: %v", name, err, pinned)
		}
	}
	r := keep.Ahead{Ahead: true, Updates: 9, Pin: func(context.Context) (func(), error) { return nil, broken }}
	if err := while(t, &r, 0, nil); !errors.Is(err, broken) {
		t.Errorf("policies cannot be kept: %v", err)
	}
}

// What is sampled when, and how old it is: one update ahead, never behind the last.
func TestOrder(t *testing.T) {
	for _, c := range []struct {
		ahead bool
		want  []string
	}{
		{false, []string{"play 1", "learn 1, lag 0", "play 2", "learn 2, lag 0", "play 3", "learn 3, lag 0"}},
		{true, []string{"play 1", "play 2", "learn 1, lag 0", "play 3", "learn 2, lag 1", "learn 3, lag 1"}},
	} {
		var got []string
		r := keep.Ahead{Ahead: c.ahead, Updates: 3, Pin: cannot, Play: func(_ context.Context, done int) ([]*rollout.Episode, error) {
			got = append(got, fmt.Sprintf("play %d", done+1))
			return episodesOf(done + 1), nil
		}}
		for done := range 3 {
			list, err := r.Of(t.Context(), done)
			if err != nil {
				t.Fatal(err)
			}
			err = while(t, &r, done, func() error {
				got = append(got, fmt.Sprintf("learn %d, lag %d", list[0].Update, r.Lag()))
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("ahead %v: %q, want %q", c.ahead, got, c.want)
		}
	}
}

// Episodes that wait come back from a checkpoint as they were; where none wait nothing is saved.
func TestSave(t *testing.T) {
	plays := 0
	play := func(_ context.Context, done int) ([]*rollout.Episode, error) {
		plays++
		return episodesOf(done + 1), nil
	}
	dir, r := t.TempDir(), keep.Ahead{Ahead: true, Updates: 2, Play: play, Pin: cannot}
	if err := while(t, &r, 0, func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	if err := r.Save(dir); err != nil {
		t.Fatal(err)
	}
	fresh := keep.Ahead{Ahead: true, Updates: 2, Play: play}
	if err := fresh.Load(dir); err != nil {
		t.Fatal(err)
	}
	before := plays
	got, err := fresh.Of(t.Context(), 1)
	if err != nil || plays != before || fresh.Lag() != 1 || len(got) != 1 || got[0].Problem.ID != "2" || got[0].Nodes[0].Rewards[0] != 1./3 {
		t.Errorf("%+v, %v, lag %d, played %d times more", got, err, fresh.Lag(), plays-before)
	}
	empty := t.TempDir()
	if err := fresh.Save(empty); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(empty); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
}

// A rollout that fails is an error, of this update or the next; a file that is damaged too.
func TestFails(t *testing.T) {
	broken := errors.New("broken")
	for fails := range 2 {
		r := keep.Ahead{Ahead: true, Updates: 2, Pin: cannot, Play: func(_ context.Context, done int) ([]*rollout.Episode, error) {
			if done == fails {
				return nil, broken
			}
			return episodesOf(done + 1), nil
		}}
		_, err := r.Of(t.Context(), 0)
		if err == nil {
			err = while(t, &r, 0, func() error { return nil })
		}
		if !errors.Is(err, broken) {
			t.Errorf("play %d fails: %v", fails+1, err)
		}
	}
	for _, text := range []string{"{}\n", "{", "null\n"} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "ahead.jsonl"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := new(keep.Ahead).Load(dir); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}
