package measure

import (
	"slices"

	"parley/rl/rollout"
	"parley/task"
	"parley/task/answer"
	"parley/team"
)

// elect counts a problem that one agent answered several times under a joint reward. The vote chooses the first completion with the answer that wins.
// Where several answers win, the mean of their scores counts, as if one were chosen at random.
func (m Measurer) elect(out *Measurement, e *rollout.Episode) {
	n := e.Nodes[0]
	answers := make([]answer.Answer, len(n.Joint))
	for k, action := range n.Joint {
		c := &n.Agents[0].Completions[action[0]]
		answers[k] = answer.Answer{Canonical: c.Answer, OK: c.HasAnswer}
	}
	invalid := answer.Invalid(m.Recipe.Eval.Invalid)
	given := elected(answers, invalid)
	score := 0.0
	for _, k := range given {
		score += out.Measure.Score(n.Scored[k].Reward) / float64(len(given))
		out.addParts(n.Scored[k], 1/float64(len(given)))
	}
	out.Scores[0] = append(out.Scores[0], score)
	if m.Recipe.Votes() {
		out.AddAccuracy(0, answer.Vote(answers, e.Problem.Right(), invalid))
	}
}

// elected are the places of the answers that a vote may choose: the first completion with each answer that wins. If no answer can be read, it
// is the first completion.
func elected(answers []answer.Answer, invalid answer.Invalid) []int {
	var out []int
	for _, winner := range answer.Winners(answers, invalid) {
		out = append(out, slices.Index(answers, winner))
	}
	if len(out) == 0 {
		return []int{0}
	}
	return out
}

// AddAccuracy counts how right a problem's answer is after a turn, from 0.
func (m *Measurement) AddAccuracy(turn int, right float64) {
	for len(m.Accuracy) <= turn {
		m.Accuracy = append(m.Accuracy, nil)
	}
	m.Accuracy[turn] = append(m.Accuracy[turn], right)
}

// rightOf fills in how right the teams of episodes are who are paid by a joint reward though their answers can be compared with a truth: what the
// team answers at the end where its protocol says so, else the vote of those who spoke in each turn.
func (m Measurer) rightOf(out *Measurement, p team.Protocol, episodes []*rollout.Episode) error {
	if !m.Recipe.Reward.Joint() || !m.Recipe.Votes() || m.Recipe.Harnessed() { // what a program has answered is not kept
		return nil
	}
	answering, ok := p.(team.Answering)
	ends := ok && answering.Answers()
	for _, e := range episodes {
		if ends {
			right, err := m.right(answering, e)
			if err != nil {
				return err
			}
			out.AddAccuracy(0, right)
			continue
		}
		debate, first := debateAnswers(e, m.Silent...).debate, firstScored(e)
		for t := range out.Scores {
			answers := debate.Answers[min(first+t, len(debate.Answers)-1)]
			out.AddAccuracy(t, answer.Vote(answers, debate.Truth, answer.Invalid(m.Recipe.Eval.Invalid)))
		}
	}
	return nil
}

// right is the share of the texts that a team answers with that are right.
func (m Measurer) right(p team.Answering, e *rollout.Episode) (float64, error) {
	texts, err := p.TeamAnswer(e.Problem, saidIn(e))
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for _, text := range texts {
		if canonical, ok := task.AnswerTo(m.Scorer.Answerer(), e.Problem, text); ok && canonical == e.Problem.Right() {
			sum++
		}
	}
	return sum / float64(max(len(texts), 1)), nil
}
