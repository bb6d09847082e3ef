package episodes

import (
	"strings"

	"parley/rollout"
	"parley/team"
)

// saw finds whose words stand in a prompt: the answers before a node, on the way to it, that some message quotes word for word. A prompt that
// says another thing in the place of an answer shows nothing of it.
func saw(e *rollout.Episode, node int, messages []team.Message) []Seen {
	out := []Seen{}
	for at := node; e.Nodes[at].Parent >= 0; {
		action := e.Nodes[at].ParentAction
		at = e.Nodes[at].Parent
		n := e.Nodes[at]
		if action < 0 || action >= len(n.Joint) {
			return out
		}
		for k, completion := range n.Joint[action] {
			text := strings.TrimSpace(n.Agents[k].Completions[completion].VisibleText())
			if text != "" && quoted(text, messages) {
				out = append(out, Seen{at, n.Agents[k].Agent, completion})
			}
		}
	}
	return out
}

func quoted(text string, messages []team.Message) bool {
	for _, m := range messages {
		if strings.Contains(m.Content, text) {
			return true
		}
	}
	return false
}
