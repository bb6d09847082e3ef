package sums

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"parley/task"
)

func TestSum(t *testing.T) {
	for _, c := range []struct {
		sum    Sum
		text   string
		key    string
		answer int
	}{
		{Sum{23, []Step{{'+', 18}, {'-', 12}}}, "23+18-12", "+18 +23 -12", 29},
		{Sum{18, []Step{{'-', 12}, {'+', 23}}}, "18-12+23", "+18 +23 -12", 29},
		{Sum{4, []Step{{'*', 14}, {'-', 6}}}, "4*14-6", "+4*14 -6", 50},
		{Sum{14, []Step{{'*', 4}, {'-', 6}}}, "14*4-6", "+4*14 -6", 50},
	} {
		if c.sum.String() != c.text || c.sum.Key() != c.key || c.sum.Answer() != c.answer {
			t.Errorf("%v: %s, key %s, answer %d", c.sum, c.sum, c.sum.Key(), c.sum.Answer())
		}
	}
}

// Every drawn sum and each of its results stays within the range that the base has learned.
func TestDrawnSumsAreValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		steps := rapid.IntRange(1, 3).Draw(t, "steps")
		s, tell := Draw(rng, steps)
		question := tell()
		if !s.valid() || len(s.Steps) != steps || question == "" {
			t.Fatalf("%s: %q", s, question)
		}
		for i, step := range s.Steps {
			if step.Op == '*' && i > 0 {
				t.Fatalf("%s has a product after the first step", s)
			}
		}
	})
}

// The order of terms never moves a sum to another split.
func TestSplitIgnoresOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		s := drawSum(rng, 3, "+-")
		r := Sum{s.Start, []Step{s.Steps[2], s.Steps[0], s.Steps[1]}}
		if s.Key() != r.Key() || s.Split() != r.Split() {
			t.Fatalf("%s is in %s, %s in %s", s, s.Split(), r, r.Split())
		}
	})
}

// The splits have the shares that Split promises.
func TestSplitShares(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	count, n := map[task.Split]int{}, 20_000
	for range n {
		s, _ := Draw(rng, 2+rng.IntN(2))
		count[s.Split()]++
	}
	for split, want := range map[task.Split]float64{task.Test: 0.15, task.Train: 0.25, Corpus: 0.60} {
		if got := float64(count[split]) / float64(n); got < want-0.02 || got > want+0.02 {
			t.Errorf("%s has %.3f of the contents, want %.2f", split, got, want)
		}
	}
}

// Held-out contents are never training contents: over large samples, every problem's content belongs to the split that
// serves it, so no content is served by two. (That the corpus keeps to its own split is tested where it is made.)
func TestSplitsAreDisjoint(t *testing.T) {
	served := map[string]task.Split{}
	for _, split := range []task.Split{task.Train, task.Test} {
		for _, steps := range []int{0, 2, 4} {
			n := 0
			for s := range (&Task{Options{Steps: steps, Most: Most}}).draws(split) {
				if was, ok := served[s.Key()]; ok && was != split || s.Split() != split {
					t.Fatalf("%s is served by %s and belongs to %s and %s", s, split, s.Split(), was)
				}
				served[s.Key()] = split
				if n++; n == 5000 {
					break
				}
			}
		}
	}
	if len(served) < 25_000 {
		t.Errorf("only %d contents", len(served))
	}
}
