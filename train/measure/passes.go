package measure

import (
	"context"
	"errors"
	"slices"

	"parley/engine"
	"parley/rl/rollout"
	"parley/rl/rollout/keep"
	"parley/runs"
	"parley/task"
	"parley/task/answer"
	"parley/team"
	"parley/train/lineup"
)

// A Variant is the team as it is measured otherwise than in one pass of itself: by a vote over several passes, or with one agent that is not what it
// has become.
type Variant struct {
	System  string
	Trained bool
	passes  int
	agent   int // that is changed, from 0; -1: none
	change  Change
}

// A Change says who of a team is not what it has become, by numbers from 0: who says nothing, and for whom its base speaks.
type Change struct{ LeftOut, Untrained []int }

// On changes a rollout. In a team in a program the program's door is silent for one agent alone.
func (c Change) On(r *rollout.Runner) error {
	for _, agent := range c.Untrained {
		r.Actors[agent].Policy = func(int) engine.Policy { return engine.Base }
	}
	if len(c.LeftOut) == 0 {
		return nil
	}
	if w, in := r.Player.(interface {
		Without(agent int) rollout.Player
	}); in {
		if len(c.LeftOut) > 1 {
			return errors.New("of a team in a program one agent can be left out at a time")
		}
		r.Player = w.Without(c.LeftOut[0])
	}
	for _, agent := range c.LeftOut {
		r.Actors[agent].Speaker = nil
	}
	r.Script = func(_ *rollout.Episode, agent int, _ team.History, _ uint64) (string, bool, error) {
		return "", slices.Contains(c.LeftOut, agent), nil
	}
	return nil
}

// Variants lists those that the recipe asks for: votes, of the team before training and after it (MALT's MV@m), and the trained team without each of
// its agents. trained says that it has been trained.
func Variants(l lineup.Lineup, trained bool) []Variant {
	var out []Variant
	n := l.Recipe.Eval.Passes
	if n > 1 {
		out = append(out, Variant{System: runs.OffTheShelfVote, passes: n, agent: -1})
	}
	if !trained {
		return out
	}
	if n > 1 {
		out = append(out, Variant{System: runs.TrainedVote, Trained: true, passes: n, agent: -1})
	}
	for agent, name := range l.Recipe.Team.Agents.Names()[:l.Protocol.Agents()] {
		for _, change := range l.Recipe.Eval.Ablations {
			v := Variant{System: runs.Ablation(change, name), Trained: true, passes: 1, agent: agent, change: Change{Untrained: []int{agent}}}
			if change == "skipped" {
				v.change = Change{LeftOut: []int{agent}}
			}
			known := slices.ContainsFunc(out, func(other Variant) bool { return other.System == v.System })
			if learns := !l.Sharing.IsFrozen(agent); !known && (change == "skipped" || learns) {
				out = append(out, v)
			}
		}
	}
	return out
}

// After is how many updates of a run it is measured after.
func (v Variant) After(updates int) int {
	if v.Trained {
		return updates
	}
	return 0
}

// Measure measures it, a whole team in the size that the recipe measures. The first pass of a vote is the one that the team alone is measured by.
func (v Variant) Measure(ctx context.Context, l lineup.Lineup) (*Measurement, error) {
	if v.agent < 0 {
		var err error
		if l, err = l.WithAgents(l.Recipe.MeasuredAgents()); err != nil {
			return nil, err
		}
	}
	runner := l.Evaluation(v.Trained)
	if err := v.change.On(runner); err != nil {
		return nil, err
	}
	return voted(ctx, l, v.System, runner, v.passes)
}

// A ballot is what a team answered to one problem in its passes, and what that cost.
type ballot struct {
	answers         []answer.Answer
	scores          []float64
	tokens, latency int      // passes do not wait for each other
	spent           [][2]int // the agent and the tokens of each text
	missing         *Missing // of the first pass that could not be scored
}

// voted measures a team by a vote over its answers in some passes, of which each has random numbers of its own. A problem that could not be scored in
// one of them is left out.
func voted(ctx context.Context, l lineup.Lineup, system string, r *rollout.Runner, passes int) (*Measurement, error) {
	m := Of(l)
	ballots := make([]ballot, len(m.Problems))
	var answers []keep.Answer
	for pass := range passes {
		one := m.begin(system, 1)
		episodes, err := m.playPart(ctx, one, r, pass, 0, m.Problems)
		if err != nil {
			return nil, err
		}
		answers = append(answers, one.answers...)
		for i, x := range one.Missing {
			if b := &ballots[x.Number]; b.missing == nil {
				b.missing = &one.Missing[i]
			}
		}
		for i, e := range episodes {
			given, err := teamAnswer(l, r.Protocol, e)
			if err != nil {
				return nil, err
			}
			one.addCosts(e, nil)
			b := &ballots[e.Index]
			b.spend(e)
			if m.Recipe.Reward.Joint() {
				b.scores = append(b.scores, one.Measure.Score(m.paid(r.Protocol, e)))
			}
			b.answers, b.tokens, b.latency = append(b.answers, given), b.tokens+one.Tokens[i], max(b.latency, one.Latency[i])
		}
	}
	out := m.begin(system, 1)
	out.answers = answers
	for i, b := range ballots {
		out.count(m.Problems[i].Right(), b, l.Recipe.AgentNames())
	}
	return out, m.enough(out)
}

// paid is what a team earned in one pass: in the whole episode where its protocol says what it answers, else in its last turn.
func (m Measurer) paid(p team.Protocol, e *rollout.Episode) float64 {
	if a, ok := p.(team.Answering); ok && a.Answers() {
		return e.Earned()
	}
	return e.Nodes[len(e.Nodes)-1].Scored[0].Reward
}

// count adds a problem. Among answers with equally many votes the first given wins. Under a joint reward the score is that of the first pass
// with that answer, or of the first pass of all if no answer can be read.
func (m *Measurement) count(truth string, b ballot, names []string) {
	if b.missing != nil {
		m.Missing = append(m.Missing, *b.missing)
		return
	}
	score := 0.0
	winner := answer.Plurality(b.answers).Winner
	if winner.OK && winner.Canonical == truth {
		score = 1
	}
	if len(b.scores) > 0 {
		m.AddAccuracy(0, score)
		score = b.scores[max(0, slices.Index(b.answers, winner))]
	}
	m.Scores[0] = append(m.Scores[0], score)
	m.Tokens, m.Latency = append(m.Tokens, b.tokens), append(m.Latency, b.latency)
	for _, s := range b.spent {
		m.charge(names, s[0], s[1])
	}
}

// spend adds what a pass cost, text by text.
func (b *ballot) spend(e *rollout.Episode) {
	for _, n := range e.Nodes {
		for i := range n.Agents {
			for j := range n.Agents[i].Completions {
				b.spent = append(b.spent, [2]int{n.Agents[i].Agent, len(n.Agents[i].Completions[j].Tokens)})
			}
		}
	}
}

// teamAnswer is what a team answered in one pass: what its protocol says it did, or the vote after the last turn. If the agent that was to give
// it said nothing, the answer is read from the last text.
func teamAnswer(l lineup.Lineup, p team.Protocol, e *rollout.Episode) (answer.Answer, error) {
	said := saidIn(e)
	texts, err := answerTexts(p, e.Problem, said)
	if err != nil {
		return answer.Answer{}, err
	}
	if len(texts) == 1 && texts[0] == "" {
		for _, a := range said {
			if a.Text != "" {
				texts[0] = a.Text
			}
		}
	}
	answerer, _ := l.Task.(task.Answerer)
	var given []answer.Answer
	for _, text := range texts {
		canonical, ok := task.AnswerTo(answerer, e.Problem, text)
		given = append(given, answer.Answer{Canonical: canonical, OK: ok})
	}
	return answer.Plurality(given).Winner, nil
}

// saidIn is all that was said in an episode of one completion an answer. An episode that was read back has no other memory of it.
func saidIn(e *rollout.Episode) (h team.History) {
	for _, n := range e.Nodes {
		h = append(h, n.Said(0)...)
	}
	return h
}

// answerTexts are the texts that a team answers with.
func answerTexts(p team.Protocol, problem task.Problem, said team.History) ([]string, error) {
	if a, ok := p.(team.Answering); ok && a.Answers() {
		return a.TeamAnswer(problem, said)
	}
	var texts []string
	for _, a := range said {
		if a.Turn == said[len(said)-1].Turn {
			texts = append(texts, a.Text)
		}
	}
	return texts, nil
}
