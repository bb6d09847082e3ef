package keys

import (
	"fmt"
	"slices"
	"strings"
)

// Tools are functions that agents call within their turns.
type Tools struct {
	Use          []string `yaml:"use" names:"tool" reach:"asks"`
	Calls        int      `yaml:"calls" default:"4" min:"1" max:"64"`
	ResultTokens int      `yaml:"result_tokens" default:"256" min:"8"`
	Seconds      float64  `yaml:"seconds" default:"5" min:"0.01" max:"600"`
	Form         string   `yaml:"form" default:"auto" oneof:"auto hermes llama3 mistral qwen3-coder text"`
	Open         string   `yaml:"open" default:"<<"`
	Close        string   `yaml:"close" default:">>"`
}

// ToolsOf are what an agent, from 0, may call.
func (t Team) ToolsOf(agent int) []string {
	if agent < len(t.Agents.Named) && len(t.Agents.Named[agent].Tools) > 0 {
		return t.Agents.Named[agent].Tools
	}
	return t.Tools.Use
}

// CallsTools says that some agent may call something.
func (t Team) CallsTools() bool {
	return len(t.Tools.Use) > 0 || slices.ContainsFunc(t.Agents.Named, func(a Agent) bool { return len(a.Tools) > 0 })
}

// ToolsFault is what is wrong with the tools of a team, where one model may speak for all, under a value of group.padding; empty: nothing.
func (t Team) ToolsFault(oneModel bool, padding string) string {
	switch {
	case !t.CallsTools():
		return ""
	case oneModel:
		return fmt.Sprintf("team.protocol is %s, where one model speaks for all: it has no tools", t.Protocol)
	case padding == "padded":
		return "group.padding is padded, which counts tokens that nobody chose: with tools it must be exact"
	case t.Tools.Form == "text" && t.Tools.Close == "":
		return "team.tools.close is empty, expected a text that ends calls, such as >>"
	}
	for _, a := range append([]Agent{{Tools: t.Tools.Use}}, t.Agents.Named...) {
		key := "team.tools.use"
		if a.Name != "" {
			key = "team.agents." + a.Name + ".tools"
		}
		for i, name := range a.Tools {
			if name != "calculator" && name != "python" && !strings.HasSuffix(name, ".py") && !Answers(name) {
				return fmt.Sprintf("%s has %q, expected calculator, python, a file of Python such as units.py, or the address of a server", key, name)
			}
			if slices.Contains(a.Tools[:i], name) {
				return fmt.Sprintf("%s has %q twice", key, name)
			}
		}
	}
	return ""
}
