package train

import (
	"slices"

	"parley/engine"
	"parley/loss"
	"parley/rollout"
)

// sample turns what an agent said at a node into a unit of training.
func (g *group) sample(n *rollout.Node, said *rollout.Said) (nodeSample, error) {
	s := nodeSample{NodeSample: loss.NodeSample{Turn: n.Turn, Weight: 1}}
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
		unit := loss.Completion{Tokens: len(c.Tokens), Advantage: c.Advantage, Behaviour: c.Logprobs}
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
