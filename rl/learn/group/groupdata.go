package group

import (
	"slices"

	"parley/engine"
	"parley/rl/learn"
	"parley/rl/loss"
	"parley/rl/rollout"
)

// A nodeSample is the group of completions of one agent at one node, with the data to train on it.
type nodeSample struct {
	loss.NodeSample
	data    []engine.Datum
	agent   int // who gave them
	at      learn.SampleRef
	counted loss.Counted // the message, where whole episodes are compared
}

// sample turns what an agent said at a node into a unit of training: G completions with their advantages and the log-probabilities that
// they were drawn with, [tokens of each], and a datum of each to score. Masked completions have no part in it; advantages were made with them. What is scored is the distribution that was sampled from, or, for
// comparisons with the published code, that of temperature 1 over all tokens (MAGRPO §3, §4.3).
func (l *learner) sample(n *rollout.Node, asked *rollout.AgentTurn) (nodeSample, error) {
	s := nodeSample{NodeSample: loss.NodeSample{Turn: n.Turn, Weight: 1}, agent: asked.Agent}
	if l.settings.Rollout == "chain" {
		turn, err := l.chain().Turn(n.Turn, l.Turns, n.Rewards)
		if err != nil {
			return s, err
		}
		s.Weight = turn.Weight
	}
	longest := 0
	for _, c := range asked.Completions {
		longest = max(longest, len(c.Tokens))
	}
	for i := range asked.Completions {
		c := &asked.Completions[i]
		if c.Masked {
			continue
		}
		d := learn.Datum(asked.Policy, asked, c)
		if l.settings.LogprobsAt == "full" {
			d.Sampling, d.Mask = engine.Sampling{}, d.Mask.Forced()
		}
		unit := loss.Completion{Tokens: len(c.Tokens), Advantage: c.Advantage, Behaviour: c.Logprobs}
		if l.settings.Padding == "padded" {
			d.Tokens = padded(d.Tokens, d.ScoreFrom+longest-1, l.Actors[asked.Agent].Codec.Stop()[0])
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
