package gather_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/engine"
	"parley/rl/rollout/gather"
)

// Whoever asks while a call is under way goes into the next one, and everybody gets the answers to what was asked.
func TestDesk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sizes []int
		d := gather.New(func(asked []int) ([]string, error) {
			sizes = append(sizes, len(asked))
			time.Sleep(time.Second)
			var out []string
			for _, q := range asked {
				out = append(out, fmt.Sprint(q))
			}
			return out, nil
		})
		var wait sync.WaitGroup
		for i := range 5 {
			time.Sleep(100 * time.Millisecond)
			wait.Go(func() {
				got, err := d.Ask(t.Context(), []int{i, 10 * i})
				if want := []string{fmt.Sprint(i), fmt.Sprint(10 * i)}; err != nil || !slices.Equal(got, want) {
					t.Errorf("asked %d: %v, %v", i, got, err)
				}
			})
		}
		wait.Wait()
		if !slices.Equal(sizes, []int{2, 8}) {
			t.Errorf("calls of %v, want 2 and then the other 8 together", sizes)
		}
	})
}

// An error is everybody's; so is an answer too few.
func TestDeskFails(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		answers int
		err     error
		want    string
	}{{0, broken, "broken"}, {1, nil, "1 answers to 2 questions"}} {
		d := gather.New(func([]int) ([]int, error) { return make([]int, c.answers), c.err })
		if _, err := d.Ask(t.Context(), []int{1, 2}); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// Who leaves gets nothing at once, and is not asked for where its call has not begun; the others get theirs.
func TestDeskLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		d := gather.New(func(list []int) ([]int, error) {
			asked += len(list)
			time.Sleep(time.Minute)
			return list, nil
		})
		began := time.Now()
		var wait sync.WaitGroup
		for i, patience := range []time.Duration{time.Hour, time.Second, 2 * time.Second} {
			time.Sleep(time.Millisecond)
			wait.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				_, err := d.Ask(ctx, []int{i})
				if waited := time.Since(began); errors.Is(err, context.DeadlineExceeded) != (i > 0) || i > 0 && waited > 3*time.Second {
					t.Errorf("who waits %v: %v after %v", patience, err, waited)
				}
			})
		}
		wait.Wait()
		if asked != 1 {
			t.Errorf("asked for %d, want 1", asked)
		}
	})
}

// An echo is an engine whose completions repeat the seed.
type echo struct {
	engine.Engine
	calls *int
}

func (e echo) Sample(_ context.Context, reqs []engine.SampleRequest) ([]engine.Sample, error) {
	*e.calls++
	out := make([]engine.Sample, len(reqs))
	for i, r := range reqs {
		out[i].Tokens = []int{int(r.Seed), int(r.Seed)}
	}
	return out, nil
}

// A speaking echo hands out tokens.
type speaking struct{ echo }

func (s speaking) Stream(ctx context.Context, reqs []engine.SampleRequest, each func(i, token int) error) ([]engine.Sample, error) {
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

// Samples and tokens go to who asked for them, also where some hear of tokens and others do not; an engine without tokens is not heard of.
func TestEngine(t *testing.T) {
	calls := 0
	for _, c := range []struct {
		inner engine.Engine
		hears bool
	}{{speaking{echo{calls: &calls}}, true}, {echo{calls: &calls}, false}} {
		e := gather.NewEngine(t.Context(), c.inner)
		var wait sync.WaitGroup
		for i := range 6 {
			wait.Go(func() {
				var heard []int
				each := func(_, token int) error { heard = append(heard, token); return nil }
				if i%2 == 1 {
					each = nil
				}
				got, err := e.Stream(t.Context(), []engine.SampleRequest{{Seed: uint64(i)}}, each)
				if err != nil || len(got) != 1 || !slices.Equal(got[0].Tokens, []int{i, i}) {
					t.Errorf("request %d: %v, %v", i, got, err)
				}
				if want := c.hears && each != nil; want != slices.Equal(heard, []int{i, i}) {
					t.Errorf("request %d heard %v, of an engine that hands out tokens: %v", i, heard, c.hears)
				}
			})
		}
		wait.Wait()
	}
}

// Who is farthest behind says the turn, and counts add up.
func TestTogether(t *testing.T) {
	var got gather.Progress
	watch := gather.Together(3, func(p gather.Progress) { got = p })
	watch(2)(gather.Progress{Turn: 2, Whole: 1, Completions: 3, Tokens: 10})
	if want := (gather.Progress{Turn: 2, Whole: 1, Completions: 3, Tokens: 10}); got != want {
		t.Errorf("one: %+v", got)
	}
	watch(0)(gather.Progress{Turn: 1, Whole: 2, Completions: 2, Tokens: 5})
	if want := (gather.Progress{Turn: 1, Whole: 3, Completions: 5, Tokens: 15}); got != want {
		t.Errorf("two: %+v", got)
	}
	if gather.Together(1, nil)(0) != nil {
		t.Error("somebody watches")
	}
}
