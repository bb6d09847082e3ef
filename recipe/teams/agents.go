package teams

import (
	"fmt"
	"strings"

	"parley/internal/service/web"
	"parley/recipe/keys"
	"parley/team/workflow"
)

// Facts are what decides beside a team's keys whether its agents may have settings of their own.
type Facts struct {
	Models    bool     // the recipe names the bases of all agents
	OneModel  string   // what lets one model do the work of all agents, such as team.protocol central; empty: nothing does
	Bases     []string // of all agents
	Elsewhere string   // which engine computes in the embedded one's place: tinker or torch; empty: none does
	Sharing   string   // who shares an adapter
	Full      bool     // policies train all parameters
	DType     string   // how bases are held
	Penalty   bool     // there is a KL penalty
	Source    string   // of rewards
	Eval      keys.Eval
	Harness   bool   // a program of the user's asks the agents
	Joint     bool   // answers of a turn are rewarded together
	Learner   string // what there is, or is not, such as algorithm sft
}

// Faults is what is wrong with what agents have of their own.
func Faults(t keys.Team, f Facts) (list workflow.Faults) {
	if len(t.Agents.Named) > 0 && len(t.Prompts.Roles) > 0 {
		list = append(list, workflow.Fault{Place: "team.agents", Message: "team.agents has names, but team.prompts.roles gives them roles one by one", Hint: "write the role of each agent as its key role"})
	}
	list = append(list, proposals(t, f)...)
	list = append(list, harness(t, f)...)
	list = append(list, full(f)...)
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

// full refuses to train whole copies beside a base that is held in less than its copies.
func full(f Facts) workflow.Faults {
	if !f.Full || f.DType == "f32" {
		return nil
	}
	return workflow.Faults{{
		Place:   "engine.dtype",
		Message: fmt.Sprintf("engine.dtype is %s, but policies.full trains copies in f32: they would begin as other models than the rounded base, which the KL penalty and the untrained team are", f.DType),
		Hint:    "set engine.dtype to f32, or leave policies.full out: adapters are trained over any base",
	}}
}

// A complaint is about a key of an agent.
type complaint func(key, hint, format string, args ...any)

func ofAgent(a keys.Agent, f Facts) (list workflow.Faults) {
	wrong := func(key, hint, format string, args ...any) {
		place := "team.agents." + a.Name + "." + key
		list = append(list, workflow.Fault{Place: place, Message: place + " " + fmt.Sprintf(format, args...), Hint: hint})
	}
	by := a.Speaker()
	if waits := by == "program" || by == "endpoint" || by == "executor"; !waits && a.Waits() {
		wrong("seconds", "leave both out", "and retries are about a program, an endpoint or an executor, which does not speak for the agent")
	}
	if by != "" {
		speaks(a, by, f, wrong)
		return list
	}
	if a.Model != "" && f.Models {
		wrong("model", "leave models out", "names a base, and models names those of all agents too")
	}
	if f.Full && a.Adapter.Own() && !a.Frozen {
		wrong("adapter", "leave it out, or policies.full", "has no effect: policies.full trains whole copies of the bases")
	}
	for key, own := range map[string]bool{"adapter": a.Adapter.Own(), "optimizer": a.Optimizer.Own(), "kl": a.KL != nil} {
		if a.Frozen && own {
			wrong(key, "leave it out", "has no effect: the agent is frozen, which is never trained")
		}
	}
	switch {
	case a.Engine == "tinker" && f.Elsewhere != "tinker":
		wrong("engine", "set engine.tinker.url", "is a server, of which the recipe has none")
	case a.Engine == "torch" && f.Elsewhere != "torch":
		wrong("engine", "set engine.torch.device to auto", "is torch, but engine.torch.device is empty")
	case a.Engine == "embedded" && f.Elsewhere == "":
		wrong("engine", "leave it out", "has no effect: all agents compute on the embedded engine, since engine.tinker.url and engine.torch.device are empty")
	}
	if a.KL != nil && !a.Frozen && !f.Penalty {
		wrong("kl", "leave it out", "is the coefficient of a KL penalty, which %s does not have", f.Learner)
	}
	return list
}

// speaks complains about an agent that is no model: by is what speaks for it.
func speaks(a keys.Agent, by string, f Facts, wrong complaint) {
	if by != "endpoint" && a.Endpoint != (keys.AgentEndpoint{}) {
		wrong("endpoint", "leave it out", "speaks for the agent, and so does its %s", by)
	}
	if by == "script" && len(a.Program) > 0 {
		wrong("program", "leave it out", "speaks for the agent, and so does its script")
	}
	if by != "executor" && a.Executor != "" {
		wrong("executor", "leave it out", "speaks for the agent, and so does its %s", by)
	}
	if f.OneModel != "" {
		wrong(by, "leave it out, or choose protocol parallel, in which every agent speaks for itself", "speaks for the agent, but one model writes for all agents (%s)", f.OneModel)
	}
	if f.Models {
		wrong(by, "leave models out, and write the bases of others as their key model", "speaks for the agent, but models gives it a base")
	}
	for _, key := range []struct {
		name string
		own  bool
	}{
		{"model", a.Model != ""},
		{"engine", a.Engine != ""},
		{"frozen", a.Frozen},
		{"adapter", a.Adapter.Own()},
		{"optimizer", a.Optimizer.Own()},
		{"kl", a.KL != nil},
		{"reward", a.Reward != keys.AgentReward{Team: 1}},
	} {
		if key.own {
			wrong(key.name, "leave it out", "has no effect: the agent speaks by its %s and is never trained", by)
		}
	}
	if len(a.Tools) > 0 {
		wrong("tools", "leave it out, or let its "+by+" do what the tool does", "has no effect: the agent speaks by its %s, which calls nothing; models call tools", by)
	}
	switch s := a.Sampling; {
	case by != "endpoint" && s.Own():
		wrong("sampling", "leave it out", "has no effect: its %s draws no tokens", by)
	case s.TopK != nil || s.MinTokens != nil:
		wrong("sampling", "leave them out", "has top_k or min_tokens, which chat completions do not have")
	}
	switch e := a.Endpoint; {
	case by != "endpoint":
	case web.OfHost(e.URL):
		if e.TokenEnv != "" {
			wrong("endpoint", "leave token_env out", "has the token_env %s, but the program that starts parley has a token of its own for %s", e.TokenEnv, e.URL)
		}
	case !keys.WebAddress(e.URL) || e.Model == "":
		wrong("endpoint", `write for example endpoint: {url: "http://127.0.0.1:8000/v1", model: big}`, "has the url %q and the model %q, expected an http address and a name", e.URL, e.Model)
	}
}

// WhyUntrained says of each agent why it is not trained, where none is.
func WhyUntrained(agents keys.Agents, frozen []int) string {
	var out []string
	for i, name := range agents.Names() {
		switch speaker := agents.Speakers()[name]; {
		case speaker != "":
			out = append(out, name+" speaks by its "+speaker)
		case i < len(agents.Named) && agents.Named[i].Frozen:
			out = append(out, name+" is frozen")
		default:
			return fmt.Sprintf("policies.frozen is %v", frozen)
		}
	}
	return strings.Join(out, ", ")
}
