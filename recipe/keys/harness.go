package keys

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"parley/recipe/schema"
)

// Harness is the program in which a team works, where it is the user's own: it asks the agents, and says what came of it. One of Python, Command
// and URL says which program.
type Harness struct {
	Python      string     `yaml:"python" names:"file" reach:"imports" default:""`
	Interpreter string     `yaml:"interpreter" names:"interpreter" default:"python3"`
	Command     []string   `yaml:"command" names:"command" reach:"runs"`
	Keep        bool       `yaml:"keep" default:"false"`
	URL         string     `yaml:"url" reach:"asks" default:""`
	KeyEnv      string     `yaml:"key_env" reach:"tells" default:""`
	Parallel    int        `yaml:"parallel" default:"0" min:"0" max:"1024"`
	Seconds     float64    `yaml:"seconds" default:"300" min:"0.01"`
	Calls       int        `yaml:"calls" default:"64" min:"1" max:"100000"`
	Models      ModelNames `yaml:"models"`
	Listen      string     `yaml:"listen" default:"127.0.0.1:0"`
	Address     string     `yaml:"address" reach:"asks" default:""`
	Folder      string     `yaml:"folder" names:"output" default:""`
}

// InHarness are the keys of a team of what its program does, where it works in one.
func InHarness() []string {
	return []string{
		"team.workflow", "team.program", "team.answer", "team.fields", "team.cast", "team.history", "team.reward_feedback", "team.normalize_visible", "team.feedback", "team.warm_up",
		"team.sandbox_slice", "team.chat_memory", "team.proposals", "team.lessons", "team.tools", "team.expert", "team.prompts", "team.consensus",
	}
}

// ModelNames are further names of agents.
type ModelNames []ModelName

// A ModelName is the name by which a program asks for a model, and the agent that answers.
type ModelName struct{ Model, Agent string }

// Kind implements [schema.Tree].
func (*ModelNames) Kind() string { return "agents by the names of models" }

// Read implements [schema.Tree].
func (m *ModelNames) Read(n schema.Node) {
	const hint = "write for example models: {gpt-4o: writer}"
	pairs, ok := n.Pairs()
	if !ok {
		n.Expect("agents by the names of models", hint)
		return
	}
	*m = nil
	for _, p := range pairs {
		agent, ok := p.Text()
		if !ok {
			p.Expect("the name of an agent", hint)
			continue
		}
		*m = append(*m, ModelName{p.Name, agent})
	}
}

// Write implements [schema.Tree].
func (m *ModelNames) Write(string) string {
	items := make([]string, len(*m))
	for i, x := range *m {
		items[i] = schema.Key(x.Model) + ":" + schema.Texts([]string{x.Agent}, "")
	}
	return " {" + strings.Join(items, ", ") + "}"
}

// ByModel are the agents by further names of theirs.
func (m ModelNames) ByModel() map[string]string {
	out := map[string]string{}
	for _, x := range m {
		out[x.Model] = x.Agent
	}
	return out
}

// HarnessFault is what is wrong with the program of a team: the key, what it is, and what to write instead; empty: nothing.
func (t Team) HarnessFault() (key, fault, hint string) {
	h := t.Harness
	given := h.given()
	switch {
	case len(given) == 0:
		return "team.harness", fmt.Sprintf("team.protocol is %s, and team.harness has none of python, command and url, expected one", t.Protocol), "write for example harness: {python: team.py}"
	case len(given) > 1:
		return "team.harness." + given[1], fmt.Sprintf("team.harness has %s, expected one of python, command and url", strings.Join(given, " and ")), "leave one of them out"
	case len(h.Command) > 0 && h.Command[0] == "":
		return "team.harness.command", "team.harness.command names no program", "write for example command: [python3, solve.py]"
	case h.Keep && h.templates():
		return "team.harness.command", "team.harness.command has a template, but with keep the program is started once, for all problems", "read the problem from the line of each episode, or leave keep out"
	case h.URL != "" && !WebAddress(h.URL):
		return "team.harness.url", fmt.Sprintf("team.harness.url is %q, expected an http address", h.URL), `write for example url: "http://127.0.0.1:9000/episode"`
	case h.Address != "" && (!WebAddress(h.Address) || strings.ContainsAny(h.Address, "@?#")):
		return "team.harness.address", fmt.Sprintf("team.harness.address is %q, expected an http address without user, query and fragment", h.Address), `write for example address: "http://host.docker.internal:41733"`
	}
	return t.modelsFault()
}

// SettleHarness fills in what follows of a program from other keys, and from the folder of the recipe; empty: it has none, or is recorded.
func (t *Team) SettleHarness(folder string) {
	t.Turns = t.Harness.Calls
	if here, err := filepath.Abs(folder); err == nil && folder != "" && t.Harness.Folder == "" {
		t.Harness.Folder = here
	}
}

// modelsFault is [Team.HarnessFault] of further names of agents.
func (t Team) modelsFault() (key, fault, hint string) {
	names := t.Agents.Names()
	for _, x := range t.Harness.Models {
		switch key := "team.harness.models." + x.Model; {
		case slices.Contains(names, x.Model):
			return key, fmt.Sprintf("team.harness.models has %s, which is the name of an agent", x.Model), "leave it out, or give the agent another name"
		case !slices.Contains(names, x.Agent):
			return key, fmt.Sprintf("team.harness.models says that %s is %s, which is no agent", x.Model, x.Agent), "the agents are " + strings.Join(names, ", ")
		}
	}
	return "", "", ""
}

// given are the keys that say which program it is.
func (h Harness) given() (list []string) {
	for _, key := range []struct {
		name string
		on   bool
	}{{"python", h.Python != ""}, {"command", len(h.Command) > 0}, {"url", h.URL != ""}} {
		if key.on {
			list = append(list, key.name)
		}
	}
	return list
}

// templates says that arguments of the command differ by problem.
func (h Harness) templates() bool {
	return slices.ContainsFunc(h.Command, func(word string) bool { return strings.Contains(word, "{{") })
}
