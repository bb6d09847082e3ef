package diagnose

import (
	"fmt"

	"parley/internal/tie"
)

// CheckTurns looks for turns (from the second) whose mean reward lies more than 5 % of the maximum below that of the
// first. turnRewards is [episode][turn]; episodes that ended early are shorter.
func CheckTurns(turnRewards [][]float64, maximum float64) Finding {
	f := Finding{Kind: FeedbackInstability}
	byTurn := transpose(turnRewards)
	for t := 1; t < len(byTurn); t++ {
		change := mean(byTurn[t]) - mean(byTurn[0])
		f.check(Check{Rule: fmt.Sprintf("turn%d:drop", t+1), Value: change, Sense: Below, Threshold: -0.05 * maximum}, below(turnRewards, t, maximum))
	}
	return f
}

// CheckSwitch compares the rewards before and after feedback or turns were switched on: the mean fell by more than 10 %
// of the maximum, or the standard deviation more than doubled.
func CheckSwitch(before, after []float64, maximum float64) Finding {
	f := Finding{Kind: FeedbackInstability}
	f.check(Check{Rule: "switch:drop", Value: mean(before) - mean(after), Sense: Above, Threshold: 0.1 * maximum}, nil)
	f.check(Check{Rule: "switch:variance", Value: populationStd(after), Sense: Above, Threshold: 2 * populationStd(before)}, nil)
	return f
}

// transpose gives the rewards of every turn, [turn][episode that played it].
func transpose(rows [][]float64) [][]float64 {
	var columns [][]float64
	for _, row := range rows {
		for t, v := range row {
			if t == len(columns) {
				columns = append(columns, nil)
			}
			columns[t] = append(columns[t], v)
		}
	}
	return columns
}

// below lists the episodes whose reward in turn t lies below that of their first turn.
func below(turnRewards [][]float64, t int, maximum float64) []int {
	var at []int
	for i, r := range turnRewards {
		if t < len(r) && tie.Above(r[0], r[t], maximum) {
			at = append(at, i)
		}
	}
	return at
}
