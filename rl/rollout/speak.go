package rollout

import (
	"context"
	"fmt"

	"parley/engine"
	"parley/rl/rollout/gather"
	"parley/team"
)

// speak fills the completions of agents that are no models, before engines draw the others: speakers are asked at the same time, each about all
// live nodes at once. A node without one of its texts has failed.
func (r *Runner) speak(ctx context.Context, purpose string, live []frontier) error {
	var agents []int
	for agent, actor := range r.Actors {
		if actor.Speaker != nil {
			agents = append(agents, agent)
		}
	}
	replies, to := make([][]team.Reply, len(agents)), make([][]spoken, len(agents))
	err := gather.All(len(agents), func(i int) (err error) {
		var asks []team.SpeakerAsk
		if asks, to[i] = r.asksOf(agents[i], purpose, live); len(asks) == 0 {
			return nil
		}
		replies[i], err = r.Actors[agents[i]].Speaker.Speak(ctx, asks)
		return err
	})
	if err != nil {
		return err
	}
	for i := range to {
		for k, at := range to[i] {
			at.put(replies[i][k])
		}
	}
	return nil
}

// spoken is where a reply goes.
type spoken struct {
	name       string // of the agent
	node       *Node
	completion *Completion
}

// asksOf are what live nodes ask an agent, once for each completion, with where the replies go.
func (r *Runner) asksOf(agent int, purpose string, live []frontier) (asks []team.SpeakerAsk, to []spoken) {
	actor := r.Actors[agent]
	d := actor.Draws(r.Settings)
	for _, f := range live {
		for i := range f.node.Agents {
			asked := &f.node.Agents[i]
			if asked.Agent != agent {
				continue
			}
			asked.Completions = make([]Completion, asked.samples)
			for g := range asked.Completions {
				if c := r.given(f, g); c != nil {
					asked.Completions[g] = *c
					continue
				}
				asks = append(asks, team.SpeakerAsk{
					Agent: actor.Name, Problem: f.episode.Problem, Messages: asked.Messages, Seed: r.seedOf(purpose, f, agent, g),
					Temperature: d.Sampling.Temperature, TopP: d.Sampling.TopP, MaxTokens: d.MaxTokens, Form: d.Form,
				})
				to = append(to, spoken{actor.Name, f.node, &asked.Completions[g]})
			}
		}
	}
	return asks, to
}

func (s spoken) put(r team.Reply) {
	s.completion.Stop = engine.StopEOS
	if r.Err != nil {
		s.node.Fail(fmt.Sprintf("agent %s, turn %d: %v", s.name, s.node.Turn+1, r.Err))
		return
	}
	if s.completion.Text = r.Text; r.Cut {
		s.completion.Stop = engine.StopLength
	}
}
