package train

import (
	"context"
	"fmt"
	"math"
	"slices"

	"parley/credit"
	"parley/engine"
	"parley/learn"
	"parley/recipe"
	"parley/rollout"
)

// group is the learner of MAGRPO and its family (magrpo.md §2): discounted returns through the tree of an episode, credit
// for every completion, advantages inside the group of one agent at one node, buffers, and one AdamW step a minibatch.
type group struct {
	core
	mode    credit.AdvantageMode
	joint   credit.JointMode
	buffers buffers[nodeSample]
}

func newGroup(c core) (*group, error) {
	modes := map[recipe.Algorithm]credit.AdvantageMode{
		recipe.MAGRPO: credit.ModeMean, recipe.MAREINFORCE: credit.ModeRaw, recipe.MARLOO: credit.ModeRLOO, recipe.MAREMAX: credit.ModeMax,
	}
	mode, ok := modes[c.recipe.Algorithm]
	if !ok {
		return nil, fmt.Errorf("algorithm %s is not a group-relative one", c.recipe.Algorithm)
	}
	joint, err := credit.ParseJointMode(c.recipe.Group.Joint)
	return &group{core: c, mode: mode, joint: joint, buffers: buffers[nodeSample]{size: c.bufferSize()}}, err
}

// credit implements [learner]: a completion's Reward is its credit, its Advantage that inside the group.
func (g *group) credit(ctx context.Context, episodes []*rollout.Episode, m *Metrics) error {
	penalty, err := g.penalties(ctx, answersIn(episodes), m)
	if err != nil {
		return err
	}
	for _, e := range episodes {
		if err := g.creditEpisode(e, penalty); err != nil {
			return fmt.Errorf("credit problem %s: %w", e.Problem.ID, err)
		}
	}
	return nil
}

func (g *group) creditEpisode(e *rollout.Episode, penalty map[*rollout.Completion]float64) error {
	if g.recipe.Group.Rollout == "chain" {
		return g.creditChain(e)
	}
	returns, err := returnsOf(e, g.recipe.Group.Discount)
	if err != nil {
		return err
	}
	for i, n := range e.Nodes {
		credits, err := credit.NodeCredit(returns[i], g.joint, len(n.Seats), g.recipe.Group.Size, credit.CrossMode(g.recipe.Group.CrossCredit))
		if err != nil {
			return err
		}
		for s := range n.Seats {
			for k := range credits[s] {
				credits[s][k] -= penalty[&n.Seats[s].Completions[k]]
			}
			advantages, err := credit.Advantages(credits[s], g.mode, g.recipe.Group.Normalise)
			if err != nil {
				return err
			}
			n.Seats[s].Assign(credits[s], advantages)
		}
	}
	return nil
}

// creditChain gives every completion of a best-of-group chain its turn's immediate reward (magrpo.md §2.6).
func (g *group) creditChain(e *rollout.Episode) error {
	chain := g.chain()
	for _, n := range e.Nodes {
		turn, err := chain.Turn(n.Turn, g.turns, n.Rewards)
		if err != nil {
			return err
		}
		for s := range n.Seats {
			n.Seats[s].Assign(n.Rewards, turn.Advantages)
		}
	}
	return nil
}

func (g *group) chain() credit.Chain {
	o := g.recipe.Group
	return credit.Chain{TurnWeights: o.TurnWeights, EarlyValue: o.EndValue, EarlyWeight: o.EndWeight, Clip: 10}
}

// returnsOf computes the discounted returns of all joint actions, indexed like the episode's nodes.
func returnsOf(e *rollout.Episode, discount float64) ([][]float64, error) {
	children := make([]map[int]int, len(e.Nodes)) // joint action → child
	for i := range children {
		children[i] = map[int]int{}
	}
	for i, n := range e.Nodes {
		if n.Parent >= 0 {
			children[n.Parent][n.Via] = i
		}
	}
	var order []int // nodes in the order in which credit's trees are walked
	var build func(i int) credit.Tree
	build = func(i int) credit.Tree {
		order = append(order, i)
		t := credit.Tree{Values: e.Nodes[i].Rewards}
		for j := range e.Nodes[i].Joint {
			if c, ok := children[i][j]; ok {
				t.Children = append(t.Children, build(c))
			}
		}
		return t
	}
	tree, err := build(0).Returns(discount)
	if err != nil {
		return nil, err
	}
	out := make([][]float64, len(e.Nodes))
	at := 0
	tree.Walk(func(_ int, n credit.Tree) {
		out[order[at]] = n.Values
		at++
	})
	return out, nil
}

// nodeSample is the group of completions of one agent at one node, with the data to train on it.
type nodeSample struct {
	learn.NodeSample
	data []engine.Datum
	at   spot
}

// learn implements [learner].
func (g *group) learn(ctx context.Context, update int, episodes []*rollout.Episode, m *Metrics) error {
	g.buffers.drain = func(to target, full []nodeSample) error { return g.drain(ctx, to, full, update, m) }
	for _, e := range episodes {
		for _, i := range depthFirst(e) {
			for s := range e.Nodes[i].Seats {
				if e.Nodes[i].Seats[s].Policy == engine.Base {
					continue
				}
				if err := g.add(e, spot{update + 1, e.Index, i, s}); err != nil {
					return err
				}
			}
		}
	}
	m.DeadGroups = deadGroups(episodes)
	if g.recipe.Group.Span && !g.epochEnds(update) {
		return nil
	}
	return g.buffers.flush()
}

// add puts what an agent said at a node of an episode into its buffer.
func (g *group) add(e *rollout.Episode, at spot) error {
	n := e.Nodes[at.Node]
	said := &n.Seats[at.Seat]
	sample, err := g.sample(n, said)
	if err != nil {
		return err
	}
	sample.at = at
	return g.buffers.add(target{g.seats[said.Agent].Engine, said.Policy}, sample)
}

// sample turns what an agent said at a node into a unit of training.
func (g *group) sample(n *rollout.Node, said *rollout.Said) (nodeSample, error) {
	s := nodeSample{NodeSample: learn.NodeSample{Turn: n.Turn, Weight: 1}}
	if g.recipe.Group.Rollout == "chain" {
		turn, err := g.chain().Turn(n.Turn, g.turns, n.Rewards)
		if err != nil {
			return s, err
		}
		s.Weight = turn.Weight
	}
	longest := 0
	for _, c := range said.Completions {
		longest = max(longest, len(c.Tokens))
	}
	for i := range said.Completions {
		c := &said.Completions[i]
		d := datum(said.Policy, said, c)
		if g.recipe.Group.Logprobs == "full" {
			d.Sampling = engine.Sampling{}
		}
		unit := learn.Completion{Tokens: len(c.Tokens), Advantage: c.Advantage, Behaviour: c.Logprobs}
		if g.recipe.Group.Rows == "padded" {
			d.Tokens = padded(d.Tokens, d.From+longest-1, g.seats[said.Agent].Codec.Stop()[0])
			unit.Tokens, unit.Behaviour = longest-1, nil
		}
		s.Completions, s.data = append(s.Completions, unit), append(s.data, d)
	}
	return s, nil
}

// padded makes a row of the published code of a sequence: n tokens long, with pads behind it where it is shorter. Its last place
// is dropped there, so a longest answer ends one token early.
func padded(tokens []int, n, pad int) []int {
	out := slices.Clone(tokens[:min(n, len(tokens))])
	for len(out) < n {
		out = append(out, pad)
	}
	return out
}

// datum is a completion as the engine scores it: under the distribution it was drawn from.
func datum(p engine.Policy, said *rollout.Said, c *rollout.Completion) engine.Datum {
	tokens := append(append(make([]int, 0, len(said.Prompt)+len(c.Tokens)), said.Prompt...), c.Tokens...)
	return engine.Datum{Policy: p, Tokens: tokens, From: len(said.Prompt), Sampling: said.Sampling}
}

// drain takes the optimiser steps of a full buffer.
func (g *group) drain(ctx context.Context, to target, samples []nodeSample, update int, m *Metrics) error {
	for _, batch := range learn.Minibatches(samples, func(s nodeSample) int { return s.Turn }, g.batchSize(len(samples)), g.shuffle(to, update, m)) {
		var units []learn.NodeSample
		var data []engine.Datum
		for _, s := range batch {
			units = append(units, s.NodeSample)
			data = append(data, s.data...)
		}
		loss, err := learn.NewGroupBatch(units, learn.GroupObjective{Reduction: learn.Reduction(g.recipe.Group.Reduction), Cap: g.recipe.Group.RatioCap})
		if err != nil {
			return err
		}
		if err := to.engine.ForwardBackward(ctx, data, loss.Gradient); err != nil {
			return fmt.Errorf("train %s: %w", to.policy, err)
		}
		if err := g.step(ctx, to.engine, to.policy, update, g.recipe.Optimiser.LR, m); err != nil {
			return err
		}
		stats := loss.Stats()
		m.passed(stats.Loss, stats.RatioMean, stats.RatioMax)
	}
	return nil
}

// depthFirst lists the nodes of an episode, by index, in the order of their environment steps: a node before its children, a
// whole child before the next (magrpo.md §2.4).
func depthFirst(e *rollout.Episode) []int {
	children := make([][]int, len(e.Nodes))
	for i, n := range e.Nodes {
		if n.Parent >= 0 {
			children[n.Parent] = append(children[n.Parent], i)
		}
	}
	var out []int
	var visit func(i int)
	visit = func(i int) {
		out = append(out, i)
		for _, c := range children[i] {
			visit(c)
		}
	}
	visit(0)
	return out
}

// deadGroups returns the share of groups whose advantages are all zero: they teach nothing.
func deadGroups(episodes []*rollout.Episode) float64 {
	dead, all := 0.0, 0.0
	for _, e := range episodes {
		for _, n := range e.Nodes {
			for _, said := range n.Seats {
				all++
				alive := false
				for _, c := range said.Completions {
					alive = alive || math.Abs(c.Advantage) > 1e-6
				}
				dead += one(!alive)
			}
		}
	}
	return dead / max(all, 1)
}
