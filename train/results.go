package train

import (
	"parley/eval"
	"parley/train/measure"
)

// results puts all measurements into the report. An error says that the report would contradict itself.
func (j *job) results() error {
	systems := []*measure.Measurement{j.before}
	if j.after != j.before {
		systems = append(systems, j.after)
	}
	systems = append(systems, j.baselines...)
	for _, m := range systems {
		row, err := measure.Row(m, eval.Invalid(j.recipe.Eval.Invalid), j.recipe.Seed)
		if err != nil {
			return err
		}
		j.report.Rows = append(j.report.Rows, row)
		if m != j.after {
			j.report.Comparisons = append(j.report.Comparisons, measure.Compare(j.after, m, j.recipe.Seed))
		}
	}
	for _, m := range j.alone {
		j.report.WithoutHistory = append(j.report.WithoutHistory, measure.WithoutHistory(m, j.recipe.Seed))
	}
	for _, m := range j.samples {
		j.report.PassAt = append(j.report.PassAt, measure.PassAt(m, j.recipe.Eval.PassAt, j.recipe.Seed)...)
		j.report.AccuracyAt = append(j.report.AccuracyAt, measure.AccuracyAt(m, j.recipe.Eval.AccuracyAt, j.recipe.Seed)...)
	}
	j.report.Gain = j.after.Score() - j.before.Score()
	return nil
}
