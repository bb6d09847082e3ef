package lineup

import (
	"context"
	"errors"
	"strings"
	"time"

	"parley/internal/usererror"
	"parley/rl/rollout"
	"parley/rl/rollout/tools"
)

// bytesOfToken is about the most that a token of a result stands for; longer results are cut before they are counted in tokens.
const bytesOfToken = 16

// A toolbox is what agents may call, opened once: functions by their list, and agents by their base and that list.
type toolbox struct {
	functions map[string]*tools.Functions
	agents    map[*Base]map[string]*tools.Agent
}

// openTools opens what the agents of the recipe may call.
func (l *Lineup) openTools(ctx context.Context) error {
	l.tools = toolbox{functions: map[string]*tools.Functions{}, agents: map[*Base]map[string]*tools.Agent{}}
	if l.Recipe.OneModel() || !l.purpose.speaks() {
		return nil // nobody calls anything
	}
	t := l.Recipe.Team
	for agent := range l.Protocol.Agents() {
		names, b, key := t.ToolsOf(agent), l.BaseOf(agent), l.toolsOf(agent)
		if len(names) == 0 || l.tools.agents[b][key] != nil {
			continue
		}
		at := "team.tools.use"
		if agent < len(t.Agents.Named) && len(t.Agents.Named[agent].Tools) > 0 {
			at = "team.agents." + t.Agents.Named[agent].Name + ".tools"
		}
		f, err := l.openFunctions(ctx, key, names)
		if err != nil {
			return usererror.Errorf("%s: %w", at, err)
		}
		a, err := tools.New(b.Model, f, tools.Settings{Calls: t.Tools.Calls, ResultTokens: t.Tools.ResultTokens, Form: t.Tools.Form, Open: t.Tools.Open, Close: t.Tools.Close})
		if err != nil {
			return usererror.Errorf("%s, for model %s: %w", at, b.Name, err)
		}
		if l.tools.agents[b] == nil {
			l.tools.agents[b] = map[string]*tools.Agent{}
		}
		l.tools.agents[b][key] = a
	}
	return nil
}

// toolsOf names what an agent of the team may call.
func (l Lineup) toolsOf(agent int) string { return strings.Join(l.Recipe.Team.ToolsOf(agent), "\n") }

// openFunctions opens functions, those of one list once.
func (l *Lineup) openFunctions(ctx context.Context, key string, names []string) (*tools.Functions, error) {
	if f, open := l.tools.functions[key]; open {
		return f, nil
	}
	t := l.Recipe.Team.Tools
	f, err := tools.Open(ctx, names, tools.Limits{Deadline: time.Duration(t.Seconds * float64(time.Second)), Output: bytesOfToken * t.ResultTokens})
	if err == nil {
		l.tools.functions[key] = f
	}
	return f, err
}

// equip gives an actor what its agent may call.
func (l Lineup) equip(actor *rollout.Actor, agent int) {
	if actor.Speaker != nil {
		return // what is no model calls nothing
	}
	b := l.BaseOf(agent)
	if a := l.tools.agents[b][l.toolsOf(agent)]; a != nil {
		a = a.Stopping(b.stopsOf(actor.Name))
		actor.Codec, actor.Tools = a, a
	}
}

// codecOf writes the prompts of an agent.
func (l Lineup) codecOf(agent int) rollout.Codec {
	b := l.BaseOf(agent)
	actor := rollout.Actor{Name: l.Recipe.AgentName(agent), Codec: b.Model}
	l.equip(&actor, agent)
	return actor.Codec
}

// close ends what runs calls.
func (t toolbox) close() error {
	var errs []error
	for _, f := range t.functions {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}
