package main_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/tools/scale"

	"parley/engine"
	"parley/internal/seed"
	"parley/rl/credit"
	"parley/rl/rollout"
	"parley/task"
	"parley/team"
	"parley/team/protocols"
)

// even is a cluster whose answers all take ten seconds.
var even = main.Cluster{Replicas: 2, Batch: 2, Latency: 1, Step: 0.8, Each: 0.05, Mean: 10, Most: 100}

// What can be counted by hand.
func TestPlay(t *testing.T) {
	for _, c := range []struct {
		name     string
		work     main.Work
		schedule main.Schedule
		seconds  float64
		share    float64
	}{
		{"one answer", main.Work{Problems: 1, Turns: 1, Asks: 1}, main.Together, 10, 1. / 4},
		{"as many as slots", main.Work{Problems: 4, Turns: 1, Asks: 1}, main.Together, 10, 1},
		{"one more", main.Work{Problems: 5, Turns: 1, Asks: 1}, main.Apart, 20, 5. / 8},
		{"turns", main.Work{Problems: 2, Turns: 3, Asks: 2}, main.Together, 30, 1},
		{"scores", main.Work{Problems: 4, Turns: 2, Asks: 1, Score: 10}, main.Together, 40, 1. / 2},
		{"others answer meanwhile", main.Work{Problems: 8, Turns: 2, Asks: 1, Score: 10}, main.Apart, 50, 4. / 5},
		{"nothing", main.Work{}, main.Apart, 0, 0},
	} {
		u := even.Play(c.work, c.schedule)
		if math.Abs(u.Seconds-c.seconds) > 1e-9 || math.Abs(u.Share-c.share) > 1e-9 {
			t.Errorf("%s: %g s, share %g; want %g and %g", c.name, u.Seconds, u.Share, c.seconds, c.share)
		}
		if want := 10 * c.work.Problems * c.work.Turns * c.work.Asks; u.Tokens != want {
			t.Errorf("%s: %d tokens, want %d", c.name, u.Tokens, want)
		}
	}
}

// Lengths have the mean that they are to have, and lost tries take half an answer on average: p/(1−p) of them.
func TestAnswer(t *testing.T) {
	c := main.Cluster{Replicas: 1, Batch: 8, Latency: 0.1, Step: 0.01, Each: 0.001, Mean: 200, Spread: 0.5, Most: 100000, Failures: 0.2}
	tokens, lost, useful := 0.0, 0.0, 0.0
	const n = 40000
	for i := range n {
		a := c.Answer(seed.Derive(3, "answer", i))
		tokens, lost, useful = tokens+float64(a.Tokens), lost+a.Takes-a.Useful, useful+a.Useful
		if want := 0.1 + float64(a.Tokens)*0.018; math.Abs(a.Useful-want) > 1e-9 || a.Takes < a.Useful {
			t.Fatalf("%+v, want %g s", a, want)
		}
	}
	if mean := tokens / n; math.Abs(mean-200) > 2 {
		t.Errorf("%g tokens on average", mean)
	}
	if share := lost / useful; math.Abs(share-0.125) > 0.01 {
		t.Errorf("lost tries take %g of the useful time, want 0.2/0.8/2", share)
	}
}

// Letting problems advance by themselves never keeps a cluster less busy than turns that wait for each other, and with enough problems it keeps
// it busy.
func TestApartIsBusier(t *testing.T) {
	c := main.Cluster{Replicas: 16, Batch: 8, Latency: 0.2, Step: 0.02, Each: 0.0002, Mean: 256, Spread: 0.6, Most: 1024, Failures: 0.01}
	for _, problems := range []int{16, 64, 512, 2048} {
		w := main.Work{Problems: problems, Turns: 3, Asks: 3, Score: 0.5}
		together, apart := c.Play(w, main.Together), c.Play(w, main.Apart)
		if apart.Share < together.Share || apart.Tokens != together.Tokens || apart.Busy-together.Busy > 1e-6*apart.Busy {
			t.Errorf("%d problems: %+v apart, %+v together", problems, apart, together)
		}
		if problems == 2048 && apart.Share < 0.85 {
			t.Errorf("%d problems keep %d slots busy for %g", problems, c.Slots(), apart.Share)
		}
	}
}

// letters is a codec with a token a letter.
type letters struct{}

func (letters) Prompt(dialogue []team.Message) ([]int, error) { return make([]int, len(dialogue)), nil }

func (letters) Text(tokens []int) string { return strings.Repeat("a", len(tokens)) }

func (letters) Stop() []int { return nil }

// A judge takes some time for a turn.
type judge struct{ takes time.Duration }

func (j judge) Score(_ context.Context, turn []rollout.ScoreItem) error {
	time.Sleep(j.takes)
	for _, item := range turn {
		item.Node.Rewards = make([]float64, len(item.Node.Joint))
	}
	return nil
}

// play lets the rollout itself work on a cluster, in time that a test makes pass.
func play(t *testing.T, c main.Cluster, w main.Work) (seconds float64, busy float64) {
	t.Helper()
	e := main.NewEngine(c, 26)
	p, err := protocols.Debate().Open(team.Settings{Agents: w.Asks, Turns: w.Turns, Prompts: team.Prompts{First: "{{.Question}}", Later: "?"}})
	if err != nil {
		t.Fatal(err)
	}
	r := rollout.Runner{Protocol: p, Scorer: judge{}, Seed: 7, Settings: rollout.Settings{Group: 1, Joint: credit.Aligned, MaxTokens: c.Most}}
	for range w.Asks {
		r.Actors = append(r.Actors, rollout.Actor{Engine: e, Codec: letters{}, Policy: func(int) engine.Policy { return "p" }})
	}
	began := time.Now()
	if _, err := r.Run(t.Context(), "test", 1, make([]task.Problem, w.Problems)); err != nil {
		t.Fatal(err)
	}
	return time.Since(began).Seconds(), e.Busy()
}

// The virtual clock says what rollouts do: where everybody finds a slot, to the microsecond; where slots are few, up to who comes first.
func TestTheClockIsRight(t *testing.T) {
	work := main.Work{Problems: 24, Turns: 3, Asks: 2}
	work.Stream = func(problem, turn, ask int) uint64 { return seed.Derive(7, "test", 1, problem, turn, ask, 0) }
	for _, c := range []struct {
		batch int
		off   float64 // as a share
	}{{24, 1e-5}, {3, 0.1}} {
		cluster := main.Cluster{Replicas: 2, Batch: c.batch, Latency: 0.5, Step: 0.02, Each: 0.001, Mean: 100, Spread: 0.7, Most: 600, Failures: 0.1}
		synctest.Test(t, func(t *testing.T) {
			seconds, busy := play(t, cluster, work)
			want := cluster.Play(work, main.Apart)
			if math.Abs(seconds-want.Seconds) > c.off*want.Seconds || math.Abs(busy-want.Busy) > 1e-5*want.Busy {
				t.Errorf("batches of %d: the rollout took %g s with %g busy, the clock says %+v", c.batch, seconds, busy, want)
			}
		})
	}
}

// An answer that nobody waits for any more is no answer; one that is too long is cut.
func TestEngine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := main.NewEngine(even, 5)
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		if _, err := e.Sample(ctx, make([]engine.SampleRequest, 9)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("left: %v", err)
		}
		got, err := e.Sample(t.Context(), []engine.SampleRequest{{Seed: 1, MaxTokens: 100}, {Seed: 1, MaxTokens: 4}})
		if err != nil || len(got[0].Tokens) != 10 || got[0].Stop != engine.StopEOS || len(got[1].Tokens) != 4 || got[1].Stop != engine.StopLength {
			t.Errorf("%+v, %v", got, err)
		}
	})
}
