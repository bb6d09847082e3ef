package study

import (
	"encoding/json"
	"fmt"

	"parley/runs"
)

// Read takes the numbers of a finished run from its folder.
func Read(dir string, s *Study, run Run) (Row, error) {
	report, err := runs.ReadReport(dir)
	if err != nil {
		return Row{}, err
	}
	lines, err := updates(dir, s.Curve)
	if err != nil {
		return Row{}, err
	}
	row := Row{Cell: run.Cell, Seed: run.Seed, Tokens: report.GeneratedTokens, Updates: report.Updates, Metric: measureOf(report), Metrics: map[string]float64{}, Systems: map[string]float64{}}
	if len(report.ProblemsSHA256) >= 12 {
		row.Problems = report.ProblemsSHA256[:12]
	}
	if meta, err := runs.Read(dir); err == nil {
		row.Kernels = meta.Kernels
	}
	for _, name := range s.AllMetrics() {
		x, has, err := metric(name, report, lines)
		if err != nil {
			return Row{}, fmt.Errorf("%s: %w", dir, err)
		}
		if has {
			row.Metrics[name] = round(x, digits)
		}
	}
	for _, r := range report.Rows {
		if r.System != runs.Trained {
			row.Systems[r.System] = round(r.Score, digits)
		}
	}
	row.Curve = curve(lines)
	return row, nil
}

// An update is what a line of metrics.jsonl says.
type update struct {
	tokens   float64            // generated up to here, this update's too
	mean     float64            // return, of all agents
	overpaid float64            // by the verifier, of all turns
	verified bool               // there is a verifier
	curve    float64            // what is drawn
	drawn    bool               // there is such a number in this update
	schemes  map[string]float64 // shares of joint actions
}

// updates reads metrics.jsonl.
func updates(dir, drawn string) (list []update, err error) {
	all := 0.0
	err = runs.ReadLines(dir, "metrics.jsonl", func(data []byte) error {
		var m struct {
			Tokens   float64
			Reward   json.RawMessage
			Return   json.RawMessage
			Accuracy []float64
			Overpaid json.RawMessage
			Schemes  map[string]float64
			Play     map[string]float64
		}
		if err := json.Unmarshal(data, &m); err != nil {
			return fmt.Errorf("read metrics.jsonl: %w", err)
		}
		all += m.Tokens
		u := update{tokens: all, schemes: m.Schemes}
		if u.mean, u.drawn = average(m.Return); !u.drawn {
			u.mean, u.drawn = average(m.Reward)
		}
		u.overpaid, u.verified = average(m.Overpaid)
		u.curve = u.mean
		switch {
		case drawn == "none":
			u.drawn = false
		case drawn == "accuracy":
			if u.drawn = len(m.Accuracy) > 0; u.drawn {
				u.curve = m.Accuracy[len(m.Accuracy)-1]
			}
		case drawn == "overpaid":
			u.curve, u.drawn = u.overpaid, u.verified
		case drawn != "return":
			u.curve, u.drawn = m.Play[drawn[len("play."):]]
		}
		list = append(list, u)
		return nil
	})
	return list, err
}

// measureOf says what the scores of a report are: two measures have different words.
func measureOf(report runs.Report) string {
	by, _ := report.MeasuredBy()
	return by.String()
}
