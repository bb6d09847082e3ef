package credit_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"parley/rl/credit"
)

func TestNumbersOfTheSpecification(t *testing.T) {
	if d := credit.TemporalDifference(0, .95, .5, .6, false); math.Abs(d-.07) > 1e-12 {
		t.Errorf("δ = %v", d)
	}
	a, err := credit.InstructionAdvantage(0, .95, []float64{.3, .5}, []float64{.6, .1}, false)
	if err != nil || math.Abs(a-.17) > 1e-12 {
		t.Errorf("A = %v, %v", a, err)
	}
	a, err = credit.InstructionAdvantage(1, .95, []float64{.3, .5}, nil, true)
	if err != nil || math.Abs(a-.6) > 1e-12 || credit.TemporalDifference(1, .95, .5, 9, true) != .5 {
		t.Errorf("at the end: A = %v, %v", a, err)
	}
	for _, q := range [][2][]float64{{nil, {1}}, {{1}, nil}} {
		if _, err := credit.InstructionAdvantage(0, 1, q[0], q[1], false); err == nil {
			t.Errorf("no error for %v", q)
		}
	}
}

// TestClock: there are ⌊steps/every⌋ updates; an instruction that was not shown has no part in any, nor one that was not followed where that counts.
func TestClock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		steps := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) credit.StudentStep {
			shown := rapid.Bool().Draw(t, "shown")
			return credit.StudentStep{Shown: shown, Followed: shown && rapid.Bool().Draw(t, "followed"), Advantage: rapid.Float64Range(-1, 1).Draw(t, "advantage")}
		}), 0, 20).Draw(t, "steps")
		c := credit.TeacherClock{Every: rapid.IntRange(1, 6).Draw(t, "every"), OnlyFollowed: rapid.Bool().Draw(t, "only")}
		updates, err := c.Updates(steps)
		if err != nil || len(updates) != len(steps)/c.Every {
			t.Fatalf("%d updates of %d steps every %d, %v", len(updates), len(steps), c.Every, err)
		}
		for k, u := range updates {
			mean, n := 0.0, 0.0
			for i := k * c.Every; i < u.After; i++ {
				if steps[i].Shown && (steps[i].Followed || !c.OnlyFollowed) {
					mean, n = mean+steps[i].Advantage, n+1
				}
			}
			sum := 0.0
			for j, i := range u.Used {
				sum += u.Weights[j]
				if i < k*c.Every || i >= u.After || !steps[i].Shown {
					t.Fatalf("%+v uses step %d", u, i)
				}
			}
			if len(u.Used) != int(n) || math.Abs(sum-mean/max(n, 1)) > 1e-12 {
				t.Fatalf("%+v, want the mean %v of %v", u, mean/max(n, 1), n)
			}
		}
	})
	if _, err := (credit.TeacherClock{}).Updates(nil); err == nil {
		t.Error("no error for a clock that never turns")
	}
}

// TestShapedReturn: that of a whole episode changes by −λ·Φ(s₀) alone.
func TestShapedReturn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(-1, 1)
		rewards := rapid.SliceOfN(x, 1, 8).Draw(t, "rewards")
		phi := rapid.SliceOfN(x, len(rewards)+1, len(rewards)+1).Draw(t, "phi")
		gamma, lambda := rapid.Float64Range(0, 1).Draw(t, "gamma"), rapid.Float64Range(0, 2).Draw(t, "lambda")
		shaped, err := credit.ShapeRewards(rewards, phi, gamma, lambda, true)
		if err != nil {
			t.Fatal(err)
		}
		plain, got := credit.TDTarget(rewards, 0, gamma), credit.TDTarget(shaped, 0, gamma)
		if math.Abs(got-(plain-lambda*phi[0])) > 1e-9 {
			t.Fatalf("%v, want %v", got, plain-lambda*phi[0])
		}
	})
	if _, err := credit.ShapeRewards([]float64{1}, []float64{1}, 1, 1, true); err == nil {
		t.Error("no error without the potential of the last state")
	}
}

// solve returns the best action in every state of a small world in which actions lead somewhere, by iterating values. Wherever two are nearly as
// good it says −1.
func solve(next [][]int, reward func(s, a int) float64, gamma float64, end int) []int {
	value := make([]float64, len(next))
	q := func(s, a int) float64 {
		to := next[s][a]
		if to == end {
			return reward(s, a)
		}
		return reward(s, a) + gamma*value[to]
	}
	for range 600 {
		for s := range next {
			if s != end {
				value[s] = max(q(s, 0), q(s, 1))
			}
		}
	}
	out := make([]int, len(next))
	for s := range next {
		switch d := q(s, 1) - q(s, 0); {
		case s == end || math.Abs(d) < 1e-6:
			out[s] = -1
		case d > 0:
			out[s] = 1
		}
	}
	return out
}

// TestShapingKeepsTheBestPolicy of a tabular world.
func TestShapingKeepsTheBestPolicy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const states, gamma, lambda = 5, .9, .7
		end := states - 1
		next, rewards := make([][]int, states), make([][]float64, states)
		for s := range next {
			next[s] = rapid.SliceOfN(rapid.IntRange(0, end), 2, 2).Draw(t, "next")
			rewards[s] = rapid.SliceOfN(rapid.Float64Range(-1, 1), 2, 2).Draw(t, "rewards")
		}
		phi := rapid.SliceOfN(rapid.Float64Range(-1, 1), states, states).Draw(t, "phi")
		plain := solve(next, func(s, a int) float64 { return rewards[s][a] }, gamma, end)
		shaped := solve(next, func(s, a int) float64 {
			to := next[s][a]
			r, err := credit.ShapeRewards(rewards[s][a:a+1], []float64{phi[s], phi[to]}, gamma, lambda, to == end)
			if err != nil {
				t.Fatal(err)
			}
			return r[0]
		}, gamma, end)
		for s := range plain {
			if plain[s] >= 0 && plain[s] != shaped[s] {
				t.Fatalf("state %d: action %d, shaped %d", s, plain[s], shaped[s])
			}
		}
	})
}
