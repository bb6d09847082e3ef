package together

import (
	"context"
	"fmt"

	"parley/engine"
	"parley/recipe"
	"parley/rl/learn/preference"
	"parley/rl/rollout"
	"parley/task"
	"parley/team"
	"parley/train/lineup"
)

// central lets the actor of the first agent write for all agents of a team at once, each between tags, and takes its texts apart. They have the room
// that the agents have together. A text without a block for every agent is no candidate.
func central(ctx context.Context, r *rollout.Runner, purpose string, update int, problems []task.Problem) ([]*rollout.Episode, error) {
	agents := r.Protocol.Agents()
	one := *r
	writer := r.Actors[0]
	if own := writer.Own; own != nil {
		writer.Own = func(d rollout.Draw) rollout.Draw { // texts with tags are none of an agent's form
			d = own(d)
			d.Form = ""
			return d
		}
	}
	one.Protocol, one.Actors, one.Scorer = team.Centrally(r.Protocol), []rollout.Actor{writer}, nobody{}
	one.Settings.MaxTokens *= agents
	episodes, err := one.Run(ctx, purpose, update, problems)
	if err != nil {
		return nil, err
	}
	var items []rollout.ScoreItem
	for _, e := range episodes {
		if len(e.Nodes) != 1 {
			return nil, fmt.Errorf("internal error: one model writes for all agents of problem %s in several turns", e.Problem.ID)
		}
		n := e.Nodes[0]
		if apart(n, agents); n.Failed == "" && len(n.Joint) > 0 {
			items = append(items, rollout.ScoreItem{Problem: e.Problem, Node: n, Agents: agents})
		}
	}
	if len(items) == 0 {
		return episodes, nil
	}
	return episodes, r.Scorer.Score(ctx, items)
}

// apart gives every agent its part of what was written. A part is whole: its block was closed.
func apart(n *rollout.Node, agents int) {
	written := n.Agents[0]
	n.Agents, n.Joint, n.Rewards, n.Scored = make([]rollout.AgentTurn, agents), nil, nil, nil
	for agent := range n.Agents {
		n.Agents[agent] = rollout.AgentTurn{Agent: agent, Sampling: written.Sampling, Messages: written.Messages}
	}
	for _, c := range written.Completions {
		parts, ok := team.Split(c.Text, agents)
		if !ok {
			continue
		}
		action := make([]int, agents)
		for agent, text := range parts {
			of := &n.Agents[agent]
			action[agent] = len(of.Completions)
			of.Completions = append(of.Completions, rollout.Completion{Text: text, Stop: engine.StopEOS})
		}
		n.Joint = append(n.Joint, action)
	}
}

// nobody scores what is not taken apart yet.
type nobody struct{}

// Score implements [rollout.Scorer].
func (nobody) Score(_ context.Context, turn []rollout.ScoreItem) error {
	for _, t := range turn {
		t.Node.Rewards = make([]float64, len(t.Node.Joint))
	}
	return nil
}

// WriteRival lets the comparator of a lineup's recipe write in the place of the team that r is of. watch is told what runs.
func WriteRival(ctx context.Context, l lineup.Lineup, r *rollout.Runner, watch func(*rollout.Runner) *rollout.Runner, purpose string, update int, problems []task.Problem) ([]*rollout.Episode, error) {
	others := watch(l.Comparators(r))
	run := others.Run
	if recipe.Section[preference.Settings](l.Recipe).Central {
		run = func(ctx context.Context, purpose string, update int, problems []task.Problem) ([]*rollout.Episode, error) {
			return central(ctx, others, purpose, update, problems)
		}
	}
	episodes, err := run(ctx, purpose, update, problems)
	if err != nil {
		return nil, err
	}
	return episodes, l.Encode(episodes)
}
