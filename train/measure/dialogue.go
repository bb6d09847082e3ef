package measure

import (
	"parley/rl/rollout"
	"parley/runs"
)

// Dialogue records the first answers of an episode. names are those of the agents; nil: they have none.
func Dialogue(system string, e *rollout.Episode, names []string) runs.Dialogue {
	x := runs.Dialogue{System: system, Question: e.Problem.Question, Truth: e.Problem.Truth}
	for _, n := range e.Nodes {
		for _, agentTurn := range n.Agents {
			c := agentTurn.Completions[0]
			line := runs.Answer{Turn: n.Turn + 1, Agent: agentTurn.Agent + 1, Text: c.Text, Correct: c.Correct}
			if agentTurn.Agent < len(names) {
				line.Name = names[agentTurn.Agent]
			}
			for _, call := range c.Calls {
				line.Calls = append(line.Calls, call.String())
			}
			if len(n.Scored) > 0 {
				line.Reward = n.Scored[0].Reward
			}
			x.Lines = append(x.Lines, line)
		}
	}
	return x
}
