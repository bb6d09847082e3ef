package learn

import (
	"context"
	"fmt"
	"math"

	"parley/engine"
	"parley/rl/rollout"
)

// farthest is as much as one token counts in [Drift]: a truncated distribution may give a token no probability at all.
const farthest = 20.

// Drift is how far the trained policies are from their bases: the mean of |log π(token) − log π_base(token)| over the tokens of at most so many
// answers of an update, of the first episodes. untrained says that the base wrote them and the policies learn from it. ok is false where none
// of the answers is of a policy that is trained.
func Drift(ctx context.Context, c Config, episodes []*rollout.Episode, most int, untrained bool) (drift float64, ok bool, err error) {
	common := &Common{Config: c}
	type scored struct {
		*Answer
		under engine.Policy
		other []float32
	}
	var answers []*scored
	for _, a := range driftAnswers(c, episodes, most, untrained) {
		s := &scored{Answer: a, under: engine.Base}
		if untrained {
			s.under = c.Sharing.Policy(a.Turn, a.AgentTurn.Agent)
		}
		answers = append(answers, s)
	}
	err = Forward(ctx, answers, func(s *scored) engine.Engine { return common.EngineOf(s.AgentTurn.Agent) },
		func(s *scored) engine.Datum { return s.Datum(s.under) }, func(s *scored, out engine.Output) { s.other = out.Logprobs })
	if err != nil {
		return 0, false, fmt.Errorf("compare policies with their bases: %w", err)
	}
	sum, tokens := 0.0, 0.0
	for _, s := range answers {
		for i, lp := range s.Completion.Logprobs {
			sum += min(farthest, math.Abs(float64(lp)-float64(s.other[i])))
			tokens++
		}
	}
	return sum / max(tokens, 1), tokens > 0, nil
}

// driftAnswers are the first answers of an update that a policy gave, or, where policies learn from the base, that the base gave in its place.
func driftAnswers(c Config, episodes []*rollout.Episode, most int, untrained bool) []*Answer {
	var out []*Answer
	for _, e := range episodes {
		for _, n := range e.Nodes {
			for s := range n.Agents {
				asked := &n.Agents[s]
				if asked.Opponent != "" || (asked.Policy == engine.Base) != untrained || c.Sharing.Policy(n.Turn, asked.Agent) == engine.Base {
					continue
				}
				if completion := &asked.Completions[0]; len(completion.Tokens) > 0 && len(out) < most {
					out = append(out, &Answer{Turn: n.Turn, AgentTurn: asked, Completion: completion})
				}
			}
		}
	}
	return out
}
