package train

import (
	"context"
	"encoding/json"
	"fmt"

	"parley/internal/sysmem"
	"parley/recipe"
	"parley/runs"
	"parley/train/failures"
	"parley/train/lineup"
	"parley/train/measure"
	"parley/train/passrate"
	"parley/train/progress"
	"parley/train/report"
)

// A job is one call of Run.
type job struct {
	options Options
	news    *newsroom // nil: nobody hears of work that goes on
	recipe  *recipe.Recipe
	run     *runs.Run
	report  runs.Report
	before  *measure.Measurement
	after   *measure.Measurement
	rates   passrate.Rates

	baselines []*measure.Measurement
	alone     []*measure.Measurement // of policies that answer without history; empty: not asked for
	samples   []*measure.Measurement // of policies that answer often; empty: not asked for
	problems  []string               // ids of the held-out ones
	solo      *measure.Measurement   // of one model, its answers scored as the team's are; nil: none
	changes   []runs.Change          // of what decides the numbers
	diagnosis *runs.Diagnosis        // of the team's training; nil: nothing was trained
}

// do takes the lineup over and closes it.
func (j *job) do(ctx context.Context, l lineup.Lineup) (*Result, error) {
	closed := false
	closeLineup := func() {
		if !closed {
			closed = true
			_ = l.Close() // its results have been taken
		}
	}
	defer closeLineup()
	measured, err := l.Measured()
	if err != nil {
		return nil, err
	}
	if err := j.team(ctx, l, measured); err != nil {
		return nil, err
	}
	if err := j.furtherSystems(ctx, measured); err != nil {
		return nil, err
	}
	closeLineup()
	if err := j.trainedSingle(ctx); err != nil {
		return nil, err
	}
	return j.finish()
}

// team measures the untrained team, trains it, exports its adapters and measures it again.
func (j *job) team(ctx context.Context, l, measured lineup.Lineup) error {
	l.Watch = j.news.drawn
	var err error
	if j.rates, err = passrate.Measure(ctx, l, measured, j.run, j.options.note); err != nil {
		return err
	}
	if err := j.rates.Keep(l, j.options.note); err != nil {
		return err
	}
	training, err := newLoop(ctx, l, j.run, progress.Team, j.options.Observe)
	if err != nil {
		return err
	}
	training.timeline.Learned = j.news.learned
	if j.before, err = j.measureTeam(ctx, measured, runs.OffTheShelf, 0, false); err != nil {
		return err
	}
	if err := training.train(ctx, j.updates()); err != nil {
		return err
	}
	j.report = j.newReport(measured)
	j.report.Updates, j.report.GeneratedTokens = training.done, training.tokens
	j.report.PredictedMemory, j.report.PeakMemory = int64(l.Memory.Need.Total()), sysmem.Peak()
	j.diagnosis = training.diagnosis()
	for _, p := range l.HeldOut {
		j.problems = append(j.problems, p.ID)
	}
	if j.report.TrainSeconds, err = trainSeconds(j.run.Dir()); err != nil {
		return err
	}
	if j.report.Failed, j.report.FailedReasons, err = failures.Total(j.run.Dir()); err != nil {
		return err
	}
	if err := j.run.WriteDir("adapters", func(dir string) error { return l.Save(context.WithoutCancel(ctx), dir, l.Policies()) }); err != nil {
		return err
	}
	j.after, err = j.measureTeam(ctx, measured, runs.Trained, training.done, true)
	tell(j.options.Observe, l.EngineNotes())
	return err
}

// updates is how many updates this call trains up to.
func (j *job) updates() int {
	if n := j.options.MaxUpdates; n >= 0 {
		return min(n, j.recipe.Training.Updates)
	}
	return j.recipe.Training.Updates
}

// metric is what a score of a recipe is.
func metric(r *recipe.Recipe) string {
	if r.Reward.Joint() {
		return "return"
	}
	return "accuracy"
}

// trainSeconds adds up the updates of a run, those before an interruption too.
func trainSeconds(dir string) (float64, error) {
	sum := 0.0
	err := runs.ReadLines(dir, "timing.jsonl", func(data []byte) error {
		var t Timing
		err := json.Unmarshal(data, &t)
		sum += t.Seconds
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("add up training time: %w", err)
	}
	return sum, nil
}

// newReport is the report before anything is measured.
func (j *job) newReport(l lineup.Lineup) runs.Report {
	return runs.Report{
		Recipe: j.recipe.Name, Task: l.Task.Name(), Metric: metric(l.Recipe), Problems: len(l.HeldOut), Overlap: l.Overlap(), Seed: j.recipe.Seed,
		ProblemsSHA256: measure.Fingerprint(l.HeldOut), Ruler: measure.Ruler(l.Recipe), Changes: j.changes,
	}
}

// finish writes the report.
func (j *job) finish() (*Result, error) {
	if err := j.results(); err != nil {
		return nil, err
	}
	if err := j.diagnose(); err != nil {
		return nil, err
	}
	text := j.text()
	drawn, err := j.figures()
	if err != nil {
		return nil, err
	}
	markdown := report.Markdown(j.report, j.reportContext(), drawn)
	drawn["report.csv"] = report.CSV(j.report)
	if err := j.run.WriteReport(j.report, markdown, drawn); err != nil {
		return nil, err
	}
	return &Result{Dir: j.run.Dir(), Report: j.report, Text: text}, nil
}
