package compare

import (
	"encoding/json"
	"fmt"

	"parley/runs"
)

// MeanRow is the row whose numbers are the means of those of rows, which are one system's results in several runs. A number that
// some of the rows lack is the mean of the others.
func MeanRow(rows []runs.Row) (runs.Row, error) {
	var mean runs.Row
	trees := make([]any, len(rows))
	for i, row := range rows {
		data, err := json.Marshal(row)
		if err == nil {
			err = json.Unmarshal(data, &trees[i])
		}
		if err != nil {
			return mean, fmt.Errorf("mean of rows: %w", err)
		}
	}
	data, err := json.Marshal(meanTree(trees))
	if err == nil {
		err = json.Unmarshal(data, &mean)
	}
	if err != nil {
		return mean, fmt.Errorf("mean of rows: %w", err)
	}
	return mean, nil
}

// meanTree goes through JSON values of one form together. Numbers become their mean; all other values are taken from
// the first.
func meanTree(trees []any) any {
	switch first := trees[0].(type) {
	case float64:
		sum := 0.0
		for _, t := range trees {
			sum += t.(float64)
		}
		return sum / float64(len(trees))
	case []any:
		longest := len(first)
		for _, t := range trees {
			longest = max(longest, len(t.([]any)))
		}
		out := make([]any, longest)
		for i := range out {
			out[i] = meanTree(gather(trees, func(t any) (any, bool) {
				list := t.([]any)
				return at(list, i)
			}))
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for _, t := range trees {
			for key := range t.(map[string]any) {
				if _, done := out[key]; !done {
					out[key] = meanTree(gather(trees, func(t any) (any, bool) { v, ok := t.(map[string]any)[key]; return v, ok }))
				}
			}
		}
		return out
	}
	return trees[0]
}

func at(list []any, i int) (any, bool) {
	if i < len(list) {
		return list[i], true
	}
	return nil, false
}

// gather collects a part of every tree that has it.
func gather(trees []any, part func(any) (any, bool)) []any {
	var out []any
	for _, t := range trees {
		if v, ok := part(t); ok {
			out = append(out, v)
		}
	}
	return out
}
