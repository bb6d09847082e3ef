package show

import (
	"fmt"
	"maps"
	"slices"

	"parley/rl/rollout"
	"parley/viewer/episodes"
)

// Costs are what each agent costs, per problem of one update.
type Costs struct {
	Update int         `json:"update"`
	Agents []AgentCost `json:"agents"`
	// Damaged are the episodes that are left out, by file and line.
	Damaged []string `json:"damaged"`
}

// An AgentCost is a mean over the problems of the update.
type AgentCost struct {
	Name         string  `json:"name"`
	Policy       string  `json:"policy"`
	Queries      float64 `json:"queries"`
	Answers      float64 `json:"answers"`
	Tokens       float64 `json:"tokens"`
	PromptTokens float64 `json:"prompt_tokens"`
}

// Costs counts the newest update that has episodes.
func (r *Root) Costs(id string) (*Costs, error) {
	dir, err := r.Path(id)
	if err != nil {
		return nil, err
	}
	updates, err := episodes.Open(dir).Updates()
	if err != nil || len(updates) == 0 {
		return &Costs{Agents: []AgentCost{}, Damaged: []string{}}, err
	}
	c := &Costs{Update: updates[len(updates)-1], Agents: []AgentCost{}}
	names := r.Flat(id).Agents()
	problems, of := 0, map[int]*AgentCost{}
	left, err := episodes.Whole(dir, c.Update, func(e *rollout.Episode) error {
		problems++
		for _, n := range e.Nodes {
			for _, a := range n.Agents {
				count(of, names, a)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	c.Damaged = append([]string{}, left...)
	for _, agent := range slices.Sorted(maps.Keys(of)) {
		a := of[agent]
		for _, x := range []*float64{&a.Queries, &a.Answers, &a.Tokens, &a.PromptTokens} {
			*x /= float64(max(problems, 1))
		}
		c.Agents = append(c.Agents, *a)
	}
	return c, nil
}

func count(of map[int]*AgentCost, names []string, a rollout.AgentTurn) {
	c := of[a.Agent]
	if c == nil {
		c = &AgentCost{Name: fmt.Sprintf("agent %d", a.Agent+1)}
		if a.Agent >= 0 && a.Agent < len(names) {
			c.Name = names[a.Agent]
		}
		of[a.Agent] = c
	}
	c.Policy = string(a.Policy)
	c.Queries++
	c.PromptTokens += float64(len(a.Prompt))
	for _, x := range a.Completions {
		c.Answers++
		c.Tokens += float64(len(x.Tokens))
	}
}
