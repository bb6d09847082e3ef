package train

import (
	"context"

	"parley/runs/verify"
	"parley/task/answer"
	"parley/train/measure"
	"parley/train/passrate"
	"parley/train/provenance"
	"parley/train/record"
	"parley/train/report"
)

// results puts all measurements into the report. An error says that the report would contradict itself.
func (r *runner) results() error {
	systems := []*measure.Measurement{r.before}
	if r.after != r.before {
		systems = append(systems, r.after)
	}
	systems = append(systems, r.baselines...)
	if err := measure.Tables(&r.report, r.after, systems, answer.Invalid(r.recipe.Eval.Invalid), r.recipe.Seed); err != nil {
		return err
	}
	for of, list := range [][]*measure.Measurement{systems, r.alone, r.samples} {
		for _, m := range list {
			report.Unscored(&r.report, m.System+[]string{"", " without history", " sampled often"}[of], m.Reasons())
		}
	}
	for _, m := range r.alone {
		r.report.WithoutHistory = append(r.report.WithoutHistory, measure.WithoutHistory(m, r.recipe.Seed))
	}
	for _, m := range r.samples {
		r.report.PassAt = append(r.report.PassAt, measure.PassAt(m, r.recipe.Eval.PassAt, r.recipe.Seed)...)
		r.report.PassHat = append(r.report.PassHat, measure.PassHat(m, r.recipe.Eval.PassHat, r.recipe.Seed)...)
		r.report.AccuracyAt = append(r.report.AccuracyAt, measure.AccuracyAt(m, r.recipe.Eval.AccuracyAt, r.recipe.Seed)...)
	}
	var err error
	r.report.Gain, err = measure.Gain(r.after, r.before)
	return err
}

// text is what a user reads at the end of a run.
func (r *runner) text() string { return report.Text(r.report, r.reportContext()) }

// reportContext is what the report tells beside its numbers.
func (r *runner) reportContext() report.Context {
	c := report.Context{Speakers: record.Speakers(r.recipe), Before: r.before.Examples, Watched: r.diagnosis != nil, Full: r.recipe.Policies.Full}
	if c.Trained = r.after != r.before; c.Trained {
		c.After = r.after.Examples
	}
	if r.run != nil {
		c.Dir = r.run.Dir()
	}
	return c
}

// Verify looks whether the run in Options.Dir is still what it was, and learns an update of it again; 0 is the last one that can be. See
// [provenance.Verifier]. Nothing is written.
func Verify(ctx context.Context, o Options, update int) (*verify.Verdict, error) {
	if err := o.trusted(); err != nil {
		return nil, err
	}
	v := provenance.Verifier{Language: o.Language, Backend: o.Backend, Version: o.Version, Update: update, Keep: passrate.KeepKnown, Moved: o.Moved}
	return v.Verify(ctx, o.Dir)
}
