package keep

import (
	"encoding/json"
	"slices"

	"parley/rl/rollout"
)

// An Answer is what a system made of a held-out problem, as a run keeps it: an episode with its score, so that whoever reads episodes reads it too.
// Update is after how many updates it was measured, Index the number of the problem among all that are measured. What only training needs is left
// out: token ids of prompts and answers, and their log-probabilities.
type Answer struct {
	System string   `json:"system"`
	Score  *float64 `json:"score"`          // of the problem, by the measure of the report; nil: it could not be scored
	Tokens int      `json:"generated"`      // tokens of all answers
	Pass   int      `json:"pass,omitempty"` // of a vote over passes, from 0: its score is that of the vote
	rollout.Episode
}

// Compact is an answer of which the score is not known yet.
func Compact(e *rollout.Episode, number, pass int) Answer {
	a := Answer{Pass: pass, Episode: *e}
	a.Index, a.Solo, a.Nodes = number, nil, make([]*rollout.Node, len(e.Nodes))
	for i, from := range e.Nodes {
		n := *from
		n.Agents = slices.Clone(n.Agents)
		for k := range n.Agents {
			t := &n.Agents[k]
			t.Prompt, t.Counterfactuals, t.Completions = nil, nil, slices.Clone(t.Completions)
			for j := range t.Completions {
				c := &t.Completions[j]
				a.Tokens += len(c.Tokens)
				c.Tokens, c.Logprobs, c.Inserted, c.Teaching = nil, nil, nil, nil
			}
		}
		a.Nodes[i] = &n
	}
	return a
}

// ReadAnswer reads an answer that was written as JSON. One whose parts do not fit together is an error.
func ReadAnswer(data []byte) (*Answer, error) {
	e, err := rollout.ReadEpisode(data)
	if err != nil {
		return nil, err
	}
	var head struct {
		System    string
		Score     *float64
		Generated int
		Pass      int
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, err
	}
	return &Answer{head.System, head.Score, head.Generated, head.Pass, *e}, nil
}
