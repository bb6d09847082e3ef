// Package measure says how well a system does on held-out problems: a team, or one agent that votes with itself.
//
// A [Measurer] plays all problems and gives a [Measurement]: the score after every turn, what it cost, and the answers that it was
// counted from. [Row], [Compare] and [WithoutHistory] bring measurements into the report's form, with their intervals and tests.
//
//	measure.go      who measures what
//	answertable.go  the final answers to a problem, turn by turn; what trained policies answered, kept as tokens
//	earned.go       what a team earned, what a vote earns, and how right those are who are paid otherwise
//	sampled.go      many samples of a team, or of one agent, for each problem: pass@k and accuracy@k
//	passes.go       votes over passes of a team, and teams with one agent changed
//	extract.go      final answers that a base is asked for where nobody can read them
//	missing.go      problems that could not be scored
//	costs.go        tokens, tokens that are waited for, parts of rewards
//	rows.go         measurements as rows of the report
//	ruler.go        what measurements have to share to be compared
package measure

import (
	"cmp"
	"context"
	"fmt"

	"parley/recipe"
	"parley/rl/eval"
	"parley/rl/rollout"
	"parley/rl/rollout/keep"
	"parley/runs"
	"parley/runs/verify"
	"parley/task"
	"parley/task/answer"
	"parley/team"
	"parley/train/score"
)

// A Measurement is how one system did on the held-out problems.
type Measurement struct {
	System  string       `json:"system"`
	Measure eval.Measure `json:"measure,omitzero"` // of Scores; earlier releases did not write it
	Scores  [][]float64  `json:"scores"`           // [turn][problem], each in [0, 1]
	Tokens  []int        `json:"tokens"`           // generated, per problem
	// Accuracy is how right the answers of each turn are, as Scores, where these are something else and answers have a truth all the same.
	Accuracy [][]float64 `json:"accuracy,omitempty"`
	// Latency is the tokens that had to be waited for, per problem: the longest answer of each turn.
	Latency []int `json:"latency,omitempty"`
	// Costs are the queries and the tokens of each agent, by its name, summed; nil: agents have none, or it is no team.
	Costs map[string]map[string]float64 `json:"costs,omitempty"`
	// Parts are the summed parts of the last turn's joint rewards.
	Parts map[string]float64 `json:"parts,omitempty"`
	// Own is what each agent was paid alone, by its name, a mean over problems; nil: nobody was.
	Own map[string]float64 `json:"own,omitempty"`
	// Play says how the team plays a game that can be measured; nil: its task is none.
	Play map[string]float64 `json:"play,omitempty"`
	// Solved is the share of each problem that its last turn solved, without what is paid for working together; empty where the task
	// does not say it of every problem.
	Solved []float64 `json:"solved,omitempty"`
	// Shares are what each of several samples of a system solved of a problem, [problem][sample]; a system that is measured by one result a
	// problem has none.
	Shares [][]float64 `json:"shares,omitempty"`
	// Passed are 1 where a sample reached the greatest possible score, [problem][sample]; only of a team that pass^k is asked of.
	Passed [][]float64 `json:"passed,omitempty"`
	// Debates are the final answers, per problem; nil where answers have no truth to be compared with.
	Debates []eval.Debate `json:"debates,omitempty"`
	// Examples are the dialogues of the first problems.
	Examples []runs.Dialogue `json:"examples,omitempty"`
	// Answers are those of a trained team to the first problems, as tokens: what an exported policy is compared on.
	Answers []verify.Answer `json:"answers,omitempty"`
	// Missing are the problems that could not be scored, in their order: all lists above are about the others.
	Missing []Missing     `json:"missing,omitempty"`
	answers []keep.Answer // of the problems, compact; nil: nobody wants them, or they have been taken
	// Unplayed says why a game that can be measured was not.
	Unplayed string `json:"unplayed,omitempty"`
}

// Score is the mean of the last turn: the system's result.
func (m *Measurement) Score() float64 { return m.Last().Mean() }

// Last are the scores of the last turn, per problem.
func (m *Measurement) Last() eval.Scores {
	return eval.Scores{Measure: m.Measure, Values: m.Scores[len(m.Scores)-1]}
}

// Accurate is the same system measured by whether it is right, where its scores say something else; nil: answers have no truth.
func (m *Measurement) Accurate() *Measurement {
	if len(m.Accuracy) == 0 {
		return nil
	}
	return &Measurement{
		System: m.System, Measure: eval.Accuracy(), Scores: m.Accuracy, Tokens: m.Tokens, Latency: m.Latency, Missing: m.Missing,
	}
}

// A Measurer measures systems of one recipe on its held-out problems.
type Measurer struct {
	Recipe   *recipe.Recipe
	Scorer   *score.Scorer
	Problems []task.Problem
	Keep     func(part int) keep.Keeper // of the lineup; nil: nothing is kept
	Silent   []int                      // agents who are left out: they have no vote, and nobody asks what they would have answered
}

// begin begins the measurement of a system of so many turns.
func (m Measurer) begin(system string, turns int) *Measurement {
	return &Measurement{System: system, Measure: m.Scorer.Measure(), Scores: make([][]float64, turns), answers: []keep.Answer{}}
}

// Debates measures what the team of r says about the held-out problems, one completion an answer. Where its protocol says what the team's answer
// is, that is scored; else every turn is: by the joint reward where there is one, else by vote.
func (m Measurer) Debates(ctx context.Context, system string, r *rollout.Runner) (*Measurement, error) {
	out := m.begin(system, r.Protocol.Turns())
	episodes, err := m.play(ctx, out, r)
	if err != nil {
		return nil, err
	}
	if err := m.score(ctx, out, r, episodes); err != nil {
		return nil, err
	}
	if err := m.rightOf(out, r.Protocol, episodes); err != nil {
		return nil, err
	}
	for _, e := range episodes {
		out.addCosts(e, m.Recipe.AgentNames())
	}
	for agent, x := range score.OwnRewards(episodes, r.Protocol.Agents()) {
		if out.Own == nil {
			out.Own = map[string]float64{}
		}
		out.Own[cmp.Or(m.Recipe.AgentName(agent), fmt.Sprintf("agent %d", agent+1))] = x
	}
	out.Solved = solved(episodes)
	for _, e := range episodes[:min(m.Recipe.Eval.Examples, len(episodes))] {
		out.Examples = append(out.Examples, Dialogue(system, e, m.Recipe.AgentNames()))
	}
	if system == runs.Trained {
		out.keepAnswers(episodes)
	}
	return out, nil
}

// score fills in the scores of a team's episodes, and the parts of the last.
func (m Measurer) score(ctx context.Context, out *Measurement, r *rollout.Runner, episodes []*rollout.Episode) error {
	if a, ok := r.Protocol.(team.Answering); ok && a.Answers() {
		out.Scores = make([][]float64, 1)
		for _, e := range episodes {
			last := e.Nodes[len(e.Nodes)-1]
			out.Scores[0] = append(out.Scores[0], out.Measure.Score(e.Earned()))
			out.addParts(last.Scored[0], 1)
		}
	} else if !m.Recipe.Reward.Joint() {
		var tables []*answerTable
		for _, e := range episodes {
			tables = append(tables, debateAnswers(e, m.Silent...))
		}
		if err := m.vote(ctx, out, r, tables); err != nil {
			return err
		}
	} else {
		first := firstScored(episodes[0])
		out.Scores = out.Scores[first:]
		for _, e := range episodes {
			for t := range out.Scores {
				out.Scores[t] = append(out.Scores[t], out.Measure.Score(e.Nodes[min(first+t, len(e.Nodes)-1)].Scored[0].Reward))
			}
			out.addParts(e.Nodes[len(e.Nodes)-1].Scored[0], 1)
		}
	}
	return nil
}

// Votes lets the one agent of r answer each problem k times on its own and votes over the answers. Under a joint reward the answer that the vote
// gives is scored by that reward. Answers that cannot be compared have no vote: the first of each problem is scored.
func (m Measurer) Votes(ctx context.Context, system string, r *rollout.Runner, k int) (*Measurement, error) {
	wide := *r
	wide.Settings.Group = k
	out := m.begin(system, 1)
	episodes, err := m.play(ctx, out, &wide)
	if err != nil {
		return nil, err
	}
	out.Solved = solved(episodes)
	var tables []*answerTable
	for _, e := range episodes {
		out.addCosts(e, nil)
		if m.Recipe.Reward.Joint() {
			m.elect(out, e)
			continue
		}
		tables = append(tables, voteAnswers(e))
	}
	return out, m.vote(ctx, out, &wide, tables)
}

// Affordable is how many answers of one agent cost about as many tokens as budget allows, at least one.
func Affordable(budget, tokensPerAnswer float64) int {
	return max(1, int(budget/max(tokensPerAnswer, 1)+0.5))
}

// firstScored is the first turn of an episode after which everybody has spoken: those before it have no joint reward. Who speaks when does
// not depend on the problem.
func firstScored(e *rollout.Episode) int {
	for _, n := range e.Nodes {
		if len(n.Scored) > 0 {
			return n.Turn
		}
	}
	return 0
}

// play rolls out the held-out problems and returns the episodes that could be scored.
func (m Measurer) play(ctx context.Context, out *Measurement, r *rollout.Runner) ([]*rollout.Episode, error) {
	episodes, err := m.playPart(ctx, out, r, 0, 0, m.Problems)
	if err != nil {
		return nil, err
	}
	return episodes, m.enough(out)
}

// playPart rolls out a part of the problems, counted from 0, behind so many others. Every part has random numbers of its own.
func (m Measurer) playPart(ctx context.Context, out *Measurement, r *rollout.Runner, part, before int, problems []task.Problem) ([]*rollout.Episode, error) {
	var kept keep.Keeper
	if m.Keep != nil {
		kept = m.Keep(part)
	}
	episodes, err := keep.Run(ctx, r, kept, "measure", part, problems)
	if err != nil {
		return nil, fmt.Errorf("measure %s: %w", out.System, err)
	}
	if out.answers != nil {
		for _, e := range episodes {
			out.answers = append(out.answers, keep.Compact(e, before+e.Index, part))
		}
	}
	return out.leaveOut(episodes, before), nil
}

// enough is an error where too many problems could not be scored.
func (m Measurer) enough(out *Measurement) error {
	return out.enough(len(m.Problems), m.Recipe.Training.FailedShare)
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

// vote fills in the debates of tables, once the bases have been asked for answers that nobody could read, and the score of the vote after
// every turn.
func (m Measurer) vote(ctx context.Context, out *Measurement, r *rollout.Runner, tables []*answerTable) error {
	if err := m.extract(ctx, r, tables); err != nil {
		return fmt.Errorf("measure %s: %w", out.System, err)
	}
	for _, table := range tables {
		out.Debates = append(out.Debates, table.debate)
		for t, answers := range table.debate.Answers {
			out.Scores[t] = append(out.Scores[t], answer.Vote(answers, table.debate.Truth, answer.Invalid(m.Recipe.Eval.Invalid)))
		}
	}
	return nil
}
