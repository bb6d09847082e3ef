package lineup

import (
	"slices"
	"time"

	"parley/engine"
	"parley/engine/openai"
	"parley/model"
	"parley/recipe"
	"parley/rl/learn/preference"
	"parley/rl/rollout"
	"parley/team/speaker/external"
	"parley/train/plan"
)

// comparator is the base that writes beside the team; nil: there is none.
func (l Lineup) comparator() *Base {
	name := plan.Rival(l.Recipe)
	if name == "" {
		return nil
	}
	i := slices.IndexFunc(l.Bases, func(b *Base) bool { return model.Place(b.Name) == model.Place(name) })
	return l.Bases[i]
}

// Comparators puts the comparator in the place of all agents of a rollout that are models.
func (l Lineup) Comparators(r *rollout.Runner) *rollout.Runner {
	b, other := l.comparator(), *r
	if b == nil {
		return l.servers(r)
	}
	other.Actors = slices.Clone(r.Actors)
	for i, actor := range other.Actors {
		if actor.Speaker == nil {
			other.Actors[i] = rollout.Actor{
				Engine: b.Engine, Codec: b.Model, Policy: func(int) engine.Policy { return engine.Base },
				Context: b.Context, Never: b.Model.Unused(), Watch: b.watch(""),
			}
		}
	}
	return &other
}

// servers puts the comparator that is a server in the place of all agents of a rollout that are models.
func (l Lineup) servers(r *rollout.Runner) *rollout.Runner {
	other := *r
	other.Actors = slices.Clone(r.Actors)
	for i := range other.Actors {
		if other.Actors[i].Speaker == nil {
			other.Actors[i].Speaker, other.Actors[i].Many = l.rival, true
		}
	}
	return &other
}

// openRival opens the comparator that is a server.
func (l *Lineup) openRival() error {
	s := recipe.Section[preference.Settings](l.Recipe)
	if !l.Recipe.Prefers() || s.Comparator != "server" {
		return nil
	}
	key, err := plan.Secret("preference.server.key_env", s.Server.KeyEnv)
	if err != nil {
		return err
	}
	at := openai.Address{URL: s.Server.URL, Form: openai.Form(s.Server.Form), Key: key, Deadline: time.Duration(s.Server.Seconds * float64(time.Second)), Retries: s.Server.Retries}
	l.rival, err = external.Open(external.Settings{Server: l.Servers.Server(at), Model: s.Server.Model, Stop: l.Recipe.Sampling.Stop})
	return err
}

// Encode gives what a comparator wrote the tokens of the team's bases, as if the agents had written it: an answer that was finished ends with
// their end token. They were not drawn from the team's policies, so they have no log-probabilities.
func (l Lineup) Encode(episodes []*rollout.Episode) error {
	for _, e := range episodes {
		for i := range e.Nodes[0].Agents {
			agentTurn := &e.Nodes[0].Agents[i]
			if agentTurn.Speaker != "" && l.speakerOf(agentTurn.Agent) != nil {
				continue // it has no tokens
			}
			agentTurn.Speaker = "" // a rival has written for the agent
			m := l.BaseOf(agentTurn.Agent).Model
			for k := range agentTurn.Completions {
				c := &agentTurn.Completions[k]
				tokens, err := m.Encode(c.Text)
				if err != nil {
					return err
				}
				c.Tokens, c.Logprobs = tokens, nil
				if c.Stop == engine.StopEOS {
					c.Tokens = append(c.Tokens, m.Stop()[0])
				}
			}
		}
	}
	return nil
}
