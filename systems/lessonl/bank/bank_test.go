package bank_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/systems/lessonl/bank"
)

// six is the bank of the specification: A to F.
func six() []bank.Lesson {
	return []bank.Lesson{
		{Speedup: 2, Factor: .9, Relevance: .1},
		{Speedup: 1.3, Factor: 1.1, Relevance: .9},
		{Speedup: 1.2, Factor: .9, Relevance: .5},
		{Speedup: 0, Factor: 1, Relevance: .8},
		{Speedup: 1.5, Factor: 1, Relevance: .2},
		{Speedup: 1, Factor: 1, Relevance: .3},
	}
}

func shown(t rapid.TB, s bank.Selection, list []bank.Lesson, round int) []int {
	t.Helper()
	out, err := s.Shown(list, round)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestSelectors(t *testing.T) {
	for _, c := range []struct {
		selector bank.Selector
		round    int
		want     string
	}{
		{bank.Hybrid, 2, "[0 4 1 3]"},
		{bank.Hybrid, 1, "[0 1 2 3 4 5]"}, // few lessons so far: all
		{bank.BySpeed, 2, "[0 4 1 2]"},
		{bank.ByRelevance, 2, "[1 3 2 5]"},
		{bank.ByPasses, 2, "[0 4 1 3]"},
		{bank.AtRandom, 2, "[5 4 3 2]"},
	} {
		s := bank.Selection{Selector: c.selector, K: 4, Agents: 3, Order: []int{5, 4, 3, 2, 1, 0}}
		if got := fmt.Sprint(shown(t, s, six(), c.round)); got != c.want {
			t.Errorf("%s in round %d: %s, want %s", c.selector, c.round, got, c.want)
		}
	}
	for _, s := range []bank.Selection{{Selector: "best"}, {Selector: bank.AtRandom}} {
		if _, err := s.Shown(six(), 1); err != nil || s.Agents != 0 {
			t.Errorf("%v", err) // no agent has written yet
		}
		s.Agents = 3
		if _, err := s.Shown(six(), 1); err == nil {
			t.Errorf("no error for %+v", s)
		}
	}
}

// TestHalfIsFast: at most k lessons, each once; up to half of them are fast ones, and nothing that is left out is nearer than what fills the rest.
func TestHalfIsFast(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := func(of ...float64) float64 { return rapid.SampledFrom(of).Draw(t, "number") }
		list := make([]bank.Lesson, rapid.IntRange(0, 12).Draw(t, "lessons"))
		for i := range list {
			list[i] = bank.Lesson{Speedup: number(0, 1, 1.1, 1.5, 2), Factor: number(.9, 1, 1.1), Relevance: number(0, .2, .5)}
		}
		k := rapid.IntRange(0, 6).Draw(t, "k")
		got := shown(t, bank.Selection{Selector: bank.Hybrid, K: k, Agents: 1}, list, k+1)
		if len(got) != min(k, len(list)) || len(slices.Compact(slices.Sorted(slices.Values(got)))) != len(got) {
			t.Fatalf("%v of %d with k = %d", got, len(list), k)
		}
		fast := func(z int) bool { return list[z].Speedup*list[z].Factor >= 1.1-1e-9 }
		half := 0
		for half < len(got) && half < (k+1)/2 && fast(got[half]) {
			half++
		}
		for z := range list {
			left := !slices.Contains(got, z)
			if left && fast(z) && half < (k+1)/2 {
				t.Fatalf("%v leaves out %d, which is fast", got, z)
			}
			for _, filled := range got[half:] {
				if left && list[z].Relevance > list[filled].Relevance {
					t.Fatalf("%v leaves out %d, which is nearer than %d", got, z, filled)
				}
			}
		}
	})
}

// TestAdjust: factors are replaced, so that the same round twice leaves what it left once.
func TestAdjust(t *testing.T) {
	list := six()
	for range 2 {
		bank.Adjust(list, []int{0, 4, 1, 3}, []float64{2.5, 1.9, 0})
		for z, want := range []float64{.966667, 1.033333, .9, 1.033333, 1.033333, 1} {
			if math.Abs(list[z].Factor-want) > 1e-6 {
				t.Errorf("factor %d is %v, want %v", z, list[z].Factor, want)
			}
		}
	}
	bank.Adjust(list, []int{2}, nil)
	if list[2].Factor != .9 {
		t.Errorf("nobody wrote, and the factor is %v", list[2].Factor)
	}
	bank.Adjust(list, []int{2}, []float64{1.2})
	if list[2].Factor != .9 {
		t.Errorf("an equal speed-up is no better, and the factor is %v", list[2].Factor)
	}
}

// TestCalls: nobody sees another agent's program, the source is in every prompt, and the lesson is written by the author.
func TestCalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		round, agents := rapid.IntRange(0, 4).Draw(t, "round"), rapid.IntRange(1, 5).Draw(t, "agents")
		read := rapid.SliceOfN(rapid.IntRange(0, 20), 0, 4).Draw(t, "shown")
		for _, c := range bank.Calls(round, agents, read) {
			if c.Sees[0] != bank.Source || c.Round != round {
				t.Fatalf("%+v", c)
			}
			for _, name := range c.Sees[1:] {
				own := name == bank.Code(c.Agent, round) || name == bank.Outcome(c.Agent, round)
				if own != (c.Lesson >= 0) || !own && !strings.HasPrefix(name, "lesson") {
					t.Fatalf("%+v", c)
				}
			}
			if c.Lesson >= 0 && c.Lesson != round*agents+c.Agent {
				t.Fatalf("%+v", c)
			}
		}
	})
}

func TestClassify(t *testing.T) {
	for _, c := range []struct {
		compiled, correct bool
		speedup           float64
		class             bank.Class
		credit            float64
	}{
		{true, true, 1.1, bank.MuchFaster, 1.1},
		{true, true, 1.0999, bank.SlightlyFaster, 1.0999},
		{true, true, 1, bank.SlightlyFaster, 1},
		{true, true, .999, bank.Slower, .999},
		{true, false, 9, bank.NotEquivalent, 0},
		{false, true, 3, bank.NotCompilable, 0},
	} {
		if class, credit := bank.Classify(c.compiled, c.correct, c.speedup); class != c.class || credit != c.credit {
			t.Errorf("%+v: %s, %v", c, class, credit)
		}
	}
}

// TestRelevance: it is the same both ways, at most 1, and 1 for a text and itself.
func TestRelevance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([a-c_]{1,2}[ ,;é]){0,6}`)
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		x := bank.Relevance(a, b)
		if x != bank.Relevance(b, a) || x < 0 || x > 1+1e-12 {
			t.Fatalf("%v and %v", x, bank.Relevance(b, a))
		}
		if self := bank.Relevance(a, strings.ToUpper(a)); self != 0 && math.Abs(self-1) > 1e-12 {
			t.Fatalf("%q and itself: %v", a, self)
		}
	})
}

func TestBest(t *testing.T) {
	if i, ok := bank.Best([]float64{1.5, 2, .5, 2}); i != 1 || !ok {
		t.Errorf("%d, %v", i, ok)
	}
	for _, none := range [][]float64{nil, {0, 0}} {
		if _, ok := bank.Best(none); ok {
			t.Errorf("%v has a best one", none)
		}
	}
}

// TestRelay: a program that passes stops the smaller agents; without one the most passed tests win, the first among equals.
func TestRelay(t *testing.T) {
	r := bank.Relay{Agents: 2, Rounds: 2, Tests: 3}
	for _, c := range []struct {
		passed []int
		want   string
	}{
		{nil, "{false false {0 0} [] {0 0}}"},
		{[]int{3}, "{true true {0 0} [] {0 0}}"},
		{[]int{1, 2}, "{false false {1 0} [{0 0} {0 1}] {0 1}}"},
		{[]int{1, 2, 2, 0}, "{true false {2 0} [{0 0} {0 1} {1 0} {1 1}] {0 1}}"},
	} {
		if got := fmt.Sprint(r.Standing(c.passed)); got != c.want {
			t.Errorf("%v: %s, want %s", c.passed, got, c.want)
		}
	}
}
