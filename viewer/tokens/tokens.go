// Package tokens computes what a run does not record of single tokens, from its checkpoints and on the embedded engine: how open each choice was,
// how far the policy was from the base there, and what the update made of it.
//
//	tokens.go   one update: the policies before it, and after it
//	open.go     the run, as it was
//	score.go    log-probabilities of an answer under a policy, and the entropies of what its tokens were drawn from
//	entropy.go  entropy of one distribution
//	bounds.go   KL terms, advantages and bounds on the ratio, as the run's algorithm has them
//	results.go  results, which are kept with the run
//	kept.go     many results of a run
//	vocabulary.go  the texts that the tokenizers of a run's bases give its tokens; a base that is gone leaves them numbers
//
// Of each token of an answer there are:
//
//	policy     log-probability under the policy before the update
//	entropy    −Σ p·log p of the distribution that the token was drawn from, exact, under that policy: with the temperature, the masks and the cuts
//	           of sampling
//	reference  log-probability under the base
//	kl         the term of the algorithm's own estimator of the distance from the base, before its coefficient
//	advantage  what the token was reinforced with
//	after      log-probability under the policy after the update
//	ratio      exp(after − the log-probability that the token was drawn with)
//	clipped    whether the algorithm's bound on the ratio makes a difference at that ratio
//
// The policies before an update are in the checkpoint before it; before the first one nothing was learned. Where there is no checkpoint after it,
// the update is learned again from its episodes. An algorithm whose tokens have advantages of their own credits the episodes of the update again.
package tokens

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"parley/recipe"
	"parley/rl/rollout"
	"parley/runs"
	"parley/runs/verify"
	"parley/train/lineup"
	"parley/train/provenance"
	"parley/viewer/episodes"
)

// Options say of which run, and on what it is computed.
type Options struct {
	Dir      string
	Language *recipe.Language
	Backend  lineup.Backend
	Trust    bool     // the run was made elsewhere, and may do what its recipe asks for
	Moved    []string // where files are now that the run's recipe names: changes key=value
	Now      func() time.Time
	// Keep leaves the problems that the run chose by its pass rates.
	Keep func(ctx context.Context, team lineup.Lineup, dir string) error
}

// Compute computes the tokens of some episodes of an update, all of them where none is named, and keeps the results with the run. Results that
// cannot be kept are returned beside a [folder.KeepError].
func Compute(ctx context.Context, o Options, update int, indexes ...int) ([]Result, error) {
	all, err := o.read(update, indexes)
	if err != nil {
		return nil, err
	}
	l, err := o.open(ctx, update)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	var answers []*answer
	of := map[*rollout.Episode][]*answer{}
	for _, e := range all {
		of[e] = answersOf(e)
		answers = append(answers, of[e]...)
	}
	x := &computation{Options: o, rule: ruleOf(l), update: update, answers: answers, of: of}
	if err := x.compute(ctx); err != nil {
		return nil, err
	}
	var out []Result
	for _, e := range all {
		out = append(out, x.result(e))
	}
	return out, keep(o.Dir, out)
}

// read finds the episodes. If a whole update is asked for, damaged episodes are left out.
func (o Options) read(update int, indexes []int) (out []*rollout.Episode, err error) {
	store := episodes.Open(o.Dir)
	whole := len(indexes) == 0
	if whole {
		rows, err := store.Rows(update)
		if len(rows) == 0 && errors.Is(err, fs.ErrNotExist) {
			return nil, &episodes.NoneError{What: fmt.Sprintf("update %d with episodes", update)}
		}
		if len(rows) == 0 && err != nil {
			return nil, fmt.Errorf("read the episodes of update %d: %w", update, err)
		}
		for _, r := range rows {
			if r.Damaged == "" {
				indexes = append(indexes, r.Index)
			}
		}
	}
	for _, index := range indexes {
		e, _, _, err := store.Read(update, index)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

// A computation is one update of a run on its way.
type computation struct {
	Options
	rule
	update  int
	answers []*answer
	of      map[*rollout.Episode][]*answer
	origin  string // of the policies after the update; empty: nobody knows them
}

// compute fills in all answers.
func (x *computation) compute(ctx context.Context) error {
	again, err := provenance.Begin(ctx, x.Lineup, x.Dir, x.update)
	if errors.Is(err, fs.ErrNotExist) { // adapters that were exported say nothing of the training
		have, _ := runs.Checkpoints(x.Dir) // they were listed before
		return &GoneError{x.Dir, x.update, have}
	}
	if err != nil {
		return err
	}
	if err := before(ctx, x.Lineup, x.answers); err != nil {
		return err
	}
	saved, damage := verify.PoliciesOf(x.Dir, x.update)
	if x.perToken() || damage != nil {
		if err := x.learn(ctx, again, damage != nil); err != nil {
			return err
		}
	}
	if !x.perToken() {
		for _, a := range x.answers {
			x.fromRecord(a)
		}
	}
	if damage == nil {
		x.origin = fmt.Sprintf("the checkpoint of update %d", x.update)
		if err := x.Load(ctx, saved.Dir, x.Policies()); err != nil {
			return fmt.Errorf("the policies after update %d: %w", x.update, err)
		}
	}
	return x.after(ctx, x.answers)
}

// errCredited ends an update of which only the credit is asked for.
var errCredited = errors.New("the episodes are credited")

// learn lets the learner do the update again, up to its steps or to the policies after it, and takes over what it finds of single tokens. If the
// episodes cannot be credited, because one is damaged for instance, it is not known what was learned.
func (x *computation) learn(ctx context.Context, again *provenance.Rerun, whole bool) error {
	credited := false
	err := again.Learn(ctx, func() error {
		credited = true
		if err := x.credit(again); err != nil || whole {
			return err
		}
		return errCredited
	})
	switch {
	case err == nil:
		x.origin = fmt.Sprintf("update %d, learned again from its episodes", x.update)
	case errors.Is(err, errCredited):
	case ctx.Err() != nil:
		return ctx.Err()
	case credited:
		return fmt.Errorf("the policies after update %d: %w", x.update, err)
	default:
		for _, a := range x.answers {
			a.not = fmt.Sprintf("the episodes of update %d cannot be learned from again: %v", x.update, err)
		}
	}
	return nil
}

// credit takes over what the learner finds of single tokens.
func (x *computation) credit(again *provenance.Rerun) error {
	learner, ok := again.Learner.(tokenwise)
	if !ok {
		return nil
	}
	for e, list := range x.of {
		i := slices.IndexFunc(again.Episodes, func(other *rollout.Episode) bool { return other.Index == e.Index })
		for _, a := range list {
			if i < 0 || a.Solo {
				a.not = unlearned
				continue
			}
			_, credited, err := episodes.Find(again.Episodes[i], false, a.Node, a.Agent, a.Completion)
			if err != nil {
				return err
			}
			x.fromLearner(a, learner, credited)
		}
	}
	return nil
}
