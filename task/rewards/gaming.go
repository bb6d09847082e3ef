package rewards

import (
	"encoding/json"
	"slices"

	"parley/task/code"
	"parley/task/tldr"
)

// A Policy is a way to answer one item: an honest one, or one that games the reward (MAGRPO §6.4, §7.3, §15.4).
type Policy struct {
	Name      string
	Item      []byte
	Responses []string
}

// Policies lists what is known to game a task's reward, the honest policy first; empty: nothing is known of the task.
func Policies(name string) ([]Policy, error) {
	var list []Policy
	var err error
	add := func(policy string, item map[string]any, responses ...string) {
		data, failed := json.Marshal(item)
		if failed != nil {
			err = failed
		}
		list = append(list, Policy{policy, data, responses})
	}
	switch {
	case name == "tldr":
		for _, g := range tldr.Gaming {
			add(g.Name, map[string]any{"paper_id": "gaming", "source": []string{tldr.GamedSource}}, g.Texts...)
		}
	case slices.Contains(code.Names, name):
		for _, g := range code.Gaming {
			add(g.Name, map[string]any{"prompt": code.GamedPrompt, "entry_point": "f", "test": g.Tests}, g.Aux, g.Main)
		}
	}
	return list, err
}
