package keys

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"parley/recipe/schema"
)

// Agents are a team: so many agents without names of their own, or agents by name, in order, each with what it has of its own.
type Agents struct {
	N     int
	Named []Agent // N of them, or none
}

// An Agent has what the recipe says, but for what it says of its own.
type Agent struct {
	Name      string         `yaml:"-"`
	Role      string         `yaml:"role"`
	System    string         `yaml:"system"`
	Model     string         `yaml:"model" names:"model"`
	Engine    string         `yaml:"engine" oneof:"embedded tinker torch"`
	Frozen    bool           `yaml:"frozen"`
	Sampling  AgentSampling  `yaml:"sampling"`
	Adapter   AgentAdapter   `yaml:"adapter"`
	Optimizer AgentOptimizer `yaml:"optimizer"`
	Script    string         `yaml:"script" names:"file"`
	Program   []string       `yaml:"program" names:"command" reach:"runs"`
	Endpoint  AgentEndpoint  `yaml:"endpoint"`
	Executor  string         `yaml:"executor" oneof:"tests speed"`
	Seconds   float64        `yaml:"seconds" default:"60" min:"0.01"`
	Retries   int            `yaml:"retries" default:"2" min:"0" max:"20"`
	KL        *float64       `yaml:"kl" min:"0"`
	Reward    AgentReward    `yaml:"reward"`
	Tools     []string       `yaml:"tools" names:"tool" reach:"asks"`
}

// AgentEndpoint is an OpenAI-compatible server that speaks in the place of a base.
type AgentEndpoint struct {
	URL      string `yaml:"url" reach:"asks"`
	Model    string `yaml:"model"`
	TokenEnv string `yaml:"token_env" reach:"tells"`
	Stream   bool   `yaml:"stream"`
}

// AgentReward weighs what an agent learns from: the team's reward, what is paid to itself alone, and what is paid to the other agents alone.
type AgentReward struct {
	Team   float64 `yaml:"team" default:"1"`
	Own    float64 `yaml:"own" default:"0"`
	Others float64 `yaml:"others" default:"0"`
}

// AgentSampling are an agent's own settings of section sampling; what is left out is as there.
type AgentSampling struct {
	Temperature *float64 `yaml:"temperature" min:"0.01" max:"10"`
	TopK        *int     `yaml:"top_k" min:"0"`
	TopP        *float64 `yaml:"top_p" min:"0.01" max:"1"`
	MaxTokens   *int     `yaml:"max_tokens" min:"1"`
	MinTokens   *int     `yaml:"min_tokens" min:"0"`
	Stop        []string `yaml:"stop"`
	Schema      Schema   `yaml:"schema" names:"file"`
	Regex       *string  `yaml:"regex"`
}

// AgentAdapter are an agent's own settings of its adapter.
type AgentAdapter struct {
	Rank    *int     `yaml:"rank" min:"1" max:"1024"`
	Alpha   *float64 `yaml:"alpha" min:"0.001"`
	Targets []string `yaml:"targets" oneof:"q_proj k_proj v_proj o_proj gate_proj up_proj down_proj qkv_proj gate_up_proj"`
}

// AgentOptimizer are an agent's own settings of section optimizer.
type AgentOptimizer struct {
	LR          *float64 `yaml:"lr" min:"0"`
	Beta1       *float64 `yaml:"beta1" min:"0" max:"0.9999"`
	Beta2       *float64 `yaml:"beta2" min:"0" max:"0.99999"`
	WeightDecay *float64 `yaml:"weight_decay" min:"0"`
	ClipNorm    *float64 `yaml:"clip_norm" min:"0"`
	Warmup      *int     `yaml:"warmup" min:"0"`
}

// Speaker is what speaks in the place of a base: script, program, endpoint or executor; empty: nothing does.
func (a Agent) Speaker() string {
	switch {
	case a.Script != "":
		return "script"
	case len(a.Program) > 0:
		return "program"
	case a.Endpoint != AgentEndpoint{}:
		return "endpoint"
	case a.Executor != "":
		return "executor"
	}
	return ""
}

// Speakers are what speaks for agents that are no models, by the agents' names.
func (a Agents) Speakers() map[string]string {
	out := map[string]string{}
	for _, x := range a.Named {
		if by := x.Speaker(); by != "" {
			out[x.Name] = by
		}
	}
	return out
}

// Waits says that how long is waited for an agent is its own.
func (a Agent) Waits() bool {
	var usual Agent
	schema.Defaults(&usual)
	return a.Seconds != usual.Seconds || a.Retries != usual.Retries
}

// Own says that sampling has settings of its own.
func (s AgentSampling) Own() bool {
	return s.Temperature != nil || s.TopK != nil || s.TopP != nil || s.MaxTokens != nil || s.MinTokens != nil || len(s.Stop) > 0 || s.Schema != "" || s.Regex != nil
}

// Own says that an adapter has settings of its own.
func (a AgentAdapter) Own() bool { return a.Rank != nil || a.Alpha != nil || len(a.Targets) > 0 }

// Own says that an optimizer has settings of its own.
func (o AgentOptimizer) Own() bool { return o != AgentOptimizer{} }

// mostAgents is the most of a team.
const mostAgents = 64

// AgentName is the form of names: templates, expressions and files have to hold them.
var AgentName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Names are those of all agents: agent1, agent2, … where they have none of their own.
func (a Agents) Names() []string {
	out := make([]string, a.N)
	for i := range out {
		if out[i] = fmt.Sprintf("agent%d", i+1); i < len(a.Named) {
			out[i] = a.Named[i].Name
		}
	}
	return out
}

// Kind implements [schema.Tree].
func (*Agents) Kind() string { return "whole number, or agents by name" }

// Read implements [schema.Tree].
func (a *Agents) Read(n schema.Node) {
	const hint = "write agents: 2, or names with their settings: {writer: {}, critic: {role: Be strict.}}"
	if number, ok := n.Int(); ok {
		if a.N = number; number < 1 || number > mostAgents {
			n.Fail(fmt.Sprintf("%s is %d, expected 1 to %d", n.Path, number, mostAgents), "")
		}
		return
	}
	pairs, ok := n.Pairs()
	if !ok {
		n.Expect("a whole number, or agents by name", hint)
		return
	}
	if len(pairs) == 0 || len(pairs) > mostAgents {
		n.Fail(fmt.Sprintf("%s has %d agents, expected 1 to %d", n.Path, len(pairs), mostAgents), "")
	}
	for _, p := range pairs {
		var agent Agent
		schema.Defaults(&agent)
		agent.Name = p.Name
		if !AgentName.MatchString(p.Name) {
			p.Fail(fmt.Sprintf("%s: an agent cannot be named %q, as templates and expressions could not name it", n.Path, p.Name), "write letters, digits and underscores")
		}
		if !p.Null() {
			p.Section(&agent)
		}
		a.Named = append(a.Named, agent)
	}
	a.N = len(a.Named)
}

// Write implements [schema.Tree].
func (a *Agents) Write(indent string) string {
	if len(a.Named) == 0 {
		return fmt.Sprintf(" %d", a.N)
	}
	var b strings.Builder
	for _, agent := range a.Named {
		fmt.Fprintf(&b, "\n%s  %s:", indent, schema.Key(agent.Name))
		lines := schema.Lines(&agent, indent+"    ")
		if len(lines) == 0 {
			b.WriteString(" {}")
		}
		for _, line := range lines {
			b.WriteString("\n" + line)
		}
	}
	return b.String()
}

// Part implements [schema.Parted]: it is an agent of its own, whose keys may be changed.
func (a *Agents) Part(name string) any {
	at := slices.IndexFunc(a.Named, func(x Agent) bool { return x.Name == name })
	if at < 0 {
		return nil
	}
	a.Named = slices.Clone(a.Named) // presets share theirs
	return &a.Named[at]
}

// Parts implements [schema.Parted].
func (a *Agents) Parts() (names []string, none string) {
	if len(a.Named) == 0 {
		return nil, "agents without names have nothing of their own: give them names in the recipe, agents: {writer: {}, critic: {}}"
	}
	return a.Names(), ""
}

// Bases are those of all agents: their own, or the usual one. Of an agent that is no model it is that of the agent from 0 who stands for the team:
// with it others read what that one says.
func (a Agents) Bases(usual string, soloist int) []string {
	bases := slices.Repeat([]string{usual}, a.N)
	for i, x := range a.Named {
		bases[i] = cmp.Or(x.Model, usual)
	}
	for i, x := range a.Named {
		if x.Speaker() != "" {
			bases[i] = bases[soloist]
		}
	}
	return bases
}

// Clash names two agents of one base whose adapters, optimizers or KL penalties have other settings, so that they cannot share an adapter. bases
// are those of all agents, or that of the one model that speaks for them.
func (a Agents) Clash(bases []string) (one, other string, clash bool) {
	own := func(x Agent) string {
		only := Agent{Adapter: x.Adapter, Optimizer: x.Optimizer, KL: x.KL, Reward: AgentReward{Team: 1}}
		return strings.Join(schema.Lines(&only, ""), "\n")
	}
	for i := range a.Named {
		for j := range i {
			models := a.Named[i].Speaker() == "" && a.Named[j].Speaker() == ""
			if models && (len(bases) == 1 || bases[i] == bases[j]) && own(a.Named[i]) != own(a.Named[j]) {
				return a.Named[j].Name, a.Named[i].Name, true
			}
		}
	}
	return "", "", false
}

// Weighted names an agent that does not learn from the team's reward as it is.
func (a Agents) Weighted() (name string, ok bool) {
	for _, x := range a.Named {
		if x.Reward != (AgentReward{Team: 1}) {
			return x.Name, true
		}
	}
	return "", false
}

// Penalizes says that some agent has a KL penalty of its own.
func (a Agents) Penalizes() bool {
	return slices.ContainsFunc(a.Named, func(x Agent) bool { return x.KL != nil && *x.KL > 0 })
}

// WorkflowReads are the keys that a workflow is made of: a mistake in another key of the team hides none in its steps.
func WorkflowReads(agents Agents) []string {
	read := []string{"team.protocol", "team.workflow", "team.answer", "team.prompts", "team.history"}
	if len(agents.Named) == 0 {
		return append(read, "team.agents")
	}
	for _, a := range agents.Named {
		read = append(read, "team.agents."+a.Name+".role", "team.agents."+a.Name+".system")
	}
	return read
}
