package record

import (
	"parley/rl/eval"
	"parley/rl/rollout"
	"parley/task"
	"parley/task/answer"
	"parley/train/lineup"
)

// accuracies fills in the voted and single accuracy of every turn, for tasks with comparable answers, and by how much the verifier's scores are above the
// labels, where there is a verifier.
func (m *Metrics) accuracies(l lineup.Lineup, episodes []*rollout.Episode) {
	if l.Scorer.Answerer() == nil || l.Recipe.Harnessed() { // a program's calls are no turns that compare
		return
	}
	type tally struct{ voted, votes, right, answers, scores float64 }
	turns := make([]tally, l.Protocol.Turns())
	for _, e := range episodes {
		for _, n := range e.Nodes {
			t := &turns[n.Turn]
			for _, action := range n.Joint {
				answers := make([]answer.Answer, len(action))
				for i, g := range action {
					c := &n.Agents[i].Completions[g]
					answers[i] = answer.Answer{Canonical: c.Answer, OK: c.HasAnswer}
					t.right += one(c.Correct)
					t.scores += c.Score
					t.answers++
				}
				t.voted += answer.Vote(answers, e.Problem.Right(), answer.Invalid(l.Recipe.Eval.Invalid))
				t.votes++
			}
		}
	}
	for _, t := range turns {
		m.Accuracy = append(m.Accuracy, t.voted/max(t.votes, 1))
		m.AnswerAccuracy = append(m.AnswerAccuracy, t.right/max(t.answers, 1))
		if l.Recipe.Reward.Scored() {
			m.Overpaid = append(m.Overpaid, (t.scores-t.right)/max(t.answers, 1))
		}
	}
}

// schemes fills in how programs use their helpers, where the task says so (MAGRPO §14).
func (m *Metrics) schemes(episodes []*rollout.Episode) {
	counts, rewards := map[string]int{}, map[string]float64{}
	for _, e := range episodes {
		for _, n := range e.Nodes {
			for k, s := range n.Scored {
				if s.Signals != nil && s.Signals.Scheme != "" {
					counts[s.Signals.Scheme]++
					rewards[s.Signals.Scheme] += n.Rewards[k]
				}
			}
		}
	}
	if len(counts) == 0 {
		return
	}
	shares, entropy := eval.Distribution(counts)
	for scheme, n := range counts {
		rewards[scheme] /= float64(n)
	}
	m.Schemes, m.SchemeEntropy, m.SchemeReward = shares, &entropy, rewards
}

// rates fills in the share of the checks that were passed, where the task makes some.
func (m *Metrics) rates(episodes []*rollout.Episode) {
	var sums task.Rates
	for _, e := range episodes {
		for _, n := range e.Nodes {
			for _, s := range n.Scored {
				sums = sums.Plus(s.Rates)
			}
		}
	}
	if sums != nil {
		m.Rates = map[string]float64{}
		sums.Shares(m.Rates)
	}
}
