package measure

import (
	"context"
	"fmt"

	"parley/engine"
	"parley/internal/seed"
	"parley/rl/rollout"
	"parley/task"
	"parley/task/answer"
	"parley/team"
)

// The question that a base is asked about a text of its own without a readable final answer, and the tokens of its reply
// (maporl.md §8.2).
const (
	answerQuestion = `State your final answer within \boxed{} and nothing else.`
	answerTokens   = 15
)

// An unread text waits for its final answer.
type unread struct {
	table       *answerTable
	turn, agent int
	request     engine.SampleRequest
}

// extract asks the bases, without adapters, for the final answers of texts that have no readable one, up to eval.extract times each; one
// batch a try and engine. A text that leaves no room in the context for the question stays unread. Scores and what others were
// shown stay as they are.
func (m Measurer) extract(ctx context.Context, r *rollout.Runner, tables []*answerTable) error {
	waiting, err := m.unreadTexts(r, tables)
	for try := 0; try < m.Recipe.Eval.Extract && len(waiting) > 0 && err == nil; try++ {
		waiting, err = m.ask(ctx, r, waiting, try)
	}
	if err != nil {
		return fmt.Errorf("ask for final answers: %w", err)
	}
	return nil
}

// actorOf is who spoke for an agent about a problem.
func actorOf(r *rollout.Runner, table *answerTable, agent int) rollout.Actor {
	if r.Cast != nil {
		return r.Cast(r.Actors, table.index)[agent]
	}
	return r.Actors[agent]
}

// unreadTexts lists the texts without a readable final answer, each with the question about it.
func (m Measurer) unreadTexts(r *rollout.Runner, tables []*answerTable) ([]unread, error) {
	var out []unread
	if m.Recipe.Eval.Extract == 0 {
		return nil, nil
	}
	for _, table := range tables {
		for t, turn := range table.entries {
			for agent, said := range turn {
				if said.completion.HasAnswer || said.agentTurn.Speaker != "" {
					continue
				}
				actor := actorOf(r, table, said.agentTurn.Agent)
				dialogue := append(append([]team.Message(nil), said.agentTurn.Messages...),
					team.Message{Role: team.Assistant, Content: said.completion.Text}, team.Message{Role: team.User, Content: answerQuestion})
				prompt, err := actor.Codec.Prompt(dialogue)
				if err != nil {
					return nil, err
				}
				if len(prompt)+answerTokens > actor.Context {
					continue
				}
				out = append(out, unread{table, t, agent, engine.SampleRequest{
					Policy: engine.Base, Prompt: prompt,
					Sampling: r.Settings.Sampling, MaxTokens: answerTokens, Stop: actor.Codec.Stop(), Never: actor.Never,
				}})
			}
		}
	}
	return out, nil
}

// ask asks once about every text, enters the answers that can be read, and returns the texts that still wait.
func (m Measurer) ask(ctx context.Context, r *rollout.Runner, waiting []unread, try int) ([]unread, error) {
	batches, order := map[engine.Engine][]unread{}, []engine.Engine(nil)
	for _, u := range waiting {
		e := actorOf(r, u.table, u.table.entries[u.turn][u.agent].agentTurn.Agent).Engine
		if batches[e] == nil {
			order = append(order, e)
		}
		u.request.Seed = seed.Derive(r.Seed, "extract", try, u.table.index, u.turn, u.agent)
		batches[e] = append(batches[e], u)
	}
	var still []unread
	for _, e := range order {
		requests := make([]engine.SampleRequest, len(batches[e]))
		for i, u := range batches[e] {
			requests[i] = u.request
		}
		replies, err := e.Sample(ctx, requests)
		if err != nil {
			return nil, err
		}
		for i, u := range batches[e] {
			codec := actorOf(r, u.table, u.table.entries[u.turn][u.agent].agentTurn.Agent).Codec
			read := func(text string) (string, bool) { return task.AnswerTo(m.Scorer.Answerer(), u.table.problem, text) }
			reply := answer.Parser(read).Read(codec.Text(replies[i].Tokens))
			if reply.OK {
				u.table.setExtracted(u.turn, u.agent, reply)
			} else {
				still = append(still, u)
			}
		}
	}
	return still, nil
}
