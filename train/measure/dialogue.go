package measure

import (
	"parley/rollout"
	"parley/runs"
)

// Dialogue records the first answers of an episode.
func Dialogue(system string, e *rollout.Episode) runs.Dialogue {
	x := runs.Dialogue{System: system, Question: e.Problem.Question, Truth: e.Problem.Truth}
	for _, n := range e.Nodes {
		for _, agentTurn := range n.Agents {
			c := agentTurn.Completions[0]
			line := runs.Answer{Turn: n.Turn + 1, Agent: agentTurn.Agent + 1, Text: c.Text, Correct: c.Correct}
			if len(n.Scored) > 0 {
				line.Reward = n.Scored[0].Reward
			}
			x.Lines = append(x.Lines, line)
		}
	}
	return x
}
