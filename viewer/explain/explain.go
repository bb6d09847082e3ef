// Package explain says how the numbers of an answer came about: the formula of its reward and of its advantage with the numbers filled in.
//
// A run records what an answer earned and what it was reinforced with, and not which formula made it. So a formula is claimed only where it
// gives the recorded number: each candidate is computed again from what is recorded, the one that the recipe names first, and the first that
// agrees is shown. Where none does, the terms that are known are listed and nothing is claimed.
//
//	explain.go    a formula with its numbers
//	reward.go     what an answer earned: its share in the returns of joint actions, or its score; … or a critic's value
//	debate.go     … or the scores of a debate by the design, with incentives
//	advantage.go  what it was compared with: its group, as the algorithm has it
package explain

import (
	"math"
	"strconv"
	"strings"
)

// A Term is one number of a formula.
type Term struct {
	Symbol string  `json:"symbol"`
	What   string  `json:"what"`
	Value  float64 `json:"value"`
}

// A Formula is how a number came about.
type Formula struct {
	Name    string `json:"name"`    // reward, credit or advantage
	Formula string `json:"formula"` // in symbols
	Filled  string `json:"filled"`  // with the numbers
	Terms   []Term `json:"terms"`
	Exact   bool   `json:"exact"` // the formula gives the recorded number; false: it is not known how it came about
	Note    string `json:"note"`
}

// Settings are what a recipe says of credit.
type Settings struct {
	Algorithm string
	Baseline  string  // what answers are compared with, as credit.baseline names it
	Discount  float64 // over turns
	Alpha     float64 // weight of the team's reward beside the agent's own, where candidates are compared
	Normalize bool
	Whiten    bool // advantages of tokens (multi-agent PPO)
	Sign      bool // an episode that is also played without an agent earns 1 if it earned more than 0, else −1 (CCPO)
}

// near says that two numbers differ by rounding: those of a run went through 32 bits now and then.
func near(a, b float64) bool {
	return math.Abs(a-b) <= 1e-5*max(1, math.Abs(a), math.Abs(b))
}

// number writes a value for people, without noise in the last digits, or what rounding leaves of 0.
func number(x float64) string {
	if math.Abs(x) < 1e-12 {
		return "0"
	}
	return strings.Replace(strconv.FormatFloat(x, 'g', 4, 64), "-", "−", 1)
}

// signed writes a term that is subtracted, in brackets where it is negative.
func signed(x float64) string {
	if x < 0 {
		return "(" + number(x) + ")"
	}
	return number(x)
}

// list writes the first few numbers of a group.
func list(x []float64) string {
	parts := make([]string, 0, len(x))
	for i, v := range x {
		if i == 8 {
			parts = append(parts, "… "+strconv.Itoa(len(x))+" in all")
			break
		}
		parts = append(parts, number(v))
	}
	return strings.Join(parts, ", ")
}

func mean(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}
