package parley

import (
	"context"
	"errors"
	"fmt"

	"parley/task"
)

// A Reward scores what all agents of a team have written for one problem, in agent order. It is called from several goroutines at once,
// returns a finite number within the range that was declared with it, and gives up when ctx ends, if it waits for anything.
type Reward func(ctx context.Context, p task.Problem, responses []string) (float64, error)

// WithTask adds a task of your own and lets the recipe work on it. [NewTask] makes a simple one; [task.Define] one with settings.
func WithTask(t task.Type) Option {
	return func(o *options) error {
		if t.Name == "" || t.Open == nil {
			return errors.New("WithTask: the task needs a name and Open: make it with NewTask or task.Define")
		}
		o.tasks, o.task = append(o.tasks, t), t.Name
		return nil
	}
}

// WithReward rewards the team by f in the place of the recipe's reward, whatever the task is. Rewards are between least and most.
func WithReward(f Reward, least, most float64) Option {
	return func(o *options) error {
		if f == nil || least >= most {
			return fmt.Errorf("WithReward: a reward and a range are needed, not [%g, %g]", least, most)
		}
		o.reward = func(t task.Type) task.Type { return rewarded(t, f, least, most) }
		return nil
	}
}

// NewTask returns a task over problems of your own: train ones and held-out ones, which must be others. f rewards what the team writes,
// between least and most. Prompts ask for .Question and .Fields of a problem: set team.prompts.first, and team.prompts.roles.
func NewTask(name string, train, heldOut []task.Problem, f Reward, least, most float64) task.Type {
	plain := task.Define(task.Definition[task.NoSettings]{
		Traits: task.Traits{Name: name, About: "A task of your own.", Joint: true, Responses: task.Count{Least: 1, Most: task.MostAgents}},
		Open: func(context.Context, task.NoSettings, task.Environment) (task.Task, error) {
			return problems{name, train, heldOut}, nil
		},
		Items: func(context.Context, task.NoSettings) (*task.ItemScorer, error) {
			return nil, errors.New("a task of a program's own is scored by that program")
		},
	})
	return rewarded(plain, f, least, most)
}

// rewarded is t with f as its joint reward.
func rewarded(t task.Type, f Reward, least, most float64) task.Type {
	open := t.Open
	t.Joint, t.Responses = true, task.Count{Least: 1, Most: task.MostAgents}
	t.Open = func(ctx context.Context, settings any, in task.Environment) (task.Task, error) {
		inner, err := open(ctx, settings, in)
		if err != nil {
			return nil, err
		}
		own := ownReward{inner, f, least, most}
		if answerer, ok := inner.(task.Answerer); ok {
			return answeredReward{own, answerer}, nil
		}
		return own, nil
	}
	return t
}

// ownReward is a task with a joint reward of the user's.
type ownReward struct {
	task.Task
	reward      Reward
	least, most float64
}

// Score implements [task.JointScorer].
func (o ownReward) Score(ctx context.Context, p task.Problem, responses []string) (task.Score, error) {
	r, err := o.reward(ctx, p, responses)
	if err == nil && !(r >= o.least && r <= o.most) {
		err = fmt.Errorf("the reward is %g, outside of the declared range [%g, %g]", r, o.least, o.most)
	}
	return task.Score{Reward: r}, err
}

// Range implements [task.JointScorer].
func (o ownReward) Range() (least, greatest float64) { return o.least, o.most }

// Close implements [io.Closer] where the task does.
func (o ownReward) Close() error {
	if c, ok := o.Task.(interface{ Close() error }); ok {
		return c.Close()
	}
	return nil
}

// answeredReward is one of a task whose answers can be read, too.
type answeredReward struct {
	ownReward
	task.Answerer
}

// problems is a task of given problems.
type problems struct {
	name           string
	train, heldOut []task.Problem
}

func (p problems) Name() string { return p.name }

// Problems implements [task.Task].
func (p problems) Problems(split task.Split, n int) ([]task.Problem, error) {
	all := map[task.Split][]task.Problem{task.Train: p.train, task.Test: p.heldOut}[split]
	return all[:min(n, len(all))], nil
}
