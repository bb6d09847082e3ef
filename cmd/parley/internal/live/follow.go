package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"parley/cmd/parley/internal/cli"
	"parley/rl/rollout"
	"parley/runs"
	"parley/train"
	"parley/train/record"
	"parley/viewer/episodes"
)

// Follow shows the progress of a run that another process trains, until it ends. It reads the run's folder and disturbs nothing.
func Follow(a *cli.App, dir string, every time.Duration) (runs.Summary, error) {
	ctx, view := watch(a, true)
	defer view.close()
	f := follower{dir: dir, view: view}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		s, err := f.look()
		if err != nil || s.State != runs.Running {
			return s, err
		}
		select {
		case <-ctx.Done():
			return s, context.Canceled
		case <-tick.C:
		}
	}
}

// A follower knows what it has shown of a run.
type follower struct {
	dir     string
	view    view
	team    episodes.Team
	planned int
	seen    int // update
	begun   bool
	seconds []float64 // of the last updates
}

// look shows what is new.
func (f *follower) look() (runs.Summary, error) {
	s, err := runs.Summarise(f.dir)
	if err != nil {
		return s, err
	}
	if !f.begun {
		f.begin(s)
	}
	if s.Updates < f.seen { // it went back to a checkpoint
		f.view.observe(train.Event{Kind: train.Note, Message: fmt.Sprintf("the run goes on after update %d", s.Updates)})
		f.seen = s.Updates
	}
	if s.Updates > f.seen {
		return s, f.updates()
	}
	return s, nil
}

func (f *follower) begin(s runs.Summary) {
	f.begun = true
	if meta, err := runs.Read(f.dir); err == nil {
		if r, err := record.Flatten(meta.Recipe); err == nil {
			f.team, f.planned = episodes.TeamOf(r), int(r.Number("training.updates", 0))
		}
		if meta.MaxUpdates != nil {
			f.planned = *meta.MaxUpdates
		}
	}
	f.view.observe(train.Event{Kind: train.Started, Message: s.Recipe, Dir: f.dir})
	f.view.observe(train.Event{Kind: train.Training, Phase: "team", Updates: f.planned})
}

// updates shows the updates that were not shown. The first time a live view gets all of them, for its curves.
func (f *follower) updates() error {
	timings := map[int]*train.Timing{}
	err := runs.ReadLines(f.dir, "timing.jsonl", func(line []byte) error {
		var t train.Timing
		if update, ok := runs.UpdateOf(line); ok && json.Unmarshal(line, &t) == nil {
			timings[update] = &t
		}
		return nil
	})
	return errors.Join(err, runs.ReadLines(f.dir, "metrics.jsonl", func(line []byte) error {
		update, ok := runs.UpdateOf(line)
		if !ok || update <= f.seen {
			return nil
		}
		var m train.Metrics
		if err := json.Unmarshal(line, &m); err != nil {
			return fmt.Errorf("%s: update %d: %w", filepath.Join(f.dir, "metrics.jsonl"), update, err)
		}
		f.seen = update
		e := train.Event{Kind: train.Updated, Phase: "team", Update: update, Updates: max(f.planned, update), Metrics: &m, Timing: timings[update], Example: f.example(update)}
		if e.Timing != nil {
			e.Left = f.left(update, e.Timing.Seconds)
		}
		f.view.observe(e)
		return nil
	}))
}

// recent is how many updates say how long the next ones take.
const recent = 10

func (f *follower) left(update int, seconds float64) time.Duration {
	if f.seconds = append(f.seconds, seconds); len(f.seconds) > recent {
		f.seconds = slices.Delete(f.seconds, 0, 1)
	}
	sum := 0.0
	for _, s := range f.seconds {
		sum += s
	}
	return time.Duration(sum / float64(len(f.seconds)) * float64(max(f.planned-update, 0)) * float64(time.Second))
}

var errOne = errors.New("one is enough")

// example is the first dialogue of an update; nil: it cannot be read.
func (f *follower) example(update int) *runs.Dialogue {
	var out *runs.Dialogue
	_ = runs.ReadEpisodes(f.dir, update, func(line []byte) error { // what is damaged shows no dialogue
		e, err := rollout.ReadEpisode(line)
		if err != nil {
			return err
		}
		out = &runs.Dialogue{Question: e.Problem.Question, Truth: e.Problem.Truth}
		for _, l := range episodes.Lines(e, f.team) {
			out.Lines = append(out.Lines, runs.Answer{
				Turn: l.Turn + 1, Agent: l.Agent + 1, Name: l.Name, Text: l.Text, Reward: l.Reward, Correct: l.Correct != nil && *l.Correct,
			})
		}
		return errOne
	})
	return out
}

// Watched does some work of package train with its progress on stderr. When the reader of stderr has gone, the work ends as at ^C: a process
// that writes to a closed pipe would otherwise be killed in the middle of it.
func Watched(a *cli.App, do func(context.Context, train.Options) (*train.Result, error), o train.Options) (*train.Result, error) {
	if o.Recipe != nil {
		for _, w := range o.Recipe.Warnings() {
			a.Say("warning:", w)
			a.Tell(told(train.Event{Kind: train.Warning, Message: w}))
		}
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // writing returns an error instead, also when the last message is written
	ctx, view := watch(a, false)
	defer view.close()
	o.Observe = func(e train.Event) {
		view.observe(e)
		a.Tell(told(e))
	}
	return do(ctx, o)
}

// told is an event with what a log says of it.
func told(e train.Event) train.Event {
	e.Line = describe(e)
	return e
}
