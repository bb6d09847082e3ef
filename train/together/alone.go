package together

// This file runs the systems that play by themselves: a run folder, metrics, checkpoints and a report as every training has them, around
// episodes on clocks of their own.
//
//	report, text, err := alone.Run(ctx, alone.Job{Lineup: l, Folder: run, Updates: 20, …})
//
//	read.go    ReAd (package systems/read)
//	mutual.go  a teacher and a student (package systems/mutual)
//	collab.go  agents who write one text together (package train/together): measured alone
//
// A run is a function of its recipe and seed, and one that was killed goes on from its last checkpoint as if nothing had been.

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"parley/rl/eval"
	"parley/runs"
	"parley/task/environment"
	"parley/train/lineup"
	"parley/train/record"
	"parley/train/report"
	"parley/train/timeline"
)

// A Job is a run to do.
type Job struct {
	Lineup     lineup.Lineup
	Folder     *runs.Run   // nil: nothing is written, of what is measured alone
	Updates    int         // to train up to
	AcceptLoss bool        // go on though something is gone that cannot be made again
	Report     runs.Report // what is known of it before
	Speakers   []report.Speaker
	Note       func(string)
	Updated    func(*record.Metrics, *record.Timing)
}

// Dir is the folder of the run; empty: it has none.
func (j Job) Dir() string {
	if j.Folder == nil {
		return ""
	}
	return j.Folder.Dir()
}

// A system is what a job trains.
type system interface {
	// update plays and learns; n counts from 0. It says how it went in numbers by name, and how many tokens were generated.
	update(ctx context.Context, n int) (numbers map[string]float64, tokens int, err error)
	// state is all that it goes on from, as JSON, but for policies; restore takes it back.
	state() any
	restore(state []byte) error
	// rows measure it on held-out problems, beside its baselines, the untrained one first.
	rows(ctx context.Context) ([]runs.Row, error)
}

// saved is the state of a checkpoint.
type saved struct {
	record.State
	System json.RawMessage `json:"system"`
}

// progress is how far a run is.
type progress struct{ updates, tokens int }

// world is a task that is an environment.
type world interface {
	World() environment.Environment
}

// open begins the system that the recipe names.
func open(l lineup.Lineup) (system, error) {
	w, acts := l.Task.(world)
	if !acts {
		return nil, fmt.Errorf("algorithm %s plays in an environment: set task.name to environment", l.Recipe.Algorithm)
	}
	if l.Recipe.Algorithm == "read" {
		return openRead(l, w.World())
	}
	return openMutual(l, w.World())
}

// Run trains, saves as it goes, measures and reports. text is what a user reads at the end.
func Run(ctx context.Context, j Job) (rep runs.Report, text string, err error) {
	if j.Lineup.Recipe.AlgorithmType().Decodes() {
		return j.together(ctx)
	}
	s, err := open(j.Lineup)
	if err != nil {
		return rep, "", err
	}
	done, err := j.train(ctx, s)
	if err != nil {
		return rep, "", err
	}
	err = j.Folder.WriteDir("adapters", func(dir string) error {
		return j.Lineup.Save(context.WithoutCancel(ctx), dir, j.Lineup.Policies())
	})
	if err != nil {
		return rep, "", err
	}
	rep = j.Report
	by := eval.Success()
	rep.Metric, rep.Measure, rep.Updates, rep.GeneratedTokens = by.Name, &by, done.updates, done.tokens
	if rep.Rows, err = s.rows(ctx); err != nil {
		return rep, "", err
	}
	rep.Gain = rep.Rows[len(rep.Rows)-1].Score - rep.Rows[0].Score
	text, err = j.report(rep)
	return rep, text, err
}

// report writes the report of a run.
func (j Job) report(rep runs.Report) (text string, err error) {
	drawn, err := record.Pictures(j.Lineup.Recipe, rep, j.Folder.Dir())
	if err != nil {
		return "", err
	}
	c := report.Context{Speakers: j.Speakers, Trained: true, Dir: j.Folder.Dir()}
	drawn["report.csv"] = report.CSV(rep)
	return report.Text(rep, c), j.Folder.WriteReport(rep, report.Markdown(rep, c, drawn), drawn)
}

// train does the updates that are left.
func (j Job) train(ctx context.Context, s system) (done progress, err error) {
	if err := j.Lineup.AddPolicies(ctx); err != nil {
		return done, err
	}
	if err := j.restore(ctx, s, &done); err != nil {
		return done, err
	}
	clock := timeline.New(time.Now)
	for done.updates < j.Updates {
		if err := j.update(ctx, s, &done, clock); err != nil {
			return done, fmt.Errorf("update %d: %w", done.updates+1, err)
		}
	}
	return done, nil
}

// restore goes back to the newest checkpoint.
func (j Job) restore(ctx context.Context, s system, done *progress) error {
	load := func(dir string, text []byte) error {
		var at saved
		if err := json.Unmarshal(text, &at); err != nil {
			return fmt.Errorf("state of the checkpoint: %w", err)
		}
		if err := j.Lineup.Load(ctx, dir, j.Lineup.Kept()); err != nil {
			return err
		}
		done.updates, done.tokens = at.Updates, at.Tokens
		return s.restore(at.System)
	}
	_, notes, err := j.Folder.Restore(runs.Restoring{Load: load, Every: j.Lineup.Recipe.Training.Checkpoint, AcceptLoss: j.AcceptLoss})
	for _, n := range notes {
		j.Note(n)
	}
	return err
}

// update plays one update, writes its numbers, and saves a checkpoint where one falls on it.
func (j Job) update(ctx context.Context, s system, done *progress, clock *timeline.Timeline) error {
	m := &record.Metrics{Update: done.updates + 1, Problems: j.Lineup.Recipe.Training.Problems}
	clock.Begin(m.Update)
	numbers, tokens, err := s.update(ctx, done.updates)
	if err != nil {
		return err
	}
	m.Play, m.Tokens = numbers, tokens
	clock.Enter(timeline.Save)
	if err := j.Folder.WriteEpisodes(m.Update, func(func(any) error) error { return nil }); err != nil {
		return err
	}
	if err := j.Folder.AppendMetrics(m.Update, m); err != nil {
		return err
	}
	done.updates, done.tokens = m.Update, done.tokens+tokens
	if t := j.Lineup.Recipe.Training; done.updates%t.Checkpoint == 0 || done.updates == t.Updates {
		if err := j.checkpoint(ctx, s, m, *done, clock); err != nil {
			return err
		}
	}
	spans := clock.End()
	timing := record.NewTiming(m, spans)
	j.Updated(m, timing)
	if err := j.Folder.AppendTiming(timing); err != nil {
		return err
	}
	return j.Folder.AppendTrace(m.Update, spans)
}

// checkpoint saves everything that the run goes on from.
func (j Job) checkpoint(ctx context.Context, s system, m *record.Metrics, done progress, clock *timeline.Timeline) error {
	spans := clock.SoFar()
	if err := j.Folder.Cost(record.NewTiming(m, spans), spans); err != nil {
		return err
	}
	text, err := json.Marshal(s.state())
	if err != nil {
		return err
	}
	at := saved{State: record.State{Updates: done.updates, Tokens: done.tokens}, System: text}
	return j.Folder.Checkpoint(done.updates, at, func(dir string) error {
		return j.Lineup.Save(context.WithoutCancel(ctx), dir, j.Lineup.Kept())
	})
}
