package studycmd

import (
	"encoding/json"
	"maps"
	"slices"

	"parley/internal/seed"
	"parley/train/study"
)

// A drawn run has a row and is done again.
type drawn struct {
	run study.Run
	was study.Row
}

// draw chooses n finished runs of a plan by a seed, or all of them, and says of how many. A larger n has those of a smaller one first.
func draw(plan *study.Plan, rows []study.Row, n, root int) (list []drawn, of int) {
	for _, row := range rows {
		i := slices.IndexFunc(plan.Runs, func(r study.Run) bool { return r.Cell == row.Cell && r.Seed == row.Seed })
		if i >= 0 && row.Failed == "" {
			list = append(list, drawn{plan.Runs[i], row})
		}
	}
	of = len(list)
	seed.Stream(seed.Derive(uint64(root), "study verify")).Shuffle(of, func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:min(n, of)], of
}

// ofMachine are the fields of a row that time, memory and the machine decide.
var ofMachine = []string{"metrics.seconds", "metrics.memory", "kernels", "processor_seconds"}

// A difference is a value of a row that the same run has another of now. An empty one is not there.
type difference struct {
	Field string `json:"field"`
	Was   string `json:"was"` // as the row has it, in JSON
	Now   string `json:"now"`
}

// differences compares the rows of a run, less what the machine decides. Of a run that failed they say why.
func differences(was, now study.Row) (list []difference) {
	a, b := fields(was), fields(now)
	both := maps.Clone(a)
	maps.Copy(both, b)
	for _, name := range slices.Sorted(maps.Keys(both)) {
		if a[name] != b[name] && !slices.Contains(ofMachine, name) && (now.Failed == "" || name == "failed") {
			list = append(list, difference{name, a[name], b[name]})
		}
	}
	return list
}

// fields are the values of an encoded row by their names.
func fields(r study.Row) map[string]string {
	list := map[string]string{}
	var add func(prefix string, data []byte)
	add = func(prefix string, data []byte) {
		var values map[string]json.RawMessage
		_ = json.Unmarshal(data, &values)
		for name, value := range values {
			if list[prefix+name] = string(value); value[0] == '{' {
				delete(list, prefix+name)
				add(prefix+name+".", value)
			}
		}
	}
	line, _ := study.Encode([]study.Row{r})
	add("", line)
	return list
}
