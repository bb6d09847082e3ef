// Package parley co-trains teams of language models with multi-agent reinforcement learning.
//
// A team is described by a recipe: which base model, which agents, how they are rewarded, which algorithm trains them. Shipped recipes have
// names (`parley recipe list`); recipes of your own are YAML files. [Set] changes single keys, and docs/recipes.md and its pages list them.
//
// [Run] does everything that `parley train` does: it measures the untrained team, trains it, measures it again beside its baselines, and
// leaves a run folder that can be resumed. [Open] gives you the parts instead, for a loop of your own:
//
//	t, err := parley.Open(ctx, "magrpo-tiny", parley.WithReward(reward, 0, 1))
//	for update := range 20 {
//		episodes, err := t.Rollout(ctx, update, t.Problems(update))  // the team works on problems
//		stats, err := t.Learn(ctx, update, episodes)                  // credit, losses, optimizer steps
//	}
//	err = t.Save(ctx, "adapters")                                      // PEFT files
//
// A task, a reward and an engine of your own are options: [WithTask], [WithReward], [WithEngine]. examples/loop is the whole loop in one
// file to copy.
//
// # Rooms
//
// What stands behind this page, in the order in which a problem walks through it:
//
//	recipe   one YAML file is one experiment: strict, defaulted, validated, printed back
//	task     where problems come from and how answers are scored; recipe/language lists the tasks
//	team     who speaks when and who may see what, as a pure function of what was said before
//	rollout  drives a team over engines: groups, trees, batches
//	reward   what an answer earns: designs, penalties, incentives, processors
//	credit   what each answer is to be praised for: returns through trees, group-relative and GAE advantages
//	learn    learners: from credited episodes to optimizer steps; recipe/language lists the algorithms
//	loss     losses, each a function of the log-probabilities of chosen tokens
//	engine   what everything above knows about a model; engine/native is the embedded engine
//	runs     a run on disk, which survives being killed at any moment
//
// train is the loop around them. model opens a base model from its parts; model/shipped is the one that ships in the binary. eval votes and
// counts, game solves MAPoRL's collaboration game, internal/seed derives every random stream from one root.
//
// Imports point downward only; a test beside this page holds the table of who may know whom. team, reward, credit, loss, eval and game are
// pure: no files, no goroutines, no clock, no global randomness.
//
// Nothing here is stable before version 1.
package parley

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"parley/recipe"
	"parley/rl/learn"
	"parley/rl/rollout"
	"parley/task"
	"parley/train"
	"parley/train/lineup"
)

// A Team is a recipe's team, opened: its bases are loaded, its policies are there, and it can work and learn. Its methods are not for
// concurrent use.
type Team struct {
	lineup  lineup.Lineup
	runner  *rollout.Runner
	learner learn.Learner
}

// Open opens the team of a recipe, which is the name of a shipped one or a file. The caller closes it.
//
// Algorithms that learn from pairs of responses sample in iterations, which only [Run] does: their recipes are refused.
func Open(ctx context.Context, recipe string, options ...Option) (*Team, error) {
	o, err := chosen(options)
	if err != nil {
		return nil, err
	}
	r, err := o.load(recipe)
	if err != nil {
		return nil, err
	}
	if r.Prefers() {
		return nil, fmt.Errorf("recipe %s learns from pairs of responses in iterations: use Run", r.Name)
	}
	l, err := lineup.Open(ctx, r, o.backend)
	if err != nil {
		return nil, err
	}
	t := &Team{lineup: l, runner: l.Rollout()}
	if err := l.AddPolicies(ctx); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	if t.learner, err = r.AlgorithmType().New(l.Learning(t.runner.Actors)); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// Recipe returns the recipe that the team was opened with, every default filled in.
func (t *Team) Recipe() *recipe.Recipe { return t.lineup.Recipe }

// Problems returns the training problems of an update, counted from 0: a function of the recipe's seed and the update alone.
func (t *Team) Problems(update int) []task.Problem { return t.lineup.Training.Batch(update) }

// HeldOut returns the problems that training never sees.
func (t *Team) HeldOut() []task.Problem { return slices.Clone(t.lineup.HeldOut) }

// Rollout lets the team work on problems, sampled as in training, and rewards what it says. The same update and problems give the same
// episodes, as long as the policies are the same.
func (t *Team) Rollout(ctx context.Context, update int, problems []task.Problem) ([]*rollout.Episode, error) {
	return t.runner.Run(ctx, "train", update+1, problems)
}

// Learn credits what the team said and takes the optimizer steps of one update, counted from 0. Episodes that could not be scored are left
// out; one at least must be whole.
func (t *Team) Learn(ctx context.Context, update int, episodes []*rollout.Episode) (*learn.Stats, error) {
	whole := slices.DeleteFunc(slices.Clone(episodes), func(e *rollout.Episode) bool { return e.Failed() != "" })
	if len(whole) == 0 {
		return nil, fmt.Errorf("update %d: none of %d episodes could be scored", update, len(episodes))
	}
	s := learn.Recorded(update, whole)
	if err := t.learner.Update(ctx, s); err != nil {
		return nil, fmt.Errorf("update %d: %w", update, err)
	}
	return s.Stats, nil
}

// Save writes every trained policy under dir, a folder of PEFT files each. A folder that is there is an error.
func (t *Team) Save(ctx context.Context, dir string) error {
	return t.lineup.Save(ctx, dir, t.lineup.Policies())
}

// Close gives the memory back.
func (t *Team) Close() error { return t.lineup.Close() }

// Run trains what a recipe asks for and reports, as `parley train` does.
func Run(ctx context.Context, recipe string, options ...Option) (*train.Result, error) {
	o, err := chosen(options)
	if err != nil {
		return nil, err
	}
	r, err := o.load(recipe)
	if err != nil {
		return nil, err
	}
	return train.Run(ctx, train.Options{Recipe: r, Backend: o.backend, Language: r.Language(), Dir: o.dir, MaxUpdates: -1, Observe: o.observe})
}

// MeanReward is the mean reward of the joint actions of episodes that were scored; 0: there are none.
func MeanReward(episodes []*rollout.Episode) float64 {
	sum, n := 0.0, 0
	for _, e := range episodes {
		for _, node := range e.Nodes {
			for _, r := range node.Rewards {
				sum += r
				n++
			}
		}
	}
	return sum / float64(max(n, 1))
}
