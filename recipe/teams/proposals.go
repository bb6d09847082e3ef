package teams

import (
	"fmt"
	"slices"

	"parley/recipe/keys"
	"parley/team/workflow"
)

// FirstAsked are the agents, from 0, of a workflow's first step, in agent order; nil: it asks no agents by name.
func FirstAsked(t keys.Team) []int {
	if len(t.Workflow) == 0 {
		return nil
	}
	var out []int
	for _, name := range t.Workflow[0].Ask {
		at := slices.Index(t.Agents.Names(), name)
		if at < 0 {
			return nil
		}
		out = append(out, at)
	}
	slices.Sort(out)
	return out
}

// proposals is what is wrong with proposals that are drawn once.
func proposals(t keys.Team, f Facts) (list workflow.Faults) {
	if t.Proposals.Each == 0 {
		return nil
	}
	wrong := func(hint, format string, args ...any) {
		list = append(list, workflow.Fault{Place: "team.proposals.each", Message: fmt.Sprintf(format, args...), Hint: hint})
	}
	first := FirstAsked(t)
	if len(first) == 0 || len(t.Workflow) < 2 {
		wrong("write the agents who propose in the first step of team.workflow, by their names", "team.proposals.each is %d, but no first step asks agents by name, with another step behind it", t.Proposals.Each)
	}
	for _, agent := range first {
		if a := t.Agents.Named; agent < len(a) && !a[agent].Frozen && a[agent].Speaker() == "" {
			wrong("write frozen: true there, or leave team.proposals out", "team.proposals.each is %d, which are drawn once, but team.agents.%s is trained", t.Proposals.Each, a[agent].Name)
		}
	}
	if f.Sharing == "per-turn" || f.Sharing == "per-agent-turn" {
		wrong("set policies.sharing to per-agent", "team.proposals.each is %d, so training begins with the second step, but policies.sharing %s has a policy for each turn", t.Proposals.Each, f.Sharing)
	}
	if f.Joint {
		wrong("leave team.proposals out", "team.proposals.each is %d, but answers of this task are not right or wrong one by one", t.Proposals.Each)
	}
	return list
}
