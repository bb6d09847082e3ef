package rollout

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/rl/rollout/gather"
	"parley/task"
	"parley/task/environment"
	"parley/team"
)

// A branch is where an episode goes on: at its beginning, or behind a joint action of a node.
type branch struct {
	from    frontier // without a node at the beginning
	via     int      // the joint action; −1 at the beginning
	history team.History
	asks    []team.Ask
	failed  error // of the environment, of the protocol, of a prompt, or because nobody is asked
}

// A World is the environment that a team acts in.
type World struct {
	environment.Environment
	environment.Bounds
}

// follow asks the protocol what comes next on every branch, lets agents act where it says so, and opens the nodes of the next turn. Environments
// are asked at the same time.
func (r *Runner) follow(ctx context.Context, purpose string, branches []*branch) ([]frontier, error) {
	for _, b := range branches {
		if b.from.node != nil && r.World != nil {
			b.from.node.pays(len(r.Actors))
		}
	}
	err := gather.All(len(branches), func(i int) error {
		b := branches[i]
		if err := r.move(ctx, b); err != nil && b.failed == nil {
			b.failed = b.after(err)
		}
		if b.from.node == nil && len(b.asks) == 0 && b.failed == nil {
			b.failed = errUnasked
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	var next []frontier
	for _, b := range branches {
		if b.failed != nil {
			b.fail(r.Settings.Decides != nil)
		}
	}
	if branches, err = r.decide(purpose, branches); err != nil {
		return nil, err
	}
	for _, b := range branches {
		if b.from.episode.FailedSample(b.from.sample) {
			continue
		}
		opened, err := r.open(b)
		if err != nil {
			return nil, fmt.Errorf("problem %s, turn %d: %w", b.from.episode.Problem.ID, b.turn()+1, err)
		}
		if b.failed != nil {
			b.fail(false)
		}
		next = append(next, opened...)
	}
	return slices.DeleteFunc(next, func(f frontier) bool { return f.episode.FailedSample(f.sample) }), nil
}

// turn is the one that the branch comes from, from 0; before the first it is the first.
func (b *branch) turn() int {
	if b.from.node == nil {
		return 0
	}
	return b.from.node.Turn
}

// after says where the protocol failed.
func (b *branch) after(err error) error {
	if b.from.node == nil {
		return fmt.Errorf("before turn 1: %w", err)
	}
	return fmt.Errorf("after turn %d: %w", b.turn()+1, err)
}

// fail ends the episode of a branch that cannot go on. Where one of several candidates is executed, it only leaves its own out as long as there are
// others.
func (b *branch) fail(candidate bool) {
	if n := b.from.node; n != nil {
		if n.Unscored = append(n.Unscored, b.via); candidate && len(n.Unscored) < len(n.Joint) {
			return
		}
		n.Unscored = nil
		n.Fail(b.failed.Error())
		return
	}
	e := b.from.episode
	if e.Refused == nil {
		e.Refused = map[int]string{}
	}
	e.Refused[b.from.sample] = b.failed.Error()
}

// errUnasked is why an episode cannot end where it begins: there is nothing to learn from, nor to measure.
var errUnasked = errors.New("the episode is over before any agent is asked")

// move finds the asks of a branch. Until the protocol asks, agents act.
func (r *Runner) move(ctx context.Context, b *branch) (err error) {
	p := b.from.episode.Problem
	mover, ok := b.from.protocol.(team.Mover)
	if !ok {
		b.asks, err = b.from.protocol.Next(p, b.history)
		return err
	}
	for {
		m, err := mover.Move(p, b.history)
		if err != nil || !m.Acts {
			b.asks = m.Asks
			return err
		}
		if r.World == nil {
			return errors.New("the protocol acts in an environment, and there is none")
		}
		if err := r.act(ctx, b, m.Actors); err != nil {
			b.failed = fmt.Errorf("environment, turn %d%s: %w", b.turn()+1, r.after(m.Actors), err)
			return nil
		}
	}
}

// after names who acted, for what went wrong then.
func (r *Runner) after(actors []int) string {
	if len(actors) == 0 {
		return ""
	}
	names := make([]string, len(actors))
	for i, agent := range actors {
		names[i] = r.Actors[agent].Name
	}
	return ", after " + strings.Join(names, ", ")
}

// act calls the environment and puts what it shows into the history of a branch. Rewards are those of the joint action before.
func (r *Runner) act(ctx context.Context, b *branch, actors []int) error {
	before := b.observed()
	out, err := r.step(ctx, b, before, actors)
	if err != nil {
		return err
	}
	next := &team.Observation{Texts: make([]string, len(r.Actors)), Done: out.Done, State: out.State}
	for i, actor := range r.Actors {
		text, seen := out.Observed(actor.Name)
		if !seen && before != nil {
			text = before.Texts[i]
		}
		next.Texts[i] = text
	}
	turn := -1
	if before != nil {
		next.Sum = before.Sum
	}
	if err := r.World.Check(out, next.Sum); err != nil {
		return err
	}
	if n := b.from.node; n != nil {
		turn = n.Turn
		b.reward(n, r, out)
	} else if out.Pays() {
		return errors.New("it pays a reward before any agent is asked")
	}
	next.Sum += out.Team
	b.history = append(b.history[:len(b.history):len(b.history)], team.Answer{Turn: turn, Agent: team.World, Observed: next})
	return nil
}

// observed is what the environment showed last; nil: nothing yet.
func (b *branch) observed() *team.Observation {
	for i := len(b.history) - 1; i >= 0; i-- {
		if b.history[i].Agent == team.World {
			return b.history[i].Observed
		}
	}
	return nil
}

// step begins the world, or goes on from its state with what actors said last.
func (r *Runner) step(ctx context.Context, b *branch, before *team.Observation, actors []int) (environment.Outcome, error) {
	if before == nil {
		out, err := r.World.Reset(ctx, b.from.episode.Problem)
		if err == nil {
			err = r.World.Complete(out)
		}
		return out, err
	}
	actions := map[string]string{}
	for _, agent := range actors {
		for i := len(b.history) - 1; i >= 0; i-- {
			if b.history[i].Agent == agent {
				actions[r.Actors[agent].Name] = b.history[i].Text
				break
			}
		}
	}
	return r.World.Step(ctx, json.RawMessage(before.State), actions)
}

// pays makes room for what an environment answers to the joint actions of a node.
func (n *Node) pays(agents int) {
	if n.Outcomes != nil {
		return
	}
	n.Scored, n.Own, n.Outcomes = make([]task.Score, len(n.Joint)), make([][]float64, len(n.Joint)), make([][]Observed, len(n.Joint))
	for j := range n.Own {
		n.Own[j] = make([]float64, agents)
	}
}

// reward gives the joint action of a branch what the environment paid for it.
func (b *branch) reward(n *Node, r *Runner, out environment.Outcome) {
	n.Rewards[b.via] += out.Team
	n.Scored[b.via].Reward += out.Team
	for i, actor := range r.Actors {
		n.Own[b.via][i] += out.Agents[actor.Name]
	}
	n.Outcomes[b.via] = append(n.Outcomes[b.via], Observed{Observations: out.Observations, All: out.All, Team: out.Team, Agents: out.Agents, Done: out.Done, Info: out.Info})
}
