package team

import (
	"fmt"
	"maps"
	"slices"

	"parley/task"
)

// Viewers are the names of agents by the field that they alone see. Fields that are not there are seen by all.
//
// Prompts of others have no such field. [Viewers.Kept] checks that this is enough: it makes the asks of a turn once more, after the same history,
// about a problem in which one hidden field has another text. If another agent is then asked, or the prompt of an agent who does not see the
// field changes, the field has leaked. What a viewer said of the field is part of the history: others may read it (SWEET-RL, arXiv 2503.15478,
// §3).
type Viewers map[string][]string

// See says whether an agent may read a field.
func (v Viewers) See(agent, field string) bool {
	names, hidden := v[field]
	return !hidden || slices.Contains(names, agent)
}

// Open are the fields that an agent may read. The empty name, which no agent has, sees the fields that all see.
func (v Viewers) Open(fields map[string]string, agent string) map[string]string {
	if len(v) == 0 {
		return fields
	}
	out := maps.Clone(fields)
	maps.DeleteFunc(out, func(field, _ string) bool { return !v.See(agent, field) })
	return out
}

// Unknown lists the names of viewers who are not among the agents, each with its field, in the order of fields.
func (v Viewers) Unknown(agents []string) (fields, names []string) {
	for _, field := range slices.Sorted(maps.Keys(v)) {
		for _, name := range v[field] {
			if !slices.Contains(agents, name) {
				fields, names = append(fields, field), append(names, name)
			}
		}
	}
	return fields, names
}

// Kept returns an error if a move about a problem depends on a field that is hidden from the agent who is asked. move makes it again about another
// problem, after the same history.
func (v Viewers) Kept(p task.Problem, agents []string, m Move, move func(task.Problem) (Move, error)) error {
	for _, field := range slices.Sorted(maps.Keys(v)) {
		text, there := p.Fields[field]
		if !there {
			continue
		}
		other := p
		other.Fields = maps.Clone(p.Fields)
		other.Fields[field] = "⟦" + text + "⟧"
		again, err := move(other)
		if err != nil {
			return fmt.Errorf("problem %s: with another text in the field %s, which is hidden, the team fails: %w", p.ID, field, err)
		}
		if err := v.same(field, agents, m, again); err != nil {
			return fmt.Errorf("problem %s: %w", p.ID, err)
		}
	}
	return nil
}

// same compares two moves about problems that differ in a field.
func (v Viewers) same(field string, agents []string, m, again Move) error {
	asked := func(a, b Ask) bool { return a.Agent == b.Agent }
	if again.Acts != m.Acts || !slices.Equal(again.Actors, m.Actors) || !slices.EqualFunc(again.Asks, m.Asks, asked) {
		return fmt.Errorf("who speaks depends on the field %s, which is hidden", field)
	}
	for i, ask := range m.Asks {
		name := agents[ask.Agent]
		if !v.See(name, field) && !slices.EqualFunc(ask.Messages, again.Asks[i].Messages, Message.Equal) {
			return fmt.Errorf("the prompt of %s in turn %d depends on the field %s, which is hidden from it", name, ask.Turn+1, field)
		}
	}
	return nil
}
