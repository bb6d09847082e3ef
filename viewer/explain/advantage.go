package explain

import (
	"math"
	"slices"
	"strconv"
)

// A Group is what an answer may have been compared with.
type Group struct {
	What   string // such as "the 4 answers of this agent to this prompt"
	Values []float64
	Own    int // which of them is the answer's own; -1: none
	// Baseline is the word of credit.baseline that compares in it: node, problem, agent, agent_turn or global.
	Baseline string
}

// order is that in which baselines are tried, by the algorithm that has each.
var order = []string{"magrpo", "marloo", "maremax", "mareinforce"}

// Advantage explains the advantage of an answer with a return, by the first of the groups that gives it, that of the recipe's baseline before all others.
func Advantage(s Settings, ret, advantage float64, groups []Group) Formula {
	out := Formula{Name: "advantage", Terms: []Term{{"R", "return of this answer", ret}, {"A", "advantage", advantage}}}
	if i := slices.IndexFunc(groups, func(g Group) bool { return g.Baseline == s.Baseline }); i > 0 {
		groups = slices.Concat(groups[i:i+1], groups[:i], groups[i+1:])
	}
	modes := slices.Clone(order)
	if i := slices.Index(modes, s.Algorithm); i > 0 {
		modes[0], modes[i] = modes[i], modes[0]
	}
	for _, normalize := range []bool{s.Normalize, !s.Normalize} {
		for _, g := range groups {
			for _, mode := range modes {
				if f, ok := compared(mode, normalize, ret, advantage, g); ok {
					f.Terms = append(out.Terms, f.Terms...)
					return f
				}
			}
			if f, ok := sampled(ret, advantage, g); ok {
				f.Terms = append(out.Terms, f.Terms...)
				return f
			}
		}
	}
	if s.Algorithm == "malt" && near(ret-half, advantage) {
		out.Exact, out.Formula, out.Filled = true, "A = R − ½", number(advantage)+" = "+number(ret)+" − ½"
		return out
	}
	out.Formula, out.Filled = "A", number(advantage)
	out.Note = "the numbers that this advantage is made of are not all recorded (docs/credit.md)"
	return out
}

// half is the value that package systems/malt takes messages apart by: as many right leaves below one as wrong ones.
const half = 0.5

// compared is one formula over one group, if it gives the advantage.
func compared(mode string, normalize bool, ret, advantage float64, g Group) (Formula, bool) {
	f := Formula{Name: "advantage", Exact: true}
	base, symbol := 0.0, ""
	switch mode {
	case "magrpo":
		base, symbol = mean(g.Values), "mean(R)"
	case "maremax":
		if len(g.Values) == 0 {
			return f, false
		}
		base, symbol = slices.Max(g.Values), "max(R)"
	case "marloo":
		if len(g.Values) < 2 || g.Own < 0 {
			return f, false
		}
		base, symbol = mean(slices.Delete(slices.Clone(g.Values), g.Own, g.Own+1)), "mean(R of the others)"
	}
	value := ret - base
	f.Formula, f.Filled = "A = R − "+symbol, number(advantage)+" = "+number(ret)+" − "+signed(base)
	if symbol == "" {
		f.Formula, f.Filled = "A = R", number(advantage)+" = "+number(ret)
	} else {
		f.Terms = []Term{{symbol, "of " + g.What + ": " + list(g.Values), base}}
	}
	if normalize {
		f, value = divided(ret, advantage, g, deviation(g.Values), "their standard deviation", least(mode, len(g.Values)))
	}
	return f, near(value, advantage)
}

// sampled is the distance from the mean divided by the standard deviation with divisor n−1.
func sampled(ret, advantage float64, g Group) (Formula, bool) {
	n := float64(len(g.Values))
	if n < 2 {
		return Formula{}, false
	}
	f, value := divided(ret, advantage, g, deviation(g.Values)*math.Sqrt(n/(n-1)), "their standard deviation, divisor n−1", leastSpread)
	return f, near(value, advantage)
}

// leastSpread is what package credit divides by at least.
const leastSpread = 1e-6

// least is that bound for returns. marloo divides its distances from the others' mean, which are n/(n−1) times those from the mean.
func least(mode string, n int) float64 {
	if mode == "marloo" {
		return leastSpread * float64(n-1) / float64(n)
	}
	return leastSpread
}

func divided(ret, advantage float64, g Group, std float64, what string, least float64) (Formula, float64) {
	m := mean(g.Values)
	f := Formula{
		Name: "advantage", Exact: true, Formula: "A = (R − mean(R)) / σ",
		Filled: number(advantage) + " = (" + number(ret) + " − " + signed(m) + ") / " + number(std),
		Terms:  []Term{{"mean(R)", "of " + g.What + ": " + list(g.Values), m}, {"σ", what, std}},
	}
	return f, (ret - m) / max(std, least)
}

// deviation is the population's.
func deviation(x []float64) float64 {
	m, sum := mean(x), 0.0
	for _, v := range x {
		sum += (v - m) * (v - m)
	}
	if len(x) == 0 {
		return 0
	}
	return math.Sqrt(sum / float64(len(x)))
}

// Answers names a group of answers.
func Answers(n int, of string) string { return "the " + strconv.Itoa(n) + " " + of }
