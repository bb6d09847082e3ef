package rollout

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"parley/rl/rollout/gather"
)

// apart reports whether problems advance by themselves: engines serve many calls, actors change seats, or some may be late. Scripts are never waited for.
func (r *Runner) apart() bool {
	return r.Script == nil && (r.Cast != nil || r.slots() > 0 || r.Settings.Deadline > 0)
}

// slots are those of all engines that draw.
func (r *Runner) slots() int { return gather.Slots(r.engines()) }

// playApart plays every episode by itself, so that none waits for another's turn; all random streams are as in [Runner.play]. As many are
// under way as engines have slots, and as many again, which are scored meanwhile. Engines that are best asked in batches get what problems ask at
// the same time in one call, and so does the scorer.
func (r *Runner) playApart(parent context.Context, purpose string, episodes []*Episode) error {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	own, watch := r.gathered(ctx), gather.Together(len(episodes), r.Watch)
	first := gather.Each(len(episodes), cmp.Or(2*r.slots(), len(episodes)), func(i int) (err error) { // an error ends the others: it is the cause
		one := *own
		if one.Watch = watch(i); r.Cast != nil {
			one.Actors = r.Cast(own.Actors, episodes[i].Index)
		}
		if episodes[i], err = one.inTime(ctx, purpose, episodes[i]); err != nil {
			cancel(err)
		} else if r.Over != nil {
			r.Over(episodes[i])
		}
		return err
	})
	if cause := context.Cause(ctx); cause != parent.Err() {
		return cause
	}
	return cmp.Or(first, parent.Err()) // the run has ended: the first says who was waited for
}

// inTime plays an episode. Whoever does not stop when its time is over is left alone with what it wrote.
func (r *Runner) inTime(ctx context.Context, purpose string, e *Episode) (*Episode, error) {
	if r.Settings.Deadline == 0 {
		return e, r.play(ctx, purpose, []*Episode{e})
	}
	played := *e
	left, err := gather.Within(ctx, r.Settings.Deadline, func(ctx context.Context) error { return r.play(ctx, purpose, []*Episode{&played}) })
	if !left {
		return &played, err
	}
	for sample := range max(r.Settings.Episodes, 1) {
		(&branch{from: frontier{episode: e, sample: sample}, failed: r.overdue()}).fail(false)
	}
	return e, nil
}

// overdue is why an episode that is late has failed.
func (r *Runner) overdue() error {
	return fmt.Errorf("it took longer than training.deadline, %g s", r.Settings.Deadline.Seconds())
}

// late ends the episodes of branches whose time is over, behind the nodes that were known before; another error stays one.
func (r *Runner) late(ctx context.Context, e *Episode, known int, branches []*branch, err error) error {
	if !errors.Is(context.Cause(ctx), gather.ErrLate) {
		return err
	}
	e.Nodes = e.Nodes[:known]
	for _, b := range branches {
		if b.failed == nil {
			b.failed = r.overdue()
			b.fail(false)
		}
	}
	return nil
}

// gathered is the runner with what is not to be called twice at once behind desks.
func (r *Runner) gathered(ctx context.Context) *Runner {
	own, behind := *r, gather.Engines(ctx)
	own.Actors = append([]Actor(nil), r.Actors...)
	for i, a := range r.Actors {
		own.Actors[i].Engine = behind(a.Engine)
	}
	own.Scorer = Gathered(ctx, r.Scorer)
	return &own
}

// Gathered is a scorer that many may ask at once: what is asked while it scores goes into its next call.
func Gathered(ctx context.Context, s Scorer) Scorer {
	return desk{gather.New(func(items []ScoreItem) ([]struct{}, error) {
		return make([]struct{}, len(items)), s.Score(ctx, items)
	})}
}

// A desk is a scorer that gets nodes of several problems at once.
type desk struct {
	*gather.Desk[ScoreItem, struct{}]
}

// Score implements [Scorer]. It returns only when the scorer has: a scorer that went on would write to nodes that others read. The run's context ends the scorer.
func (d desk) Score(ctx context.Context, turn []ScoreItem) error {
	_, err := d.Ask(context.WithoutCancel(ctx), turn)
	return err
}
