package measure

import (
	"math"
	"testing"

	"parley/recipe/language"
	"parley/rl/eval"
	"parley/rl/rollout"
	"parley/task"
	"parley/task/answer"
	"parley/train/lineup"
)

// TestAtK: pass@k and accuracy@k of two problems with four answers each, by hand.
func TestAtK(t *testing.T) {
	m := &Measurement{System: "trained", Shares: [][]float64{{0.5, 1, 0, 0}, {0.25, 0, 0, 0.75}}}
	for k, want := range map[int]struct{ pass, best, expected float64 }{
		// One of four solves the first problem: 1/4. The expectation is the mean of the shares.
		1: {1. / 8, (0.5 + 0.25) / 2, (1.5/4 + 1./4) / 2},
		// Three of the six pairs hold the solution, two of the others the half. Of the second problem three hold 0.75, two of the others 0.25.
		2: {(3. / 6) / 2, (1 + 0.25) / 2, ((3*1+2*0.5)/6 + (3*0.75+2*0.25)/6) / 2},
		4: {1. / 2, (1 + 0.75) / 2, (1 + 0.75) / 2},
	} {
		pass, accuracy := PassAt(m, []int{k}, 1)[0], AccuracyAt(m, []int{k}, 1)[0]
		for what, d := range map[string]float64{"pass": pass.Value - want.pass, "accuracy": accuracy.Value - want.best, "expected": accuracy.Expected - want.expected} {
			if math.Abs(d) > 1e-12 {
				t.Errorf("%s@%d is off by %v", what, k, d)
			}
		}
		if pass.System != "trained" || pass.K != k || pass.CI95[0] > pass.Value || pass.CI95[1] < pass.Value {
			t.Errorf("pass@%d: %+v", k, pass)
		}
	}
}

// TestSharesSolved: of a program it is the share of its tests, of an answer whether it is right.
func TestSharesSolved(t *testing.T) {
	part := 0.75
	n := &rollout.Node{
		Joint: [][]int{{0}, {1}, {2}}, Agents: []rollout.AgentTurn{{Completions: []rollout.Completion{{}, {Correct: true}, {}}}},
		Scored: []task.Score{{Signals: &task.Signals{Solved: &part}}, {}, {}},
	}
	if got := SharesSolved(&rollout.Episode{Nodes: []*rollout.Node{n}}); got[0] != 0.75 || got[1] != 1 || got[2] != 0 {
		t.Errorf("shares %v, want 0.75, 1, 0", got)
	}
}

// TestTeamSolved: a joint sample solves what the task says of the whole team's outcome, whoever wrote what of it.
func TestTeamSolved(t *testing.T) {
	part := 0.75
	e := &rollout.Episode{Nodes: []*rollout.Node{
		{Scored: []task.Score{{Signals: &task.Signals{Solved: new(float64)}}}},
		{Agents: []rollout.AgentTurn{{Completions: []rollout.Completion{{Correct: true}}}, {}}, Scored: []task.Score{{Signals: &task.Signals{Solved: &part}}}},
	}}
	if got, err := teamSolved(lineup.Lineup{}, nil, e); got != part || err != nil {
		t.Errorf("%v, %v", got, err)
	}
}

// TestElect: a vote under a reward scores what the first answer with each winning text earns: the mean where several win, the first of all where nobody can
// be read and the unreadable do not vote.
func TestElect(t *testing.T) {
	said := func(answers ...string) *rollout.Episode {
		n := &rollout.Node{Agents: make([]rollout.AgentTurn, 1)}
		for k, a := range answers {
			n.Agents[0].Completions = append(n.Agents[0].Completions, rollout.Completion{Answer: a, HasAnswer: a != ""})
			n.Joint = append(n.Joint, []int{k})
			n.Scored = append(n.Scored, task.Score{Reward: float64(k) - 1, Parts: map[string]float64{"p": float64(k)}})
		}
		return &rollout.Episode{Problem: task.Problem{Truth: "7"}, Nodes: []*rollout.Node{n}}
	}
	for _, c := range []struct {
		answers      []string
		invalid      answer.Invalid
		score, right float64
	}{
		{[]string{"7"}, answer.InvalidVotes, 0, 1},
		{[]string{"8", "7", "7"}, answer.InvalidVotes, 0.5, 1},
		{[]string{"8", "7", "9", "8", "7"}, answer.InvalidVotes, 0.25, 0.5},
		{[]string{"7", "", ""}, answer.InvalidVotes, 0.5, 0},
		{[]string{"", "7", ""}, answer.InvalidAbstains, 0.5, 1},
		{[]string{"", ""}, answer.InvalidAbstains, 0, 0},
	} {
		r, err := language.New().Parse("vote.yaml", []byte("name: vote\ntask: {name: sums}\nteam: {protocol: parallel, agents: 2, turns: 1}\nalgorithm: magrpo\nreward: {source: user, user: {expression: '0', min: -1}}\neval: {invalid: "+string(c.invalid)+"}\n"), nil)
		if err != nil {
			t.Fatal(err)
		}
		out := &Measurement{Measure: eval.Earned("reward", -1, 1), Scores: make([][]float64, 1)}
		Measurer{Recipe: r}.elect(out, said(c.answers...))
		if out.Scores[0][0] != c.score || len(out.Accuracy) != 1 || out.Accuracy[0][0] != c.right || out.Parts["p"] != 2*c.score {
			t.Errorf("%q under %s: score %v, accuracy %v, parts %v; want %v and %v", c.answers, c.invalid, out.Scores, out.Accuracy, out.Parts, c.score, c.right)
		}
	}
}
