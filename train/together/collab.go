package together

import (
	"bytes"
	"context"
	"encoding/json"

	"parley/runs"
	"parley/task/answer"
	"parley/train/measure"
	"parley/train/record"
	"parley/train/report"
)

// traces is the file of a run that says who wrote which token, a line a held-out problem.
const traces = "decoding.jsonl"

// together measures a team whose agents write one text, beside its baselines. There are no updates. Without a folder nothing is written.
func (j Job) together(ctx context.Context) (rep runs.Report, text string, err error) {
	l, err := j.Lineup.Measured()
	if err != nil {
		return rep, "", err
	}
	t, err := Open(ctx, l)
	if err != nil {
		return rep, "", err
	}
	for _, n := range t.Notes() {
		j.Note(n)
	}
	systems, texts, err := t.Measure(ctx, j.Note)
	if err != nil {
		return rep, "", err
	}
	rep = j.Report
	if err := measure.Tables(&rep, systems[0], systems, answer.Invalid(l.Recipe.Eval.Invalid), l.Recipe.Seed); err != nil {
		return rep, "", err
	}
	c := report.Context{Speakers: j.Speakers, Before: systems[0].Examples, Dir: j.Dir()}
	if j.Folder == nil {
		return rep, report.Text(rep, c), nil
	}
	return rep, report.Text(rep, c), j.keep(rep, c, texts)
}

// keep writes the report of a team that writes together, and its traces.
func (j Job) keep(rep runs.Report, c report.Context, texts []Written) error {
	drawn, err := record.Pictures(j.Lineup.Recipe, rep, c.Dir)
	if err != nil {
		return err
	}
	var lines bytes.Buffer
	enc := json.NewEncoder(&lines)
	enc.SetEscapeHTML(false)
	for _, w := range texts {
		if err := enc.Encode(w); err != nil {
			return err
		}
	}
	markdown := report.Markdown(rep, c, drawn)
	drawn["report.csv"], drawn[traces] = report.CSV(rep), lines.Bytes()
	return j.Folder.WriteReport(rep, markdown, drawn)
}
