package rollout

import (
	"context"

	"parley/engine"
	"parley/rollout/gather"
)

// apart reports whether problems advance by themselves: where an engine serves many calls at once. Texts of a script are never waited for.
func (r *Runner) apart() bool { return r.Script == nil && r.slots() > 0 }

// slots are those of all engines that draw.
func (r *Runner) slots() (sum int) {
	for _, e := range r.engines() {
		sum += engine.SlotsOf(e)
	}
	return sum
}

// playApart plays every episode by itself, so that none waits for another's turn; all random streams are as in [Runner.play]. As many are
// under way as engines have slots, and as many again, which are scored meanwhile. Engines that are best asked in batches get what problems ask at
// the same time in one call, and so does the scorer.
func (r *Runner) playApart(ctx context.Context, purpose string, episodes []*Episode) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	own, watch := r.gathered(ctx), gather.Together(len(episodes), r.Watch)
	_ = gather.Each(len(episodes), 2*r.slots(), func(i int) error { // the first error ends the others: it is the cause
		one := *own
		one.Watch = watch(i)
		if err := one.play(ctx, purpose, episodes[i:i+1]); err != nil {
			cancel(err)
		}
		return nil
	})
	return context.Cause(ctx)
}

// gathered is the runner with what is not to be called twice at once behind desks.
func (r *Runner) gathered(ctx context.Context) *Runner {
	own, desks := *r, map[engine.Engine]engine.Engine{}
	own.Actors = append([]Actor(nil), r.Actors...)
	for i, a := range own.Actors {
		if engine.SlotsOf(a.Engine) > 0 {
			continue
		}
		if desks[a.Engine] == nil {
			desks[a.Engine] = gather.NewEngine(ctx, a.Engine)
		}
		own.Actors[i].Engine = desks[a.Engine]
	}
	own.Scorer = desk{gather.New(func(items []ScoreItem) ([]struct{}, error) {
		return make([]struct{}, len(items)), r.Scorer.Score(ctx, items)
	})}
	return &own
}

// A desk is a scorer that gets nodes of several problems at once.
type desk struct {
	*gather.Desk[ScoreItem, struct{}]
}

// Score implements [Scorer]. Nobody leaves while nodes are written to.
func (d desk) Score(_ context.Context, turn []ScoreItem) error {
	_, err := d.Ask(context.Background(), turn)
	return err
}
