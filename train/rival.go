package train

import (
	"slices"

	"parley/engine"
	"parley/rollout"
)

// rival is the base that writes beside the team; nil: there is none.
func (s *session) rival() *base {
	name := s.recipe.Rival()
	if name == "" {
		return nil
	}
	i := slices.IndexFunc(s.bases, func(b *base) bool { return whereIs(b.name) == whereIs(name) })
	return s.bases[i]
}

// rivals puts the rival into all seats of a rollout.
func (s *session) rivals(r *rollout.Runner) *rollout.Runner {
	b, other := s.rival(), *r
	other.Actors = slices.Repeat([]rollout.Actor{{Engine: b.engine, Codec: b.model, Policy: func(int) engine.Policy { return engine.Base },
		Context: b.context}}, len(r.Actors))
	return &other
}

// encode gives what a rival wrote the tokens of the team's bases, as if the agents had written it: an answer that was finished ends with
// their end token. They were not drawn from the team's policies, so they have no log-probabilities.
func (s *session) encode(episodes []*rollout.Episode) {
	for _, e := range episodes {
		for i := range e.Nodes[0].Agents {
			agentTurn := &e.Nodes[0].Agents[i]
			m := s.baseOf(agentTurn.Agent).model
			for k := range agentTurn.Completions {
				c := &agentTurn.Completions[k]
				c.Tokens, c.Logprobs = m.Encode(c.Text), nil
				if c.Stop == engine.StopEOS {
					c.Tokens = append(c.Tokens, m.Stop()[0])
				}
			}
		}
	}
}
