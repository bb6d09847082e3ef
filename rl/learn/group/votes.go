package group

import (
	"fmt"

	"parley/rl/credit"
)

// compareVotes credits those who vote with what their votes changed (after CCPO, arXiv 2603.21563):
//
//	A_k = R(vote) − R(vote without k)               R = 1 for a vote that is right, else −1
//
// The vote without k does not hang on what k said. So it is a baseline like any other: the expected gradient is that of R(vote), of less variance.
// Where nobody is pivotal nobody takes a step. What the others say is compared with the scores of the problem's episodes.
func (l *learner) compareVotes(problems []said) error {
	for _, p := range problems {
		if err := l.compareScores(p); err != nil {
			return fmt.Errorf("credit problem %s: %w", p.of.Problem.ID, err)
		}
		for e, messages := range p.messages {
			if p.earned[e] == nil {
				continue
			}
			votes, right := l.votes(p, e)
			_, credits := credit.Votes(votes, right)
			for i, agent := range l.Voters {
				for k, m := range messages {
					if m.Agent == agent {
						p.completions[e][k].Advantage = credits[i]
					}
				}
			}
		}
	}
	return nil
}

// votes are the last answers of those who vote in an episode, in the order in which ties are settled, and the right one: empty, which no answer
// that can be read is, where nobody has it. One who is silent has none.
func (l *learner) votes(p said, episode int) (votes []credit.Vote, right string) {
	votes = make([]credit.Vote, len(l.Voters))
	for _, n := range p.of.Nodes {
		for s := range n.Agents {
			for i, agent := range l.Voters {
				if n.Sample != episode || n.Agents[s].Agent != agent {
					continue
				}
				c := &n.Agents[s].Completions[0]
				votes[i] = credit.Vote{Answer: c.Answer, Readable: c.HasAnswer}
				if c.HasAnswer && c.Correct {
					right = c.Answer
				}
			}
		}
	}
	return votes, right
}
