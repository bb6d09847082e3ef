package train

import (
	"context"
	"fmt"

	"parley/eval"
	"parley/rollout"
	"parley/runs"
)

// A measurement is how one system did on the held-out problems.
type measurement struct {
	System string      `json:"system"`
	Scores [][]float64 `json:"scores"` // [turn][problem], each in [0, 1]
	Tokens []int       `json:"tokens"` // generated, per problem
	// Latency is the tokens that had to be waited for, per problem: the longest answer of each turn.
	Latency []int `json:"latency,omitempty"`
	// Parts are the summed addends of the last turn's joint rewards.
	Parts map[string]float64 `json:"parts,omitempty"`
	// Solved is the share of each problem that its last turn solved, without what is paid for working together; empty where the task
	// does not say it of every problem.
	Solved []float64 `json:"solved,omitempty"`
	// Debates are the final answers, per problem; nil where answers have no truth to be compared with.
	Debates []eval.Debate `json:"debates,omitempty"`
	// Examples are the dialogues of the first problems.
	Examples []runs.Dialogue `json:"examples,omitempty"`
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

// measureTeam lets the team debate the held-out problems, one completion an answer, and scores every turn: by vote where answers can be
// compared, else by the joint reward as a share of its range's upper end.
func (s *session) measureTeam(ctx context.Context, system string, trained bool) (*measurement, error) {
	team, err := s.ofSize(s.recipe.MeasuredAgents())
	if err != nil {
		return nil, err
	}
	return team.measureDebates(ctx, system, team.evaluation(trained))
}

// measureDebates measures what the team of r says about the held-out problems.
func (s *session) measureDebates(ctx context.Context, system string, r *rollout.Runner) (*measurement, error) {
	episodes, err := s.play(ctx, system, r)
	if err != nil {
		return nil, err
	}
	m := &measurement{System: system, Scores: make([][]float64, r.Protocol.Turns())}
	if !s.recipe.Reward.Joint() {
		var sheets []*sheet
		for _, e := range episodes {
			sheets = append(sheets, debateSheet(e))
		}
		if err := s.answered(ctx, m, r, sheets); err != nil {
			return nil, err
		}
	} else {
		for _, e := range episodes {
			for t := range m.Scores {
				m.Scores[t] = append(m.Scores[t], s.jointScore(e.Nodes[min(t, len(e.Nodes)-1)]))
			}
			m.parts(e.Nodes[len(e.Nodes)-1].Scored[0])
		}
	}
	for _, e := range episodes {
		m.costs(e)
	}
	m.Solved = solved(episodes)
	for _, e := range episodes[:min(s.recipe.Eval.Examples, len(episodes))] {
		m.Examples = append(m.Examples, dialogueOf(system, e))
	}
	return m, nil
}

// jointScore scores a joint action in [0, 1]: its reward as a share of the maximum, or of its range where that begins below 0.
func (s *session) jointScore(n *rollout.Node) float64 {
	return s.scaled(n.Scored[0].Reward)
}

func (s *session) scaled(reward float64) float64 {
	least, most := s.scorer.Range()
	least = min(least, 0)
	return (reward - least) / (most - least)
}

// play rolls out the held-out problems.
func (s *session) play(ctx context.Context, system string, r *rollout.Runner) ([]*rollout.Episode, error) {
	episodes, err := r.Run(ctx, "measure", 0, s.test)
	if err != nil {
		return nil, fmt.Errorf("measure %s: %w", system, err)
	}
	for _, e := range episodes {
		if why := e.Failed(); why != "" {
			needed := ""
			if s.recipe.Team.RewardFeedback {
				needed = ", and later prompts show scores"
			}
			return nil, fmt.Errorf("measure %s: problem %s could not be scored%s: %s", system, e.Problem.ID, needed, why)
		}
	}
	return episodes, nil
}

// solved lists what the first joint action of every last turn solved; nil: the task does not say it of all.
func solved(episodes []*rollout.Episode) []float64 {
	var out []float64
	for _, e := range episodes {
		n := e.Nodes[len(e.Nodes)-1]
		if len(n.Scored) == 0 || n.Scored[0].Signals == nil || n.Scored[0].Signals.Solved == nil {
			return nil
		}
		out = append(out, *n.Scored[0].Signals.Solved)
	}
	return out
}

// answered fills in the debates of sheets, once the bases have been asked for answers that nobody could read, and the score of the vote
// after every turn.
func (s *session) answered(ctx context.Context, m *measurement, r *rollout.Runner, sheets []*sheet) error {
	if err := s.extract(ctx, r, sheets); err != nil {
		return fmt.Errorf("measure %s: %w", m.System, err)
	}
	for _, sheet := range sheets {
		m.Debates = append(m.Debates, sheet.debate)
		for t, answers := range sheet.debate.Answers {
			m.Scores[t] = append(m.Scores[t], eval.Vote(answers, sheet.debate.Truth, s.invalid()))
		}
	}
	return nil
}

func (s *session) invalid() eval.Invalid { return eval.Invalid(s.recipe.Eval.Invalid) }

// answersOf lists the final answers of the g-th completions at a node.
func answersOf(n *rollout.Node, g int) []eval.Answer {
	out := make([]eval.Answer, len(n.Agents))
	for i := range n.Agents {
		c := &n.Agents[i].Completions[g]
		out[i] = eval.Answer{Canonical: c.Answer, OK: c.HasAnswer}
	}
	return out
}

// measureVotes lets one agent answer each problem k times on its own and votes over the answers. Answers that cannot be compared are
// scored by the joint reward, the first of each problem.
func (s *session) measureVotes(ctx context.Context, system string, r *rollout.Runner, k int) (*measurement, error) {
	wide := *r
	wide.Settings.Group = k
	episodes, err := s.play(ctx, system, &wide)
	if err != nil {
		return nil, err
	}
	m := &measurement{System: system, Scores: make([][]float64, 1)}
	m.Solved = solved(episodes)
	var sheets []*sheet
	for _, e := range episodes {
		m.costs(e)
		if !s.recipe.Votes() {
			m.Scores[0] = append(m.Scores[0], s.jointScore(e.Nodes[0]))
			m.parts(e.Nodes[0].Scored[0])
			continue
		}
		sheets = append(sheets, votesSheet(e))
	}
	return m, s.answered(ctx, m, &wide, sheets)
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
