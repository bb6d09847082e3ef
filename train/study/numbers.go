package study

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"parley/runs"
)

// metric is one number of a run: a word of the study's, or a place in the trained team's row; false: that row has no such number.
func metric(name string, report runs.Report, lines []update) (x float64, has bool, err error) {
	row, trained := report.Row(runs.Trained)
	if !trained {
		return 0, false, fmt.Errorf("its report has no row of the trained team")
	}
	switch name {
	case "score":
		return row.Score, true, nil
	case "gain":
		return report.Gain, true, nil
	case "seconds":
		return report.TrainSeconds, true, nil
	case "memory":
		return float64(report.PeakMemory) / (1 << 20), true, nil
	case "tokens":
		return float64(report.GeneratedTokens), true, nil
	case "updates":
		return float64(report.Updates), true, nil
	case "return":
		return late(lines, func(u update) float64 { return u.mean }), true, nil
	case "overpaid":
		return late(lines, func(u update) float64 { return u.overpaid }), lines[len(lines)-1].verified, nil
	}
	if scheme, of := strings.CutPrefix(name, "schemes."); of {
		return late(lines, func(u update) float64 { return u.schemes[scheme] }), lines[len(lines)-1].schemes != nil, nil
	}
	if word, k, of := strings.Cut(name, "_at."); of {
		x, has = atK(word, k, report)
		return x, has, nil
	}
	data, err := json.Marshal(row)
	if err != nil {
		return 0, false, fmt.Errorf("read its report: %w", err)
	}
	var at any
	if err := json.Unmarshal(data, &at); err != nil {
		return 0, false, fmt.Errorf("read its report: %w", err)
	}
	x, has = within(at, name)
	return x, has, nil
}

// atK is pass@k or accuracy@k of the trained team.
func atK(word, k string, report runs.Report) (x float64, has bool) {
	list := report.PassAt
	if word == "accuracy" {
		list = nil
		for _, a := range report.AccuracyAt {
			list = append(list, a.AtK)
		}
	}
	for _, a := range list {
		if a.System == runs.Trained && strconv.Itoa(a.K) == k {
			return a.Value, true
		}
	}
	return 0, false
}

// within finds the number at a place such as play.exploitability or per_turn.2; places of lists count from 1.
func within(at any, name string) (x float64, has bool) {
	for _, part := range strings.Split(name, ".") {
		switch v := at.(type) {
		case map[string]any:
			at = v[part]
		case []any:
			i, err := strconv.Atoi(part)
			if at = nil; err == nil && i >= 1 && i <= len(v) {
				at = v[i-1]
			}
		default:
			at = nil
		}
	}
	x, has = at.(float64)
	return x, has
}

// late is the mean of a number over the last fifth of the updates, at least one; 0: nothing was trained.
func late(lines []update, number func(update) float64) float64 {
	last := lines[len(lines)-(len(lines)+4)/5:]
	sum := 0.0
	for _, u := range last {
		sum += number(u)
	}
	return sum / float64(max(len(last), 1))
}

// curvePoints are how many points of a curve are kept, at most.
const curvePoints = 20

// curve are the points of a training: each the mean of as many updates, at the tokens generated up to the last of them.
func curve(lines []update) (points [][2]float64) {
	var drawn []update
	for _, u := range lines {
		if u.drawn {
			drawn = append(drawn, u)
		}
	}
	n := min(len(drawn), curvePoints)
	for k := range n {
		part := drawn[k*len(drawn)/n : (k+1)*len(drawn)/n]
		sum := 0.0
		for _, u := range part {
			sum += u.curve
		}
		points = append(points, [2]float64{part[len(part)-1].tokens, round(sum/float64(len(part)), 4)})
	}
	return points
}

// average is the mean of numbers by name or by place; false: there are none.
func average(data json.RawMessage) (float64, bool) {
	var byName map[string]float64
	var byPlace []float64
	if json.Unmarshal(data, &byName) != nil {
		_ = json.Unmarshal(data, &byPlace) // neither: there are none
	}
	sum, n := 0.0, 0
	for _, name := range slices.Sorted(maps.Keys(byName)) { // sums depend on their order
		byPlace = append(byPlace, byName[name])
	}
	for _, x := range byPlace {
		sum, n = sum+x, n+1
	}
	return sum / float64(max(n, 1)), n > 0
}
