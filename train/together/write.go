package together

import (
	"context"
	"fmt"

	"parley/engine"
	"parley/internal/seed"
	"parley/internal/usererror"
	"parley/rl/rollout"
	"parley/systems/collab"
	"parley/task"
)

// Write lets the agents write one text for a problem. hear is told every token once it is chosen; nil: nobody listens.
func (t *Team) Write(ctx context.Context, p task.Problem, hear func(token, agent int) error) (Written, error) {
	pen, err := t.pen(p, t.all())
	if err != nil {
		return Written{}, err
	}
	pen.Hear = hear
	return t.write(ctx, p, pen, t.all())
}

// write lets some agents, whose pen it is, write.
func (t *Team) write(ctx context.Context, p task.Problem, pen collab.Pen, agents []int) (Written, error) {
	said, err := pen.Write(ctx)
	if err != nil {
		return Written{}, fmt.Errorf("problem %s: %w", p.ID, err)
	}
	rated, err := t.rate(ctx, p, agents[0], []collab.Text{{Tokens: said.Tokens, Stop: said.Stop}})
	if err != nil {
		return Written{}, err
	}
	w := Written{Problem: p.ID, rated: rated[0], Tokens: said.Tokens, Stop: said.Stop, Switches: said.Switches, Rollouts: said.Rollouts, waited: said.Waited, costs: map[int]collab.Cost{}}
	for i, agent := range agents {
		w.costs[agent] = said.Costs[i]
	}
	for _, i := range said.Writers {
		w.writers = append(w.writers, agents[i])
	}
	w.Spans = t.spans(w)
	return w, nil
}

// all are all agents.
func (t *Team) all() []int {
	out := make([]int, len(t.actors))
	for i := range out {
		out[i] = i
	}
	return out
}

// pen is what some agents write a text for a problem with. Each writes on behind what it is asked itself.
func (t *Team) pen(p task.Problem, agents []int) (collab.Pen, error) {
	asks, err := t.lineup.Protocol.Next(p, nil)
	if err != nil {
		return collab.Pen{}, fmt.Errorf("ask problem %s: %w", p.ID, err)
	}
	pen := collab.Pen{Candidates: t.settings.Candidates, Rollouts: t.settings.Rollouts, Seed: seed.Derive(uint64(t.lineup.Recipe.Seed), "rollouts: "+p.ID), Alpha: t.settings.Alpha, MaxTokens: t.draw.MaxTokens, MinTokens: t.draw.MinTokens}
	for _, agent := range agents {
		a := t.actors[agent]
		prompt, err := a.Codec.Prompt(asks[agent].Messages)
		if err != nil {
			return pen, fmt.Errorf("prompt of problem %s for %s: %w", p.ID, t.names[agent], err)
		}
		if len(prompt) == 0 || a.Context > 0 && len(prompt) >= a.Context {
			return pen, usererror.Errorf("the prompt of problem %s for %s has %d tokens, and the model's context %d: at least one must be there, and room for one more", p.ID, t.names[agent], len(prompt), a.Context)
		}
		m := collab.Member{
			Name: t.names[agent], Engine: a.Engine, Policy: a.Policy(0), Prompt: prompt, Stop: a.Codec.Stop(), Never: a.Never, Context: a.Context,
		}
		if a.Watch != nil && a.Watch(0) != nil {
			m.Watch = func() engine.Watcher { return a.Watch(t.draw.MinTokens) }
		}
		pen.Members = append(pen.Members, m)
	}
	pen.Reference = pen.Members[0]
	pen.Reference.Policy = engine.Base
	pen.Worth = func(ctx context.Context, member int, texts []collab.Text) ([]float64, error) {
		rated, err := t.rate(ctx, p, agents[member], texts)
		worth := make([]float64, len(rated))
		for i, x := range rated {
			worth[i] = x.Worth
		}
		return worth, err
	}
	return pen, nil
}

// A rated text is one with what it is worth.
type rated struct {
	Text  string  `json:"text"`
	Worth float64 `json:"worth"` // its reward as a share of the range
	Right bool    `json:"right"` // its answer is the right one, where there is one

	answer    string // that can be compared with others
	hasAnswer bool
}

// rate asks the reward of the recipe about whole texts of an agent, each by itself as the one response.
func (t *Team) rate(ctx context.Context, p task.Problem, agent int, texts []collab.Text) ([]rated, error) {
	node := &rollout.Node{Parent: -1, ParentAction: -1, Agents: []rollout.AgentTurn{{}}}
	for i, text := range texts {
		c := rollout.Completion{Tokens: text.Tokens, Stop: text.Stop, Text: t.read(agent, text)}
		node.Agents[0].Completions, node.Joint = append(node.Agents[0].Completions, c), append(node.Joint, []int{i})
	}
	scorer := t.lineup.Scorer.ForAgents(t.lineup.Recipe, []int{agent})
	if err := scorer.Score(ctx, []rollout.ScoreItem{{Problem: p, Node: node, Agents: 1}}); err != nil {
		return nil, fmt.Errorf("reward of problem %s: %w", p.ID, err)
	}
	if node.Failed != "" {
		return nil, fmt.Errorf("reward of problem %s: %s", p.ID, node.Failed)
	}
	least, most := scorer.ProcessedRange()
	out := make([]rated, len(texts))
	for i, reward := range node.Rewards {
		c := node.Agents[0].Completions[i]
		out[i] = rated{Text: c.Text, Worth: (reward - least) / (most - least), Right: c.Correct, answer: c.Answer, hasAnswer: c.HasAnswer}
	}
	return out, nil
}

// read is what tokens of an agent read as, before a stop text where one ended them.
func (t *Team) read(agent int, text collab.Text) string {
	a := t.actors[agent]
	if text.Stop == engine.StopText {
		w := a.Watch(t.draw.MinTokens)
		for _, token := range text.Tokens {
			w.Ends(token)
		}
		if before, ended := w.Text(); ended {
			return before
		}
	}
	return a.Codec.Text(text.Tokens)
}
