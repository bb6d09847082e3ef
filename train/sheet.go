package train

import (
	"parley/eval"
	"parley/rollout"
)

// A sheet is what is known of the final answers to one problem: the debate, and the texts that it was read from.
type sheet struct {
	index  int // of the problem
	debate eval.Debate
	texts  [][]text // [turn][agent]
}

// A text is a completion with what it answers.
type text struct {
	agentTurn  *rollout.AgentTurn
	completion *rollout.Completion
}

// debateSheet takes the answers of a team that gave one each at every turn.
func debateSheet(e *rollout.Episode) *sheet {
	s := newSheet(e)
	for _, n := range e.Nodes {
		var turn []text
		for i := range n.Agents {
			turn = append(turn, text{&n.Agents[i], &n.Agents[i].Completions[0]})
		}
		s.add(turn)
	}
	return s
}

// votesSheet takes the answers of one agent, who was asked once and gave several, as those of a team.
func votesSheet(e *rollout.Episode) *sheet {
	s := newSheet(e)
	agentTurn := &e.Nodes[0].Agents[0]
	var turn []text
	for i := range agentTurn.Completions {
		turn = append(turn, text{agentTurn, &agentTurn.Completions[i]})
	}
	s.add(turn)
	return s
}

func newSheet(e *rollout.Episode) *sheet {
	return &sheet{index: e.Index, debate: eval.Debate{Truth: e.Problem.Truth}}
}

// add appends a turn.
func (s *sheet) add(turn []text) {
	answers, flagged := make([]eval.Answer, len(turn)), make([]bool, len(turn))
	for i, t := range turn {
		answers[i] = eval.Answer{Canonical: t.completion.Answer, OK: t.completion.HasAnswer}
		flagged[i] = len(t.completion.Flags) > 0
	}
	s.texts = append(s.texts, turn)
	s.debate.Answers = append(s.debate.Answers, answers)
	s.debate.Flagged = append(s.debate.Flagged, flagged)
}

// extracted enters an answer that the base has read out of a text.
func (s *sheet) extracted(turn, agent int, a eval.Answer) {
	if s.debate.Extracted == nil {
		s.debate.Extracted = make([][]bool, len(s.texts))
		for t := range s.texts {
			s.debate.Extracted[t] = make([]bool, len(s.texts[t]))
		}
	}
	s.debate.Answers[turn][agent], s.debate.Extracted[turn][agent] = a, true
}
