package classeval

import "fmt"

// A Gate names the check that decided a reward of the October 2025 generation before its levels were looked at.
type Gate string

const (
	GateNone       Gate = ""
	GateEmptyAgent Gate = "empty_agent" // an agent picked nothing: −2
	GateCoverage   Gate = "coverage"    // fewer than 35 % of the methods covered: −1
	GateTooMany    Gate = "too_many"    // more than 2V + 2 picks: −1
)

// ScoreOctober2025 returns the reward of the version of 2025-10-08. methods is V, picks how many methods each agent picked,
// covered how many distinct methods were.
func ScoreOctober2025(methods int, picks []int, covered int) (float64, Levels, Gate, error) {
	if methods < 1 || len(picks) == 0 {
		return 0, Levels{}, GateNone, fmt.Errorf("score class: %d methods, %d agents", methods, len(picks))
	}
	v, total := float64(methods), 0
	for _, s := range picks {
		if s == 0 {
			return -2, Levels{}, GateEmptyAgent, nil
		}
		total += s
	}
	coverage := float64(covered) / v
	switch {
	case coverage < 0.35:
		return -1, Levels{}, GateCoverage, nil
	case total > 2*methods+2:
		return -1, Levels{}, GateTooMany, nil
	}
	l := Levels{Lv2: amount(v, float64(total)), Lv3: balance(v, picks)}
	if coverage >= 0.5 {
		l.Lv1 = 2 * coverage
	}
	return l.Sum(), l, GateNone, nil
}

// amount rewards a total number of picks S near V: 2 − 3(S−V)²/V² up to V, beyond it the parabola through (V, 2),
// (2V+1, −1) and (2V+2, −2).
func amount(v, s float64) float64 {
	if s <= v {
		return 2 - 3*(s-v)*(s-v)/(v*v)
	}
	x1, x2 := v+1, v+2 // abscissae relative to V, where the parabola is 2 + a·x + b·x²
	b := (-4/x2 + 3/x1) / (x2 - x1)
	a := -3/x1 - b*x1
	x := s - v
	return 2 + a*x + b*x*x
}

// balance rewards equal shares: 3.5·max(0, 1 − MSD/MSD_max) − 0.5 with the mean squared distance of the picks from V/N.
func balance(v float64, picks []int) float64 {
	n := float64(len(picks))
	msd := 0.0
	for _, s := range picks {
		d := float64(s) - v/n
		msd += d * d / n
	}
	worst := v * v * (1 - 1/n) / n
	if msd == 0 {
		return 3
	}
	if worst == 0 { // a single agent cannot share
		return -0.5
	}
	return 3.5*max(0, 1-msd/worst) - 0.5
}
