package teams

import (
	"fmt"

	"parley/recipe/keys"
	"parley/team/workflow"
)

// Facts are what decides beside a team's keys whether its agents may have settings of their own.
type Facts struct {
	Models  bool     // the recipe names the bases of all agents
	Bases   []string // of all agents
	Sharing string   // who shares an adapter
	Penalty bool     // there is a KL penalty
	Learner string   // what there is, or is not, such as algorithm sft
}

// Faults is what is wrong with what agents have of their own.
func Faults(t keys.Team, f Facts) (list workflow.Faults) {
	if len(t.Agents.Named) > 0 && len(t.Prompts.Roles) > 0 {
		list = append(list, workflow.Fault{Place: "team.agents", Message: "team.agents has names, but team.prompts.roles gives them roles one by one", Hint: "write the role of each agent as its key role"})
	}
	for _, a := range t.Agents.Named {
		list = append(list, ofAgent(a, f)...)
	}
	if f.Sharing != "per-agent" && f.Sharing != "per-agent-turn" {
		if a, b, clash := t.Agents.Clash(f.Bases); clash {
			list = append(list, workflow.Fault{
				Place:   "team.agents." + b,
				Message: fmt.Sprintf("team.agents.%s and team.agents.%s share an adapter (policies.sharing %s), but have other settings for adapter, optimizer or kl", a, b, f.Sharing),
				Hint:    "set policies.sharing to per-agent, or give both the same settings",
			})
		}
	}
	return list
}

func ofAgent(a keys.Agent, f Facts) (list workflow.Faults) {
	wrong := func(key, hint, format string, args ...any) {
		place := "team.agents." + a.Name + "." + key
		list = append(list, workflow.Fault{Place: place, Message: place + " " + fmt.Sprintf(format, args...), Hint: hint})
	}
	if a.Model != "" && f.Models {
		wrong("model", "leave models out", "names a base, and models names those of all agents too")
	}
	if a.KL != nil && !f.Penalty {
		wrong("kl", "leave it out", "is the coefficient of a KL penalty, which %s does not have", f.Learner)
	}
	return list
}
