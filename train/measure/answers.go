package measure

import (
	"parley/rl/rollout"
	"parley/runs/policies"
)

// answersOf is how many problems' answers are kept as tokens: enough to see what an export changes, few enough to be small.
const answersOf = 16

// keepAnswers keeps the answers to the first problems.
func (m *Measurement) keepAnswers(episodes []*rollout.Episode) {
	for _, e := range episodes[:min(answersOf, len(episodes))] {
		for _, n := range e.Nodes {
			for _, a := range n.Agents {
				if a.Speaker != "" {
					continue
				}
				m.Answers = append(m.Answers, policies.Answer{Policy: string(a.Policy), Prompt: a.Prompt, Tokens: a.Completions[0].Beginning()})
			}
		}
	}
}
