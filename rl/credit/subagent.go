package credit

import (
	"math"

	"parley/internal/tie"
)

// A MainRun is the outcome of one rollout of the main agent.
type MainRun struct{ Format, Correct float64 }

// A SubCall is one of the sub-agent.
type SubCall struct{ Format, Judge float64 }

// A CallRule is how a main agent and the sub-agent that it calls are rewarded and compared:
//
//	main   R = α1·format + α2·correct                         A = R − mean over the rollouts
//	sub    R = β1·format + β2·outcome of main + β3·judge      A = R − weighted mean over all calls of the group
//
// The released code differs: calls go through one queue in which eight neighbours are a group, so that groups mix problems, and nothing is aligned.
type CallRule struct {
	Published   bool       // the rewards of the released code; the weights then do not count
	A           [2]float64 // of the main agent's format and correctness
	B           [3]float64 // of a call's format, the outcome and the judge
	CorrectOnly bool       // the outcome is the main agent's correctness, not its reward
	Std         bool       // divide by the population deviation, plus Eps
	Eps         float64
}

// CreditedCalls are what a group of rollouts earned.
type CreditedCalls struct {
	Main, MainAdvantages []float64
	Sub, SubAdvantages   [][]float64 // per rollout; a call of weight 0 has the advantage 0 and takes no part
}

// Credit returns what the rollouts of a group and their calls earned. weights are those of the calls, from [WeighCalls] or [SampleCalls].
func (r CallRule) Credit(rollouts []MainRun, calls [][]SubCall, weights [][]float64) CreditedCalls {
	var c CreditedCalls
	for k, m := range rollouts {
		main := r.main(m)
		c.Main = append(c.Main, main)
		sub := make([]float64, len(calls[k]))
		for i, call := range calls[k] {
			sub[i] = r.sub(call, m, main)
		}
		c.Sub = append(c.Sub, sub)
	}
	ones := make([]float64, len(c.Main))
	for i := range ones {
		ones[i] = 1
	}
	c.MainAdvantages = CompareWeighed(c.Main, ones, r.spread())
	var values, weight []float64
	for k := range c.Sub {
		values, weight = append(values, c.Sub[k]...), append(weight, weights[k]...)
	}
	all := CompareWeighed(values, weight, r.spread())
	for k := range c.Sub {
		n := len(c.Sub[k])
		c.SubAdvantages, all = append(c.SubAdvantages, all[:n:n]), all[n:]
	}
	return c
}

// formed is what the released code gives for good format alone.
const formed = 0.1

func (r CallRule) main(m MainRun) float64 {
	switch {
	case !r.Published:
		return r.A[0]*m.Format + r.A[1]*m.Correct
	case m.Format == 0:
		return 0
	case m.Correct > 0:
		return 1
	}
	return formed
}

func (r CallRule) sub(c SubCall, m MainRun, main float64) float64 {
	outcome := main
	if r.CorrectOnly {
		outcome = m.Correct
	}
	switch {
	case !r.Published:
		return r.B[0]*c.Format + r.B[1]*outcome + r.B[2]*c.Judge
	case c.Format == 0:
		return 0
	case main == 1:
		return 1
	}
	return formed
}

func (r CallRule) spread() Spread {
	if !r.Std {
		return Spread{Std: StdNone}
	}
	return Spread{Std: StdPopulation, Divide: DivideAdd, Eps: r.Eps}
}

// CompareWeighed returns the values less their weighted mean, scaled by their weighted population deviation; 0 where fewer than two have a weight or all
// are one.
func CompareWeighed(values, weights []float64, s Spread) []float64 {
	out := make([]float64, len(values))
	var there []float64
	total, mean := 0.0, 0.0
	for i, v := range values {
		if weights[i] > 0 {
			there = append(there, v)
			total, mean = total+weights[i], mean+weights[i]*v
		}
	}
	if len(there) < 2 || tie.All(there, 0) {
		return out
	}
	mean /= total
	square := 0.0
	for i, v := range values {
		square += weights[i] * (v - mean) * (v - mean)
	}
	for i, v := range values {
		if weights[i] > 0 {
			out[i] = s.Scale(v-mean, math.Sqrt(square/total))
		}
	}
	return out
}
