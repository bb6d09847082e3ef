package learn

import (
	"context"
	"fmt"
	"math"

	"parley/engine"
	"parley/rl/loss"
)

// A roleMeter measures what the messages of each agent give to optimizer steps (loss.Mass): their share of the loss, which costs nothing,
// and their gradients, which cost a pass each. It is told the loss of every datum, so it needs to know no algorithm. It changes no number of
// the training.
type roleMeter struct {
	told map[PolicyRef][]told // since the last step
}

// told is a datum of an agent, and what its loss said of it.
type told struct {
	agent    int
	datum    engine.Datum
	gradient engine.Gradient
}

// Accumulate adds up the gradients of batches as [Accumulate] does, and takes down what each agent gave to them.
func (c *Common) Accumulate(ctx context.Context, batches []PolicyBatch, s *Stats) error {
	heard := make([][]engine.Gradient, len(batches))
	for i, b := range batches {
		if b.Agents == nil || IsCritic(b.To.Policy) {
			batches[i].Agents = nil
			continue
		}
		heard[i] = make([]engine.Gradient, len(b.Data))
		batches[i].Loss = func(first int, outputs []engine.Output) ([]engine.Gradient, error) {
			gradients, err := b.Loss(first, outputs)
			copy(heard[i][min(first, len(heard[i])):], gradients)
			return gradients, err
		}
	}
	if err := Accumulate(ctx, batches); err != nil {
		return err
	}
	for i, b := range batches { // without the agents of critics
		for j, agent := range b.Agents {
			c.hear(b.To, told{agent, b.Data[j], heard[i][j]}, s)
		}
	}
	return nil
}

// hear records what a loss returned for a datum. Its mass is Σ_t |∂loss/∂log π_t|: tokens·|factor·A| where the loss is −factor·A·Σ_t log π_t,
// and as much of it as is left where ratios weigh tokens or cut them off.
func (c *Common) hear(to PolicyRef, t told, s *Stats) {
	if c.meter.told == nil {
		c.meter.told = map[PolicyRef][]told{}
	}
	c.meter.told[to] = append(c.meter.told[to], t)
	if c.trainedAgents() < 2 {
		return
	}
	sum := 0.0
	for _, g := range t.gradient.Logprobs {
		sum += math.Abs(float64(g))
	}
	s.addRoleLoss(c.RoleName(t.agent), sum)
}

// A weighed step is what is known of the agents who gave to it. A step of one agent says nothing of how several compare.
type weighed struct {
	alone string     // the one whose messages it was made of, whose gradient is the step's; empty: it is not asked for
	step  *loss.Mass // of several; nil: it was not measured
}

// roles measures what the agents give to the step of a policy that comes next.
func (c *Common) roles(ctx context.Context, to PolicyRef, update int) (weighed, error) {
	all := c.meter.told[to]
	delete(c.meter.told, to)
	agents, of := groupBy(all, func(t told) int { return t.agent })
	shared := c.speakers(to.Policy) > 1
	now := c.RoleGradients > 0 && update%c.RoleGradients == 0
	switch {
	case len(agents) == 0, shared && !now, c.trainedAgents() < 2:
		return weighed{}, nil
	case len(agents) == 1:
		return weighed{alone: c.RoleName(agents[0])}, nil
	}
	e, can := engine.As[engine.Differentiator](to.Engine)
	if !can {
		return weighed{}, nil
	}
	var parts []loss.RoleGradient
	for _, agent := range agents {
		g, err := gradientOf(ctx, e, of[agent])
		if err != nil {
			return weighed{}, fmt.Errorf("gradient of %s in %s: %w", c.RoleName(agent), to.Policy, err)
		}
		parts = append(parts, loss.RoleGradient{Name: c.RoleName(agent), Gradient: g})
	}
	step := loss.MassOf(parts)
	return weighed{step: &step}, nil
}

// gradientOf is that of some data by what their losses said of them.
func gradientOf(ctx context.Context, e engine.Differentiator, all []told) ([]float64, error) {
	data := make([]engine.Datum, len(all))
	for i, t := range all {
		data[i] = t.datum
	}
	return e.GradientOf(ctx, data, func(first int, outputs []engine.Output) ([]engine.Gradient, error) {
		out := make([]engine.Gradient, len(outputs))
		for i := range out {
			out[i] = all[first+i].gradient
		}
		return out, nil
	})
}

// RoleName is what an agent, from 0, is called.
func (c *Common) RoleName(agent int) string { return c.Sharing.name(agent) }

// trainedAgents counts the agents that learn.
func (c *Common) trainedAgents() int {
	n := 0
	for agent, a := range c.Actors {
		if a.Speaker == nil && !c.Sharing.IsFrozen(agent) {
			n++
		}
	}
	return n
}

// speakers counts the agents who speak with a policy in some turn.
func (c *Common) speakers(p engine.Policy) int {
	n := 0
	for agent := range c.Actors {
		for turn := range c.Turns {
			if c.Sharing.Policy(turn, agent) == p {
				n++
				break
			}
		}
	}
	return n
}
