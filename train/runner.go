package train

import (
	"context"

	"parley/internal/sysmem"
	"parley/recipe"
	"parley/rl/eval"
	"parley/runs"
	"parley/runs/store"
	"parley/train/failures"
	"parley/train/kept"
	"parley/train/lineup"
	"parley/train/measure"
	"parley/train/passrate"
	"parley/train/progress"
	"parley/train/record"
	"parley/train/report"
	"parley/train/score"
)

// A runner is one call of Run.
type runner struct {
	options Options
	news    *progress.Newsroom // nil: progress is not reported
	recipe  *recipe.Recipe
	run     *runs.Run
	kept    *kept.Folder // of an evaluation; nil: nothing is kept
	report  runs.Report
	by      eval.Measure // of all systems
	before  *measure.Measurement
	after   *measure.Measurement
	rates   passrate.Rates

	baselines []*measure.Measurement
	alone     []*measure.Measurement // of policies that answer without history; empty: not asked for
	samples   []*measure.Measurement // of systems that are sampled often; empty: not asked for
	problems  []string               // ids of the held-out ones
	solo      *measure.Measurement   // of one model, its answers scored as the team's are; nil: none
	changes   []runs.Change          // of what decides the numbers
	diagnosis *store.Diagnosis       // of the team's training; nil: nothing was trained
}

// do takes the lineup over and closes it.
func (r *runner) do(ctx context.Context, l lineup.Lineup) (*Result, error) {
	closed := false
	closeLineup := func() {
		if !closed {
			closed = true
			_ = l.Close() // its results have been taken
		}
	}
	defer closeLineup()
	if r.recipe.AlgorithmType().Alone() {
		return r.byItself(ctx, l)
	}
	measured, err := l.Measured()
	if err != nil {
		return nil, err
	}
	r.by = measured.Scorer.Measure()
	if err := r.team(ctx, l, measured); err != nil {
		return nil, err
	}
	if err := r.furtherSystems(ctx, measured); err != nil {
		return nil, err
	}
	closeLineup()
	if err := r.trainedSingle(ctx); err != nil {
		return nil, err
	}
	return r.finish()
}

// team measures the untrained team, trains it, exports its adapters and measures it again.
func (r *runner) team(ctx context.Context, l, measured lineup.Lineup) error {
	l.Watch = r.news.Drawn
	var err error
	if r.rates, err = passrate.Measure(ctx, l, measured, r.run, r.options.note); err != nil {
		return err
	}
	if err := r.rates.Keep(l, r.options.note); err != nil {
		return err
	}
	training, err := newLoop(ctx, l, r.run, progress.Team, r.options)
	if err != nil {
		return err
	}
	training.timeline.Learned = r.news.Learned
	r.changes = r.run.Meta().Changes // restoring may have recorded a loss
	if r.before, err = r.measureTeam(ctx, measured, runs.OffTheShelf, 0, false); err != nil {
		return err
	}
	if training.panel, err = kept.NewPanel(r.run, measured, r.before, r.news.OnPanel); err != nil {
		return err
	}
	if err := training.train(ctx, r.updates()); err != nil {
		return err
	}
	said, err := training.lessons.Report(ctx, r.run)
	if err != nil {
		return err
	}
	progress.Tell(r.options.Observe, said)
	r.report = r.newReport(measured)
	r.report.Updates, r.report.GeneratedTokens = training.done, training.tokens
	r.report.PredictedMemory, r.report.PeakMemory = int64(l.Memory.Need.Total()), sysmem.Peak()
	r.diagnosis = training.diagnosis()
	for _, p := range l.HeldOut {
		r.problems = append(r.problems, p.ID)
	}
	if r.report.TrainSeconds, err = record.TrainSeconds(r.run.Dir()); err != nil {
		return err
	}
	failed, err := failures.Total(r.run.Dir())
	if err != nil {
		return err
	}
	r.report.Failed, r.report.FailedEpisodes, r.report.FailedReasons = failed.Problems, failed.Episodes, failed.Reasons
	if err := r.run.WriteDir("adapters", func(dir string) error { return l.Save(context.WithoutCancel(ctx), dir, l.Policies()) }); err != nil {
		return err
	}
	r.after, err = r.measureTeam(ctx, measured, runs.Trained, training.done, true)
	progress.Tell(r.options.Observe, l.EngineNotes())
	return err
}

// updates is how many updates this call trains up to.
func (r *runner) updates() int {
	if n := r.options.MaxUpdates; n >= 0 {
		return min(n, r.recipe.Training.Updates)
	}
	return r.recipe.Training.Updates
}

// newReport is the report before anything is measured.
func (r *runner) newReport(l lineup.Lineup) runs.Report {
	by := l.Scorer.Measure()
	return runs.Report{
		Recipe: r.recipe.Name, Task: l.Task.Name(), Metric: by.Name, Measure: &by, Problems: len(l.HeldOut), Overlap: l.Overlap(), Seed: r.recipe.Seed,
		ProblemsSHA256: score.Fingerprint(l.HeldOut), Ruler: score.Ruler(l.Recipe), Changes: r.changes,
	}
}

// finish writes the report.
func (r *runner) finish() (*Result, error) {
	if err := r.results(); err != nil {
		return nil, err
	}
	if err := r.diagnose(); err != nil {
		return nil, err
	}
	text := r.text()
	drawn, err := record.Pictures(r.recipe, r.report, r.run.Dir())
	if err != nil {
		return nil, err
	}
	markdown := report.Markdown(r.report, r.reportContext(), drawn)
	drawn["report.csv"] = report.CSV(r.report)
	if err := r.run.WriteReport(r.report, markdown, drawn); err != nil {
		return nil, err
	}
	return &Result{Dir: r.run.Dir(), Report: r.report, Text: text}, nil
}
