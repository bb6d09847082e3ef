package record

import (
	"strings"

	"parley/rl/rollout"
	"parley/team"
)

// Hidden says what the prompts of an update showed of fields that are hidden from whoever was asked.
type Hidden struct {
	// Prompts of agents who do not see some field of their problem. Each was made a second time with another text in the field, and was the same, or
	// else the run would have ended ([team.Viewers.Kept]).
	Prompts int `json:"prompts"`
	// Shown counts those of them in which the hidden text stands all the same, whole: somebody who sees it has said it.
	Shown int `json:"shown"`
}

// hidden looks at what was asked, as it is recorded; nil: no field is hidden from anybody.
func hidden(viewers team.Viewers, names []string, episodes []*rollout.Episode) *Hidden {
	if len(viewers) == 0 {
		return nil
	}
	h := new(Hidden)
	for _, e := range episodes {
		for _, n := range e.Nodes {
			for i := range n.Agents {
				if text, asked := kept(viewers, names[n.Agents[i].Agent], e.Problem.Fields); asked {
					h.Prompts++
					h.Shown += shown(&n.Agents[i], text)
				}
			}
		}
	}
	return h
}

// kept are the texts of a problem that an agent does not see; ok is false where it sees all.
func kept(viewers team.Viewers, agent string, fields map[string]string) (texts []string, ok bool) {
	for field, text := range fields {
		if !viewers.See(agent, field) {
			texts, ok = append(texts, text), true
		}
	}
	return texts, ok
}

// shown is 1 where one of the texts stands in what an agent was asked.
func shown(asked *rollout.AgentTurn, texts []string) int {
	for _, m := range asked.Messages {
		for _, text := range texts {
			if text != "" && strings.Contains(m.Content, text) {
				return 1
			}
		}
	}
	return 0
}
