package diagnose

import "fmt"

// JointActions describes a window of joint actions for [CheckCooperation].
type JointActions struct {
	Usable       [][]bool    // [agent][joint action] non-empty, with the required function or length
	Tokens       [][]float64 // [agent][joint action]
	AuxInfluence []bool      // [joint action] the first agent's part influences the outcome; nil where it is not measured
	Rewards      []float64   // [joint action]
	Max          float64     // of the reward
}

// CheckCooperation looks for agents that contribute nothing: at most half of an agent's responses usable, or less than
// 5 % of all tokens its own, or less than 10 % of joint actions influenced by the auxiliary part while the mean reward is at
// least half of the maximum.
func CheckCooperation(w JointActions) Finding {
	f := Finding{Kind: TrivialCooperation}
	all := 0.0 // tokens, of all agents
	for _, tokens := range w.Tokens {
		all += total(tokens)
	}
	for i := range max(len(w.Usable), len(w.Tokens)) {
		if i < len(w.Usable) && len(w.Usable[i]) > 0 {
			f.check(Check{Rule: fmt.Sprintf("agent%d:unusable", i), Agent: i + 1, Value: share(w.Usable[i]), Sense: AtMost, Threshold: 0.5}, where(w.Usable[i], false))
		}
		if i < len(w.Tokens) && all > 0 {
			f.check(Check{Rule: fmt.Sprintf("agent%d:token_share", i), Agent: i + 1, Value: total(w.Tokens[i]) / all, Sense: Below, Threshold: 0.05}, nil)
		}
	}
	if len(w.AuxInfluence) > 0 {
		c := Check{Rule: "aux_without_influence", Value: share(w.AuxInfluence), Sense: Below, Threshold: 0.1}
		f.checkIf(mean(w.Rewards) >= w.Max/2-slack, c, where(w.AuxInfluence, false))
	}
	return f
}

// CheckCascade looks for joint programs that fail although the main part is fine, because the auxiliary part is broken:
// at least 10 % of joint actions. Call it for syntax and for run time separately.
func CheckCascade(auxOK, mainOK, jointOK []bool) Finding {
	// A cascade: main ∧ ¬aux ∧ ¬joint.
	f := Finding{Kind: CascadingErrors}
	cascades := make([]bool, len(jointOK))
	for i := range cascades {
		cascades[i] = mainOK[i] && !auxOK[i] && !jointOK[i]
	}
	if len(cascades) > 0 {
		f.check(Check{Rule: "cascade_share", Value: share(cascades), Sense: AtLeast, Threshold: 0.1}, where(cascades, true))
	}
	return f
}

// total is the sum of x.
func total(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum
}

// share is the share of true values; x is not empty.
func share(x []bool) float64 { return float64(len(where(x, true))) / float64(len(x)) }

// where lists the indices at which x has the given value.
func where(x []bool, value bool) []int {
	var at []int
	for i, v := range x {
		if v == value {
			at = append(at, i)
		}
	}
	return at
}
