package measure

import (
	"context"
	"fmt"
	"slices"

	"parley/engine"
	"parley/rl/rollout"
	"parley/task"
	"parley/task/environment"
	"parley/team"
)

// Logprobs implements [environment.Table].
func (t *table) Logprobs(ctx context.Context, at []environment.Situation) ([][]float64, error) {
	asked, err := t.reach(ctx, at)
	if err != nil {
		return nil, err
	}
	// All texts of one engine are scored together.
	data, places := map[engine.Engine][]engine.Datum{}, map[engine.Engine][]*float64{}
	out := make([][]float64, len(at))
	for i, s := range at {
		out[i] = make([]float64, len(s.Texts))
		e := t.runner.Actors[asked[i].Agent].Engine
		for k, text := range s.Texts {
			d, err := t.datum(asked[i], text)
			if err != nil {
				return nil, err
			}
			data[e], places[e] = append(data[e], d), append(places[e], &out[i][k])
		}
	}
	for e, list := range data {
		outputs, err := e.Forward(ctx, list)
		if err != nil {
			return nil, fmt.Errorf("probabilities of moves: %w", err)
		}
		for i, o := range outputs {
			for _, lp := range o.Logprobs {
				*places[e][i] += float64(lp)
			}
		}
	}
	return out, nil
}

// reach lets a script say what leads to each situation, and returns who is asked there, and what.
func (t *table) reach(ctx context.Context, at []environment.Situation) ([]*rollout.AgentTurn, error) {
	problems := make([]task.Problem, len(at))
	for i, s := range at {
		problems[i] = s.Problem
	}
	episodes, err := t.run(ctx, problems, func(e *rollout.Episode, agent int, h team.History, _ uint64) (string, bool, error) {
		said := 0
		for _, a := range h {
			if a.Agent == agent {
				said++
			}
		}
		if list := at[e.Index].Said[t.runner.Actors[agent].Name]; said < len(list) {
			return list[said], true, nil
		}
		return "", true, nil // the situation is behind it
	})
	if err != nil {
		return nil, err
	}
	out := make([]*rollout.AgentTurn, len(at))
	for i, e := range episodes {
		if out[i] = t.asked(e, at[i].Agent, len(at[i].Said[at[i].Agent])); out[i] == nil {
			return nil, fmt.Errorf("game %s: %s is not asked after %q", e.Problem.ID, at[i].Agent, at[i].Said)
		}
	}
	return out, nil
}

// asked is where an agent is asked that has spoken so many times; nil: it is not.
func (t *table) asked(e *rollout.Episode, agent string, spoken int) *rollout.AgentTurn {
	for _, n := range e.Nodes {
		for i, a := range n.Agents {
			if t.runner.Actors[a.Agent].Name != agent {
				continue
			}
			if spoken == 0 {
				return &n.Agents[i]
			}
			spoken--
		}
	}
	return nil
}

// datum is a text as the whole answer of who was asked: with an end token, where there is room for one.
func (t *table) datum(asked *rollout.AgentTurn, text string) (engine.Datum, error) {
	base := t.lineup.BaseOf(asked.Agent)
	tokens, err := base.Model.Encode(text)
	if err != nil {
		return engine.Datum{}, fmt.Errorf("encode %q: %w", text, err)
	}
	if len(tokens) < t.runner.Settings.MaxTokens {
		tokens = append(tokens, base.Model.Stop()[0])
	}
	all := append(slices.Clone(asked.Prompt), tokens...)
	return engine.Datum{Policy: asked.Policy, Tokens: all, ScoreFrom: len(asked.Prompt), Sampling: asked.Sampling, Mask: asked.Mask}, nil
}
