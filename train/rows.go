package train

import (
	"slices"

	"parley/engine"
	"parley/loss"
	"parley/rollout"
)

// sample turns what an agent said at a node into a unit of training.
func (g *group) sample(n *rollout.Node, agentTurn *rollout.AgentTurn) (nodeSample, error) {
	s := nodeSample{NodeSample: loss.NodeSample{Turn: n.Turn, Weight: 1}}
	if g.recipe.Group.Rollout == "chain" {
		turn, err := g.chain().Turn(n.Turn, g.turns, n.Rewards)
		if err != nil {
			return s, err
		}
		s.Weight = turn.Weight
	}
	longest := 0
	for _, c := range agentTurn.Completions {
		longest = max(longest, len(c.Tokens))
	}
	for i := range agentTurn.Completions {
		c := &agentTurn.Completions[i]
		d := datum(agentTurn.Policy, agentTurn, c)
		if g.recipe.Group.LogprobsAt == "full" {
			d.Sampling = engine.Sampling{}
		}
		unit := loss.Completion{Tokens: len(c.Tokens), Advantage: c.Advantage, Behaviour: c.Logprobs}
		if g.recipe.Group.Padding == "padded" {
			d.Tokens = padded(d.Tokens, d.ScoreFrom+longest-1, g.actors[agentTurn.Agent].Codec.Stop()[0])
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
func datum(p engine.Policy, agentTurn *rollout.AgentTurn, c *rollout.Completion) engine.Datum {
	tokens := append(append(make([]int, 0, len(agentTurn.Prompt)+len(c.Tokens)), agentTurn.Prompt...), c.Tokens...)
	return engine.Datum{Policy: p, Tokens: tokens, ScoreFrom: len(agentTurn.Prompt), Sampling: agentTurn.Sampling}
}
