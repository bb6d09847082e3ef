package measure

import (
	"parley/eval"
	"parley/rollout"
)

// An answerTable is what is known of the final answers to one problem: the debate, and the texts that it was read from.
type answerTable struct {
	index   int // of the problem
	debate  eval.Debate
	entries [][]entry // [turn][agent]
}

// An entry is a completion with what it answers.
type entry struct {
	agentTurn  *rollout.AgentTurn
	completion *rollout.Completion
}

// debateAnswers takes the answers of a team that gave one each at every turn.
func debateAnswers(e *rollout.Episode) *answerTable {
	s := newAnswerTable(e)
	for _, n := range e.Nodes {
		var turn []entry
		for i := range n.Agents {
			turn = append(turn, entry{&n.Agents[i], &n.Agents[i].Completions[0]})
		}
		s.add(turn)
	}
	return s
}

// voteAnswers takes the answers of one agent, who was asked once and gave several, as those of a team.
func voteAnswers(e *rollout.Episode) *answerTable {
	s := newAnswerTable(e)
	agentTurn := &e.Nodes[0].Agents[0]
	var turn []entry
	for i := range agentTurn.Completions {
		turn = append(turn, entry{agentTurn, &agentTurn.Completions[i]})
	}
	s.add(turn)
	return s
}

func newAnswerTable(e *rollout.Episode) *answerTable {
	return &answerTable{index: e.Index, debate: eval.Debate{Truth: e.Problem.Truth}}
}

// add appends a turn.
func (s *answerTable) add(turn []entry) {
	answers, flagged := make([]eval.Answer, len(turn)), make([]bool, len(turn))
	for i, t := range turn {
		answers[i] = eval.Answer{Canonical: t.completion.Answer, OK: t.completion.HasAnswer}
		flagged[i] = len(t.completion.Flags) > 0
	}
	s.entries = append(s.entries, turn)
	s.debate.Answers = append(s.debate.Answers, answers)
	s.debate.Flagged = append(s.debate.Flagged, flagged)
}

// setExtracted enters an answer that the base has read out of a text.
func (s *answerTable) setExtracted(turn, agent int, a eval.Answer) {
	if s.debate.Extracted == nil {
		s.debate.Extracted = make([][]bool, len(s.entries))
		for t := range s.entries {
			s.debate.Extracted[t] = make([]bool, len(s.entries[t]))
		}
	}
	s.debate.Answers[turn][agent], s.debate.Extracted[turn][agent] = a, true
}
