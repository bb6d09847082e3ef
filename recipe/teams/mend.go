package teams

// This file finds all that is wrong with a workflow in one go.
//
//	faults := mend.Faults(spec) // nil: workflow.New makes it
//
// [workflow.New] rehearses a workflow only if its parts are sound: only a rehearsal shows what templates can read and which agents
// expressions name. A workflow with other faults is mended first, so that it can be rehearsed all the same. Broken parts are left out, and a
// step whose agents are unclear asks all agents. So a mistake in one step hides no mistake in another, and no fault is reported that is not
// there.

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"parley/team/workflow"
)

// WorkflowFaults is everything that is wrong with a workflow, each with its place.
func WorkflowFaults(s workflow.Spec) workflow.Faults {
	all := faultsOf(s)
	if len(all) == 0 || s.Program != "" || len(s.Agents) == 0 || slices.ContainsFunc(all, ofAgents) {
		return all
	}
	for known := 0; known < len(all); { // a template that cannot be filled in hides what it reads too early
		known = len(all)
		for _, f := range faultsOf(mended(s, all)) {
			if rehearsed.MatchString(f.Place) && !slices.Contains(all, f) {
				all = append(all, f)
			}
		}
	}
	return all
}

func faultsOf(s workflow.Spec) workflow.Faults {
	_, err := workflow.New(s)
	faults, _ := err.(workflow.Faults)
	return faults
}

// ofAgents says that a fault is about the list of agents. The workflow cannot be rehearsed then.
func ofAgents(f workflow.Fault) bool {
	return strings.HasPrefix(f.Place, "team.agents") && !strings.HasSuffix(f.Place, ".system") && !strings.HasSuffix(f.Message, "is never asked")
}

// rehearsed are the places at which a rehearsal finds faults: templates and expressions.
var rehearsed = regexp.MustCompile(`^team\.workflow$|\.(prompt(\[\d+\])?|system|when|until|note|ask)$`)

// A mender mends a workflow by its faults.
type mender struct {
	broken map[string]bool // places
	names  []string        // of agents, and of the groups that steps assign
	agents int
}

// everybody is what a step asks if it is not clear which agents were meant: all of them.
var everybody = "=agents"

func mended(s workflow.Spec, faults workflow.Faults) workflow.Spec {
	m := mender{broken: map[string]bool{}, agents: len(s.Agents)}
	for _, f := range faults {
		m.broken[f.Place] = true
	}
	agents := slices.Clone(s.Agents)
	for i, a := range agents {
		m.names = append(m.names, a.Name)
		if m.broken["team.agents."+a.Name+".system"] {
			agents[i].System = ""
		}
	}
	if m.broken["team.prompts.system"] {
		s.System = ""
	}
	s.Agents, s.World, s.Answer = agents, true, workflow.Answer{Kind: workflow.Computed, Expr: `""`}
	// The last step asks all agents, so that none is reported as never asked.
	s.Steps = append(m.steps(s.Steps), m.ask("team.workflow", ""))
	return s
}

// ask is a step that asks everybody.
func (m *mender) ask(place, prompt string) workflow.Step {
	return workflow.Step{Place: place, Ask: []string{everybody}, Prompts: []string{prompt}}
}

func (m *mender) steps(list []workflow.Step) []workflow.Step {
	out := []workflow.Step{}
	for _, s := range list {
		out = append(out, m.step(s)...)
	}
	return out
}

// step is a step without what is broken in it.
func (m *mender) step(s workflow.Step) []workflow.Step {
	for key, text := range map[string]*string{"when": &s.When, "until": &s.Until, "note": &s.Note} {
		if m.broken[s.Place+"."+key] {
			*text = ""
		}
	}
	switch {
	case len(s.Ask) > 0:
		return m.asks(s)
	case len(s.Steps) > 0:
		return []workflow.Step{{Place: s.Place, Repeat: min(max(s.Repeat, 1), 2), Until: s.Until, Steps: m.steps(s.Steps)}}
	case len(s.Groups) > 0:
		return m.groups(s)
	}
	return []workflow.Step{m.ask(s.Place, "")} // whatever was meant
}

// asks mends a step that asks. Where it is not clear who is asked what, everybody is asked everything.
func (m *mender) asks(s workflow.Step) []workflow.Step {
	prompts := slices.Clone(s.Prompts)
	for i := range prompts {
		if m.broken[fmt.Sprintf("%s.prompt[%d]", s.Place, i)] || len(prompts) == 1 && m.broken[s.Place+".prompt"] {
			prompts[i] = ""
		}
	}
	unclear := m.broken[s.Place] || m.broken[s.Place+".ask"] || m.broken[s.Place+".prompt"] && len(prompts) > 1
	for _, name := range s.Ask {
		unclear = unclear || !strings.HasPrefix(name, "=") && !slices.Contains(m.names, name)
	}
	if !unclear {
		return []workflow.Step{{Place: s.Place, Ask: s.Ask, Prompts: prompts, Continue: s.Continue, When: s.When, Note: s.Note}}
	}
	out := []workflow.Step{m.ask(s.Place, "")}
	for _, p := range prompts {
		step := m.ask(s.Place, p)
		step.When, step.Note = s.When, s.Note
		out = append(out, step)
	}
	return out
}

// groups keeps what can be drawn of the groups of a step.
func (m *mender) groups(s workflow.Step) []workflow.Step {
	out := workflow.Step{Place: s.Place}
	for _, g := range s.Groups {
		if len(out.Groups) < m.agents && !m.broken[s.Place+".groups."+g.Name] && !slices.Contains(m.names, g.Name) {
			out.Groups, m.names = append(out.Groups, workflow.Group{Name: g.Name, Size: 1}), append(m.names, g.Name)
		}
	}
	if len(out.Groups) == 0 {
		return nil
	}
	return []workflow.Step{out}
}
