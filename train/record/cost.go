package record

import "parley/rl/rollout"

// Counts are the real costs of an episode, early termination included.
type Counts struct {
	Nodes        int `json:"nodes"`
	Steps        int `json:"env_steps"` // scored joint actions
	Generations  int `json:"generations"`
	Tokens       int `json:"tokens"` // generated
	PromptTokens int `json:"prompt_tokens"`
}

// CostsOf adds up the costs of episodes.
func CostsOf(episodes []*rollout.Episode) Counts {
	var c Counts
	for _, e := range episodes {
		if e.Solo != nil {
			c = c.plus(CostsOf([]*rollout.Episode{e.Solo}))
		}
		for _, n := range e.Nodes {
			c.Nodes++
			c.Steps += len(n.Joint)
			for i := range n.Agents {
				c.Generations += len(n.Agents[i].Completions)
				c.PromptTokens += len(n.Agents[i].Prompt)
				for j := range n.Agents[i].Completions {
					c.Tokens += len(n.Agents[i].Completions[j].Tokens)
				}
			}
		}
	}
	return c
}

func (c Counts) plus(d Counts) Counts {
	return Counts{c.Nodes + d.Nodes, c.Steps + d.Steps, c.Generations + d.Generations, c.Tokens + d.Tokens, c.PromptTokens + d.PromptTokens}
}
