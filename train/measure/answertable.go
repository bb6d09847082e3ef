package measure

import (
	"slices"

	"parley/rl/eval"
	"parley/rl/rollout"
	"parley/rl/rollout/keep"
	"parley/runs/verify"
	"parley/task"
	"parley/task/answer"
)

// An answerTable is what is known of the final answers to one problem: the debate, and the texts that it was read from.
type answerTable struct {
	index   int // of the problem
	problem task.Problem
	debate  eval.Debate
	entries [][]entry // [turn][speaker]
}

// An entry is a completion with what it answers.
type entry struct {
	agentTurn  *rollout.AgentTurn
	completion *rollout.Completion
}

// debateAnswers takes the answers of a team whose speakers gave one each at every turn, but for those of some agents.
func debateAnswers(e *rollout.Episode, but ...int) *answerTable {
	s := newAnswerTable(e)
	var speakers [][]int
	for _, n := range e.Nodes {
		var turn []entry
		var agents []int
		for i := range n.Agents {
			if a := &n.Agents[i]; !slices.Contains(but, a.Agent) {
				turn, agents = append(turn, entry{a, &a.Completions[0]}), append(agents, a.Agent)
			}
		}
		s.add(turn)
		speakers = append(speakers, agents)
	}
	if slices.ContainsFunc(speakers, func(agents []int) bool { return !slices.Equal(agents, speakers[0]) }) {
		s.debate.Speakers = speakers
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
	return &answerTable{index: e.Index, problem: e.Problem, debate: eval.Debate{Truth: e.Problem.Right()}}
}

// add appends a turn.
func (s *answerTable) add(turn []entry) {
	answers, flagged := make([]answer.Answer, len(turn)), make([]bool, len(turn))
	for i, t := range turn {
		answers[i] = answer.Answer{Canonical: t.completion.Answer, OK: t.completion.HasAnswer}
		flagged[i] = len(t.completion.Flags) > 0
	}
	s.entries = append(s.entries, turn)
	s.debate.Answers = append(s.debate.Answers, answers)
	s.debate.Flagged = append(s.debate.Flagged, flagged)
}

// setExtracted enters an answer that the base has read out of a text.
func (s *answerTable) setExtracted(turn, agent int, a answer.Answer) {
	if s.debate.Extracted == nil {
		s.debate.Extracted = make([][]bool, len(s.entries))
		for t := range s.entries {
			s.debate.Extracted[t] = make([]bool, len(s.entries[t]))
		}
	}
	s.debate.Answers[turn][agent], s.debate.Extracted[turn][agent] = a, true
}

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
				m.Answers = append(m.Answers, verify.Answer{Policy: string(a.Policy), Prompt: a.Prompt, Tokens: a.Completions[0].Beginning()})
			}
		}
	}
}

// TakeAnswers gives out the answers to the held-out problems, with their scores, under the name of the system and the number of updates that they are
// kept by. It gives them once.
func (m *Measurement) TakeAnswers(system string, updates int) []keep.Answer {
	out := m.answers
	m.answers = nil
	if out == nil {
		return nil
	}
	scores := map[int]float64{}
	for i, number := range m.numbers() {
		scores[number] = m.Last().Values[i]
	}
	for i := range out {
		out[i].System, out[i].Update = system, updates
		if score, known := scores[out[i].Index]; known {
			out[i].Score = &score
		}
	}
	return out
}
