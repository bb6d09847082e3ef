package train

import (
	"context"
	"fmt"

	"parley/eval"
	"parley/rollout"
	"parley/runs"
	"parley/task"
)

// A measurement is how one system did on the held-out problems.
type measurement struct {
	System string      `json:"system"`
	Scores [][]float64 `json:"scores"` // [turn][problem], each in [0, 1]
	Tokens []int       `json:"tokens"` // generated, per problem
	// Examples are the dialogues of the first problems.
	Examples []Example `json:"examples,omitempty"`
}

// score returns the mean of the last turn: the system's result.
func (m *measurement) score() float64 { return average(m.last()) }

func (m *measurement) last() []float64 { return m.Scores[len(m.Scores)-1] }

// tokensPerProblem is the cost of the system.
func (m *measurement) tokensPerProblem() float64 {
	sum := 0
	for _, t := range m.Tokens {
		sum += t
	}
	return float64(sum) / float64(max(len(m.Tokens), 1))
}

// row puts a measurement into the report's form.
func (m *measurement) row() runs.Row {
	ci := eval.Accuracy(m.last())
	r := runs.Row{System: m.System, Score: m.score(), CI95: [2]float64{ci.Low, ci.High}, TokensPerProblem: m.tokensPerProblem()}
	for _, scores := range m.Scores {
		r.PerTurn = append(r.PerTurn, average(scores))
	}
	return r
}

// measureTeam lets the team of r work on held-out problems, one completion an answer, and scores every turn: by vote where
// answers can be compared, else by the joint reward.
func (s *session) measureTeam(ctx context.Context, system string, r *rollout.Runner, problems []task.Problem) (*measurement, error) {
	episodes, err := r.Run(ctx, "measure", 0, problems)
	if err != nil {
		return nil, fmt.Errorf("measure %s: %w", system, err)
	}
	for _, e := range episodes {
		if why := e.Failed(); why != "" {
			return nil, fmt.Errorf("measure %s: problem %s could not be scored: %s", system, e.Problem.ID, why)
		}
	}
	m := &measurement{System: system}
	for t := range r.Protocol.Turns() {
		scores := make([]float64, len(episodes))
		for i, e := range episodes {
			scores[i] = s.turnScore(e.Nodes[min(t, len(e.Nodes)-1)], e.Problem)
		}
		m.Scores = append(m.Scores, scores)
	}
	for _, e := range episodes {
		m.Tokens = append(m.Tokens, rollout.Count([]*rollout.Episode{e}).Tokens)
	}
	for _, e := range episodes[:min(s.recipe.Eval.Examples, len(episodes))] {
		m.Examples = append(m.Examples, newExample(system, e))
	}
	return m, nil
}

// turnScore scores one joint action in [0, 1]: a joint reward is a share of its maximum, or of its range where that begins below 0.
func (s *session) turnScore(n *rollout.Node, p task.Problem) float64 {
	if s.recipe.Reward.Joint() {
		least, most := s.judge.rewardRange()
		least = min(least, 0)
		return (n.Scored[0].Reward - least) / (most - least)
	}
	return eval.Vote(answersOf(n, 0), p.Truth, s.invalid())
}

func (s *session) invalid() eval.Invalid { return eval.Invalid(s.recipe.Eval.Invalid) }

// answersOf lists the final answers of the g-th completions at a node.
func answersOf(n *rollout.Node, g int) []eval.Answer {
	out := make([]eval.Answer, len(n.Seats))
	for i := range n.Seats {
		c := &n.Seats[i].Completions[g]
		out[i] = eval.Answer{Canonical: c.Answer, OK: c.Parsed}
	}
	return out
}

// measureVotes lets one agent answer each problem k times on its own and votes over the answers.
func (s *session) measureVotes(ctx context.Context, system string, r *rollout.Runner, problems []task.Problem, k int) (*measurement, error) {
	wide := *r
	wide.Settings.Group = k
	episodes, err := wide.Run(ctx, "measure", 0, problems)
	if err != nil {
		return nil, fmt.Errorf("measure %s: %w", system, err)
	}
	m := &measurement{System: system, Scores: make([][]float64, 1)}
	for _, e := range episodes {
		said := &e.Nodes[0].Seats[0]
		var answers []eval.Answer
		tokens := 0
		for i := range said.Completions {
			c := &said.Completions[i]
			answers = append(answers, eval.Answer{Canonical: c.Answer, OK: c.Parsed})
			tokens += len(c.Tokens)
		}
		m.Scores[0] = append(m.Scores[0], eval.Vote(answers, e.Problem.Truth, s.invalid()))
		m.Tokens = append(m.Tokens, tokens)
	}
	return m, nil
}

// affordable returns how many answers of one agent cost about as many tokens as budget allows, at least one.
func affordable(budget, tokensPerAnswer float64) int {
	return max(1, int(budget/max(tokensPerAnswer, 1)+0.5))
}

func average(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(max(len(x), 1))
}
