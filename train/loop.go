package train

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"time"

	"parley/recipe"
	"parley/rl/learn"
	"parley/rl/rollout/keep"
	"parley/runs"
	"parley/runs/diagnose"
	"parley/train/failures"
	"parley/train/kept"
	"parley/train/lessons"
	"parley/train/lineup"
	"parley/train/measure"
	"parley/train/progress"
	"parley/train/provenance"
	"parley/train/record"
	"parley/train/timeline"
)

// A loop trains the policies of one team and keeps the run folder in step.
type loop struct {
	team     lineup.Lineup
	learner  learn.Learner
	run      *runs.Run
	steps    learn.StepCounts
	tops     learn.StepCounts
	done     int // updates
	tokens   int // generated in training so far
	phase    string
	observe  func(Event)
	timeline *timeline.Timeline
	// saidSplit says that the run was told of split calls.
	saidSplit bool
	watch     *diagnose.Watch
	config    learn.Config     // of the learner
	lessons   *lessons.Lessons // nil: agents speak
	ahead     keep.Ahead
	failures  failures.Teller
	rivals    failures.RivalTeller
	panel     *kept.Panel // nil: nothing is measured on the way
}

// newLoop adds the policies and restores the newest good checkpoint of the run, if there is one.
func newLoop(ctx context.Context, s lineup.Lineup, run *runs.Run, phase string, o Options) (*loop, error) {
	observe := o.Observe
	l := &loop{team: s, run: run, phase: phase, observe: observe, timeline: timeline.New(time.Now), watch: watchOf(s)}
	if phase == progress.Team {
		progress.Track(ctx, run, s.Recipe, func(note string) { observe(Event{Kind: Note, Phase: phase, Message: note}) })
	}
	t := s.Recipe.Training
	l.ahead = keep.Ahead{Ahead: t.Async > 0, Updates: t.Updates, Play: l.rollout, Pin: s.Pin}
	if err := s.AddPolicies(ctx); err != nil {
		return nil, err
	}
	runner := l.timeline.Runner(s.Rollout())
	for _, b := range s.Bases {
		l.timeline.Watch(b.Asked)
	}
	c := s.Learning(runner.Actors)
	c.Recall = provenance.Recall(s, run.Dir())
	l.steps, l.tops = c.Steps, c.Tops
	var err error
	l.config = c
	if l.learner, err = l.team.Recipe.AlgorithmType().New(c); err != nil {
		return nil, err
	}
	if l.lessons, err = lessons.Of(ctx, s, run, o.note); err != nil {
		return nil, err
	}
	return l, l.restore(ctx, o.AcceptLoss)
}

func (l *loop) restore(ctx context.Context, acceptLoss bool) error {
	load := func(dir string, text []byte) error {
		st, err := record.ReadState(text)
		if err != nil {
			return fmt.Errorf("state of the checkpoint: %w", err)
		}
		if err := l.team.Load(ctx, dir, l.team.Kept()); err != nil {
			return err
		}
		l.done, l.tokens = st.Updates, st.Tokens
		clear(l.steps)
		maps.Copy(l.steps, st.Steps)
		clear(l.tops)
		maps.Copy(l.tops, st.Tops)
		if st.Watch != nil {
			l.watch.State = *st.Watch
		}
		if err := st.Give(l.learner); err != nil {
			return err
		}
		if err := l.ahead.Load(dir); err != nil {
			return err
		}
		if st.Harness != nil && l.team.Harness != nil {
			if err := l.team.Harness.GoOn(l.done+1, st.Harness); err != nil {
				return err
			}
		}
		return l.team.LoadSpent(dir)
	}
	_, notes, err := l.run.Restore(runs.Restoring{Load: load, Every: l.team.Recipe.Training.Checkpoint, AcceptLoss: acceptLoss})
	for _, n := range notes {
		l.observe(Event{Kind: Note, Phase: l.phase, Message: n})
	}
	return err
}

// train goes on until so many updates are done, or the recipe's tokens are spent.
func (l *loop) train(ctx context.Context, until int) error {
	began, from := time.Now(), l.done
	l.observe(Event{Kind: Training, Phase: l.phase, Update: l.done, Updates: l.expected(until)})
	for l.done < until && !l.spent() {
		u, err := l.update(ctx)
		if err != nil {
			return err
		}
		all := l.expected(until)
		left := time.Duration(float64(time.Since(began)) / float64(l.done-from) * float64(all-l.done))
		l.observe(Event{Kind: Updated, Phase: l.phase, Update: l.done, Updates: all, Metrics: u.metrics, Timing: u.timing, Example: &u.example, Left: left})
	}
	return nil
}

// spent says that training has generated as many tokens as the recipe gives it.
func (l *loop) spent() bool { return spent(l.team.Recipe, l.tokens) }

func spent(r *recipe.Recipe, tokens int) bool {
	return r.Training.Tokens > 0 && tokens >= r.Training.Tokens
}

// expected is how many updates there will be: until, or fewer where the tokens are spent before, at the rate so far.
func (l *loop) expected(until int) int {
	budget := l.team.Recipe.Training.Tokens
	if budget == 0 || l.tokens == 0 || until == 0 {
		return until
	}
	return min(until, max(l.done, int(math.Ceil(float64(l.done)*float64(budget)/float64(l.tokens)))))
}

// An update is what one left behind.
type update struct {
	metrics *Metrics
	timing  *Timing
	example runs.Dialogue // its first
}

// update rolls out, learns, writes and saves one update. Metrics are written before the checkpoint: a run that dies between
// the two loses the line when it is restored, and writes it again.
func (l *loop) update(ctx context.Context) (*update, error) {
	m := &Metrics{Update: l.done + 1}
	l.timeline.Begin(m.Update)
	if err := l.iterate(ctx); err != nil {
		return nil, err
	}
	s := &session{loop: l, metrics: m}
	if err := s.do(ctx); err != nil {
		return nil, err
	}
	l.timeline.Enter(timeline.Save)
	m.Observe(l.team, s.episodes, s.whole)
	m.Lag = l.ahead.Lag()
	var err error
	m.Play, err = measure.PlaysAfter(ctx, l.team, m.Update)
	if errors.As(err, new(*measure.FailedError)) {
		l.observe(Event{Kind: Note, Phase: l.phase, Message: fmt.Sprintf("update %d: how the team plays is not known: %v", m.Update, err)})
	} else if err != nil {
		return nil, fmt.Errorf("update %d: %w", m.Update, err)
	}
	if err := l.diagnose(ctx, m, s.episodes, s.whole); err != nil {
		return nil, err
	}
	if err := l.measure(ctx, m); err != nil {
		return nil, err
	}
	if err := l.save(ctx, m); err != nil {
		return nil, err
	}
	spans := l.timeline.End()
	t := record.NewTiming(m, spans)
	l.noteSplits(t)
	progress.Tell(l.observe, l.team.EngineNotes())
	example := measure.Dialogue(l.phase, s.first, l.team.Sharing.Names)
	if err := l.run.AppendTiming(t); err != nil {
		return nil, err
	}
	return &update{m, t, example}, l.run.AppendTrace(m.Update, spans)
}

// measure lets the panel measure the team where it is due. Whether an update is the last says the recipe, not this call: a run that goes on has the
// same lines.
func (l *loop) measure(ctx context.Context, m *Metrics) (err error) {
	if !l.panel.Due(m.Update, m.Update == l.team.Recipe.Training.Updates || spent(l.team.Recipe, l.tokens+m.Tokens)) {
		return nil
	}
	l.timeline.Enter(timeline.Panel)
	defer l.timeline.Enter(timeline.Save)
	if m.Panel, err = l.panel.Measure(ctx, m.Update); err != nil {
		return fmt.Errorf("update %d: %w", m.Update, err)
	}
	return nil
}

// noteSplits says once that the recipe's bounds split the data of calls of training.
func (l *loop) noteSplits(t *Timing) {
	t.SplitCalls = l.timeline.Splits()
	r := l.team.Recipe
	if t.SplitCalls == 0 || l.saidSplit || r.Memory == "" && r.Engine.BatchTokens == 0 {
		return
	}
	l.saidSplit = true
	l.observe(Event{Kind: Note, Phase: l.phase, Message: fmt.Sprintf("update %d: the data of %d calls of training were split into several passes each, to keep to memory and engine.batch_tokens",
		t.Update, t.SplitCalls)})
}

func (l *loop) save(ctx context.Context, m *Metrics) error {
	if err := l.run.AppendMetrics(m.Update, m); err != nil {
		return err
	}
	l.done++
	l.tokens += m.Tokens
	t := l.team.Recipe.Training
	if l.done%t.Checkpoint != 0 && l.done != t.Updates && !l.spent() {
		return nil
	}
	spans := l.timeline.SoFar()
	if err := l.run.Cost(record.NewTiming(m, spans), spans); err != nil {
		return err
	}
	return l.checkpoint(ctx)
}

func (l *loop) checkpoint(ctx context.Context) error {
	saved := record.State{Updates: l.done, Tokens: l.tokens, Steps: l.steps, Tops: l.tops, Watch: &l.watch.State}
	saved.Of(l.learner)
	if l.team.Harness != nil {
		saved.Harness = l.team.Harness.Counted(l.done + 1)
	}
	return l.run.Checkpoint(l.done, saved, func(dir string) error {
		if err := l.team.Save(context.WithoutCancel(ctx), dir, l.team.Kept()); err != nil {
			return err
		}
		if err := l.ahead.Save(dir); err != nil {
			return err
		}
		return l.team.SaveSpent(dir)
	})
}
