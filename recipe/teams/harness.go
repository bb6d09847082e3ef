package teams

import (
	"fmt"
	"slices"

	"parley/recipe/keys"
	"parley/team/workflow"
)

// harness is what is wrong with the program in which a team works, and with what else is asked of such a team.
func harness(t keys.Team, f Facts) (list workflow.Faults) {
	wrong := func(place, hint, format string, args ...any) {
		list = append(list, workflow.Fault{Place: place, Message: fmt.Sprintf(format, args...), Hint: hint})
	}
	if !f.Harness {
		if f.Source == keys.OfHarness {
			wrong("reward.source", "set team.protocol to harness", "reward.source is %s, but team.protocol is %s: no program says what is earned", f.Source, t.Protocol)
		}
		return list
	}
	if place, fault, hint := t.HarnessFault(); fault != "" {
		wrong(place, hint, "%s", fault)
	}
	for _, a := range t.Agents.Named {
		for _, key := range []struct {
			name string
			own  bool
		}{{"role", a.Role != ""}, {"system", a.System != ""}, {"tools", len(a.Tools) > 0}} {
			if place := "team.agents." + a.Name + "." + key.name; key.own {
				wrong(place, "leave it out: the program of the team writes the prompts", "%s has no effect with team.protocol %s", place, t.Protocol)
			}
		}
	}
	if f.Sharing != "shared" && f.Sharing != "per-agent" {
		wrong("policies.sharing", "set policies.sharing to per-agent, or to shared", "policies.sharing is %s, but with team.protocol %s each call of the program is a turn", f.Sharing, t.Protocol)
	}
	if f.Source == keys.Preferences {
		wrong("reward.source", "set reward.source to harness, label, joint or user", "reward.source is %s, which compares joint responses of one turn, but a program plays whole episodes", f.Source)
	}
	for _, name := range f.Eval.Baselines {
		if alone := name == "single" || name == "majority-vote"; alone && f.Source == keys.OfHarness {
			wrong("eval.baselines", "leave it out", "eval.baselines names %s, but the program of the team alone says what is earned (reward.source %s)", name, f.Source)
		}
		if slices.Contains([]string{"concatenation", "pipeline", "discussion", "trained-single"}, name) {
			wrong("eval.baselines", "leave it out", "eval.baselines names %s, which is a team of another protocol, but the agents of this one know only what its program asks them", name)
		}
	}
	if f.Eval.Passes > 1 || len(f.Eval.Ablations) > 0 {
		wrong("eval", "leave it out", "eval.passes and eval.ablations compare votes over the team's answers, which its program does not leave behind")
	}
	if f.Eval.Solving() > 0 && (f.Source == "user" || f.Source == keys.OfHarness) {
		wrong("eval", "leave it out", "eval.pass_at and eval.accuracy_at need to know what is solved, which reward.source %s does not say of a program's answer", f.Source)
	}
	return list
}
