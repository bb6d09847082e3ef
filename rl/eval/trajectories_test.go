package eval_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/rl/eval"
)

// above is 0.3 as a sum has it: more than 0.3 by rounding.
func above() float64 {
	sum := .1
	sum += .2
	return sum
}

func TestPassing(t *testing.T) {
	tasks := [][]float64{{1, .4, 1}, {0, .9, .3}, {}, {.3, above(), .29}}
	for _, c := range []struct {
		threshold float64
		perTask   int
		want      string
	}{
		{1, 0, "[{0 0} {0 2}]"},
		{1, 1, "[{0 0}]"},
		{.3, 1, "[{0 0} {1 1} {3 0}]"},                        // of equals the first
		{above(), 2, "[{0 0} {0 2} {1 1} {1 2} {3 0} {3 1}]"}, // rounding decides nothing
	} {
		if got := fmt.Sprint(eval.Passing(tasks, c.threshold, c.perTask)); got != c.want {
			t.Errorf("threshold %v, %d a task: %s, want %s", c.threshold, c.perTask, got, c.want)
		}
	}
}

func TestBest(t *testing.T) {
	tasks := [][]float64{{.2, 1, .4}, {1, 1, 0}, {.9, .1}, {}, {above(), .3}}
	if got := fmt.Sprint(eval.Best(tasks, true)); got != "[{0 1 0} {0 1 2} {1 0 2}]" {
		t.Error(got)
	}
	if got := fmt.Sprint(eval.Best(tasks, false)); got != "[{0 1 0} {0 1 2} {1 0 2} {2 0 1}]" {
		t.Error(got)
	}
}

// TestHalves: the chosen candidate is always of the better half, the rejected one of the worse, whatever is drawn.
func TestHalves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scores := rapid.SliceOfN(rapid.Map(rapid.IntRange(0, 9), func(i int) float64 { return float64(i) / 8 }), 0, 17).Draw(t, "scores")
		h := eval.Halve(scores)
		unit := rapid.OneOf(rapid.Just(0.), rapid.Just(.9999999999999999), rapid.Float64Range(0, .999999))
		chosen, rejected, ok := h.Draw(unit.Draw(t, "u"), unit.Draw(t, "v"))
		if ok && !(scores[chosen] > scores[rejected]) {
			t.Fatalf("%v is preferred to %v", scores[chosen], scores[rejected])
		}
		if half := len(scores) / 2; half > 0 {
			if at := slices.Index(h.Ranking, chosen); at >= half {
				t.Fatalf("chosen rank %d of %d", at, len(scores))
			}
			if at := slices.Index(h.Ranking, rejected); at < len(scores)-half {
				t.Fatalf("rejected rank %d of %d", at, len(scores))
			}
		}
		whole := slices.Concat(h.Top, h.Bottom)
		if h.Middle >= 0 {
			whole = append(whole, h.Middle)
		}
		slices.Sort(whole)
		for i, x := range whole {
			if x != i || len(whole) != len(scores) {
				t.Fatalf("%+v does not part %d candidates", h, len(scores))
			}
		}
	})
}

// TestProposals: three of four right is too easy, two of three is not, and a peer without a proposal leaves nothing to read.
func TestProposals(t *testing.T) {
	yes, no := []bool{true, true, true, true}, []bool{false, false, false, false}
	for _, c := range []struct {
		p    eval.Proposals
		keep bool
		rows string
	}{
		{eval.Proposals{yes, yes, {true, false, false, false}}, false, "[]"},
		{eval.Proposals{yes, yes, no}, true, "[[0 0 0] [1 1 1] [2 2 2] [3 3 3]]"},
		{eval.Proposals{yes, no[:2], no}, true, "[[0 0 0] [1 1 1]]"},
		{eval.Proposals{no, {}}, false, "[]"},
		{eval.Proposals{}, false, "[]"},
	} {
		if got := fmt.Sprint(c.p.Rows(.75)); c.p.Keep(.75) != c.keep || got != c.rows {
			t.Errorf("%v: %s, kept %v", c.p, got, c.p.Keep(.75))
		}
	}
}
