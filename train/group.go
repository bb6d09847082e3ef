package train

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"parley/credit"
	"parley/engine"
	"parley/loss"
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
		credits, err := credit.NodeCredit(returns[i], g.joint, len(n.Agents), g.recipe.Group.Size, credit.CrossMode(g.recipe.Group.CrossCredit))
		if err != nil {
			return err
		}
		for s := range n.Agents {
			for k := range credits[s] {
				credits[s][k] -= penalty[&n.Agents[s].Completions[k]]
			}
			advantages, err := credit.Advantages(credits[s], g.mode, g.recipe.Group.Normalize)
			if err != nil {
				return err
			}
			n.Agents[s].Assign(credits[s], advantages)
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
		for s := range n.Agents {
			n.Agents[s].Assign(n.Rewards, turn.Advantages)
		}
	}
	return nil
}

func (g *group) chain() credit.Chain {
	o := g.recipe.Group
	return credit.Chain{TurnWeights: o.TurnWeights, EarlyValue: o.EndValue, EarlyWeight: o.EndWeight, Clip: 10}
}

// nodeSample is the group of completions of one agent at one node, with the data to train on it.
type nodeSample struct {
	loss.NodeSample
	data []engine.Datum
	at   spot
}

// learn implements [learner].
func (g *group) learn(ctx context.Context, update int, episodes []*rollout.Episode, m *Metrics) error {
	g.buffers.drain = func(full []drained[nodeSample]) error { return g.drain(ctx, full, update, m) }
	for _, e := range episodes {
		for _, i := range depthFirst(e) {
			for s := range e.Nodes[i].Agents {
				if e.Nodes[i].Agents[s].Policy == engine.Base {
					continue
				}
				if err := g.add(e, spot{update + 1, e.Index, i, s}); err != nil {
					return err
				}
			}
		}
	}
	m.DeadGroups = deadGroups(episodes)
	if g.recipe.Group.BufferAcrossUpdates && !g.epochEnds(update) {
		return nil
	}
	return g.buffers.flush()
}

// add puts what an agent said at a node of an episode into its buffer.
func (g *group) add(e *rollout.Episode, at spot) error {
	n := e.Nodes[at.Node]
	agentTurn := &n.Agents[at.Seat]
	sample, err := g.sample(n, agentTurn)
	if err != nil {
		return err
	}
	sample.at = at
	return g.buffers.add(target{g.actors[agentTurn.Agent].Engine, agentTurn.Policy}, sample)
}

// drain takes the optimizer steps of full buffers: turn by turn, the first minibatch of each policy together, then the second of each. Of
// turn 1 sampling has kept what training would compute, as long as it is alone and first.
func (g *group) drain(ctx context.Context, full []drained[nodeSample], update int, m *Metrics) error {
	var all []minibatch
	for _, d := range full {
		batches := loss.Minibatches(d.samples, func(s nodeSample) int { return s.Turn }, g.batchSize(len(d.samples)), g.shuffle(d.to, update, m.Steps+len(all)))
		part := 0
		for i, samples := range batches {
			if i > 0 && samples[0].Turn == batches[i-1][0].Turn {
				part++
			} else {
				part = 0
			}
			b, err := g.minibatch(d.to, samples)
			if err != nil {
				return err
			}
			b.turn, b.part = samples[0].Turn, part
			all = append(all, b)
		}
	}
	slices.SortStableFunc(all, minibatch.compare)
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].compare(all[0]) == 0 {
			n++
		}
		if err := g.round(ctx, all[:n], update, m); err != nil {
			return err
		}
		all = all[n:]
	}
	return nil
}

// A minibatch is what one policy takes a step on: samples of one turn.
type minibatch struct {
	lesson
	turn, part int
	batch      *loss.GroupBatch
}

// compare orders minibatches by turn, and in it by part.
func (b minibatch) compare(c minibatch) int {
	return cmp.Or(cmp.Compare(b.turn, c.turn), cmp.Compare(b.part, c.part))
}

func (g *group) minibatch(to target, samples []nodeSample) (minibatch, error) {
	var units []loss.NodeSample
	b := minibatch{lesson: lesson{to: to}}
	for _, s := range samples {
		units = append(units, s.NodeSample)
		b.data = append(b.data, s.data...)
	}
	var err error
	if b.batch, err = loss.NewGroupBatch(units, loss.GroupObjective{Reduction: loss.Reduction(g.recipe.Group.Reduction), Cap: g.recipe.Group.RatioCap}); err != nil {
		return b, err
	}
	b.loss = b.batch.Gradient
	return b, nil
}

// round takes one step of each of some policies.
func (g *group) round(ctx context.Context, batches []minibatch, update int, m *Metrics) error {
	lessons := make([]lesson, len(batches))
	for i, b := range batches {
		lessons[i] = b.lesson
	}
	if err := study(ctx, lessons); err != nil {
		return err
	}
	for _, b := range batches {
		if err := g.step(ctx, b.to.engine, b.to.policy, update, g.recipe.Optimizer.LR, m); err != nil {
			return err
		}
		stats := b.batch.Stats()
		m.passed(stats.Loss, stats.RatioMean, stats.RatioMax)
	}
	return nil
}
