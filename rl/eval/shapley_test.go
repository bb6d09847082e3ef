package eval_test

import (
	"math"
	"math/bits"
	"slices"
	"testing"

	"parley/internal/seed"
	"parley/rl/eval"
)

// game draws what each coalition of n members scores on some problems, such that member null adds nothing anywhere and members a and b do the same.
func game(n, problems int, null, a, b int, stream uint64) func(eval.Coalition) []float64 {
	return func(c eval.Coalition) []float64 {
		c &^= 1 << null
		if c.Has(b) && !c.Has(a) { // whoever of both is there counts as a
			c = c&^(1<<b) | 1<<a
		}
		rng := seed.Stream(seed.Derive(stream, "game", int(c)))
		out := make([]float64, problems)
		for p := range out {
			out[p] = math.Round(rng.Float64()*8) / 8
		}
		return out
	}
}

// TestShapley: shares add up to what everybody scores less what nobody does, problem by problem; who adds nothing has none, and who is the same has the
// same. All orders give the sum over coalitions of its definition; drawn ones come near it, within their error.
func TestShapley(t *testing.T) {
	const problems = 3
	for n := 3; n <= 5; n++ {
		for stream := range uint64(20) {
			worth := game(n, problems, 0, 1, 2, stream)
			all := eval.Orders(n)
			exact := eval.Shapley(all, worth)
			drawn := eval.Shapley(eval.DrawnOrders(n, 400, stream), worth)
			for p := range problems {
				whole, sums := worth(1<<n - 1)[p]-worth(0)[p], [2]float64{}
				for i := range n {
					sums[0], sums[1] = sums[0]+exact[i].Values[p], sums[1]+drawn[i].Values[p]
					if got, want := exact[i].Values[p], defined(n, i, p, worth); math.Abs(got-want) > 1e-12 {
						t.Errorf("n %d, game %d: member %d has %v, by the definition %v", n, stream, i, got, want)
					}
				}
				if math.Abs(sums[0]-whole) > 1e-12 || math.Abs(sums[1]-whole) > 1e-12 {
					t.Errorf("n %d, game %d: shares add up to %v, everybody less nobody is %v", n, stream, sums, whole)
				}
				if exact[0].Values[p] != 0 || drawn[0].Values[p] != 0 {
					t.Errorf("n %d, game %d: who adds nothing has %v", n, stream, exact[0].Values)
				}
				if math.Abs(exact[1].Values[p]-exact[2].Values[p]) > 1e-12 {
					t.Errorf("n %d, game %d: who do the same have %v and %v", n, stream, exact[1].Values, exact[2].Values)
				}
			}
			for i := range n {
				if far := math.Abs(eval.Mean(drawn[i].Values) - eval.Mean(exact[i].Values)); far > 5*drawn[i].Error {
					t.Errorf("n %d, game %d: member %d is estimated %v from its share, with a standard error of %v", n, stream, i, far, drawn[i].Error)
				}
			}
		}
	}
}

// defined is the share of a member in a problem by the sum over coalitions.
func defined(n, member, problem int, worth func(eval.Coalition) []float64) (sum float64) {
	for c := range eval.Coalition(1) << n {
		if !c.Has(member) {
			size := bits.OnesCount64(uint64(c))
			sum += factorial(size) * factorial(n-size-1) / factorial(n) * (worth(c.With(member))[problem] - worth(c)[problem])
		}
	}
	return sum
}

func factorial(n int) float64 { return math.Gamma(float64(n) + 1) }

// TestOrders: there are n! orders, each once; drawn ones repeat; coalitions are those that form on the way, each once, everybody and nobody first.
func TestOrders(t *testing.T) {
	for n, want := range []int{1, 1, 2, 6, 24} {
		orders := eval.Orders(n)
		seen := map[string]bool{}
		for _, o := range orders {
			key := ""
			for _, i := range o {
				key += string(rune('a' + i))
			}
			seen[key] = true
			if !slices.Equal(slices.Sorted(slices.Values(o)), slices.Sorted(slices.Values(orders[0]))) {
				t.Errorf("%v is no order of %d", o, n)
			}
		}
		if len(orders) != want || len(seen) != want {
			t.Errorf("%d members have %d orders, %d of them different", n, len(orders), len(seen))
		}
		if n > 0 {
			if c := eval.Coalitions(orders); len(c) != 1<<n || c[0] != 1<<n-1 || c[1] != 0 {
				t.Errorf("%d members form %v", n, c)
			}
		}
	}
	a, b := eval.DrawnOrders(6, 5, 7), eval.DrawnOrders(6, 5, 7)
	if len(a) != 5 || !slices.EqualFunc(a, b, slices.Equal) {
		t.Errorf("the same stream draws %v and %v", a, b)
	}
	if c := eval.Coalitions(a[:1]); len(c) != 7 {
		t.Errorf("one order of six members forms %v", c)
	}
}

// TestContributions: who is of no use has an interval with 0 in it, who is essential one that leaves 0; scores on the same problems are compared in
// pairs, so that a difference on one problem in ten shows beside noise that all arms share.
func TestContributions(t *testing.T) {
	const problems = 60
	team, useless, essential := make([]float64, problems), make([]float64, problems), make([]float64, problems)
	rng := seed.Stream(1)
	for p := range team {
		team[p] = float64(rng.IntN(2))
		if useless[p] = team[p]; p%20 == 0 {
			useless[p] = 1 - team[p]
		}
		essential[p] = team[p] * float64(rng.IntN(2))
	}
	w := eval.Worth{
		Measure: eval.Accuracy(), Team: team, LeftOut: map[int][]float64{0: useless, 1: essential}, Before: map[int][]float64{1: useless},
		Members: []int{0, 1}, Orders: eval.Orders(2),
		Scores: func(c eval.Coalition) []float64 {
			return map[eval.Coalition][]float64{0: make([]float64, problems), 1: essential, 2: useless, 3: team}[c]
		},
	}
	got, err := eval.Contributions(3, w, 1)
	if err != nil {
		t.Fatal(err)
	}
	if d := got[0].LeftOut; d.Interval.Low > 0 || d.Interval.High < 0 || got[0].Before != nil {
		t.Errorf("the useless one: %+v", d)
	}
	if d := got[1].LeftOut; d.Interval.High >= 0 || got[1].Before == nil {
		t.Errorf("the essential one: %+v", d)
	}
	if sum := got[0].Share.Mean + got[1].Share.Mean; math.Abs(sum-eval.Mean(team)) > 1e-12 || got[1].Share.Interval.Low <= 0 || got[2] != (eval.Contribution{}) {
		t.Errorf("shares %+v and %+v, and of nobody %+v", got[0].Share, got[1].Share, got[2])
	}
	again, err := eval.Contributions(3, w, 1)
	if err != nil || *again[1].Share != *got[1].Share || *again[0].LeftOut != *got[0].LeftOut {
		t.Error("the same stream gives other intervals")
	}
}
