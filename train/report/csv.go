package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"parley/internal/table"
	"parley/runs"
)

// CSV is report.csv: a line for each row of a report, those of other measures last. A cell is empty where a system has no such number.
func CSV(r runs.Report) []byte {
	turns, parts, play, unscored := 0, map[string]bool{}, map[string]bool{}, false
	for _, row := range r.Rows {
		unscored = unscored || row.Unscored > 0
		turns = max(turns, len(row.PerTurn))
		for name := range row.Parts {
			parts[name] = true
		}
		for name := range row.Play {
			play[name] = true
		}
	}
	names, played := slices.Sorted(maps.Keys(parts)), slices.Sorted(maps.Keys(play))
	t := &table.Table{Head: csvHead(turns, names, played)}
	if unscored {
		t.Head = append(t.Head, "unscored")
	}
	rows := r.Rows
	metrics := slices.Repeat([]string{r.Metric}, len(rows))
	for a := r.Also; a != nil; a = a.Also {
		rows, metrics = append(slices.Clone(rows), a.Rows...), append(metrics, slices.Repeat([]string{a.Metric}, len(a.Rows))...)
	}
	for i, row := range rows {
		cells := []string{
			r.Recipe, r.Task, metrics[i], strconv.Itoa(r.Problems), seeds(r), row.Variant, row.System,
			exact(row.Score), exact(row.CI95[0]), exact(row.CI95[1]), exact(row.TokensPerProblem), exact(row.Latency),
		}
		for i := range turns {
			cells = append(cells, turnCells(row, i)...)
		}
		for _, name := range names {
			value, known := row.Parts[name]
			cells = append(cells, where(known, value))
		}
		for _, name := range played {
			value, known := row.Play[name]
			cells = append(cells, where(known, value))
		}
		if unscored {
			cells = append(cells, strconv.Itoa(row.Unscored))
		}
		t.Add(cells...)
	}
	return t.CSV()
}

func csvHead(turns int, parts, play []string) []string {
	head := []string{
		"recipe", "task", "metric", "problems", "seeds", "variant", "system",
		"score", "ci95_low", "ci95_high", "tokens_per_problem", "latency_tokens",
	}
	for i := range turns {
		name := fmt.Sprintf("turn_%d", i+1)
		head = append(head, name, name+"_ci95_low", name+"_ci95_high")
	}
	for _, name := range parts {
		head = append(head, "part_"+name)
	}
	for _, name := range play {
		head = append(head, "play_"+name)
	}
	return head
}

// turnCells are a system's score after a turn and its interval.
func turnCells(row runs.Row, turn int) []string {
	if turn >= len(row.PerTurn) {
		return []string{"", "", ""}
	}
	ci, known := row.TurnCI95(turn)
	return []string{exact(row.PerTurn[turn]), where(known, ci[0]), where(known, ci[1])}
}

// seeds are those of the runs behind a report, separated by spaces.
func seeds(r runs.Report) string {
	if len(r.Seeds) == 0 {
		return strconv.Itoa(r.Seed)
	}
	return strings.Trim(fmt.Sprint(r.Seeds), "[]")
}

// exact has as many digits as every processor agrees on.
func exact(x float64) string { return strconv.FormatFloat(x, 'g', 10, 64) }

func where(known bool, x float64) string {
	if !known {
		return ""
	}
	return exact(x)
}
