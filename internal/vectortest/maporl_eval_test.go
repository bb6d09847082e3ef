package vectortest

import (
	"testing"

	"parley/rl/eval"
	"parley/task/answer"
)

func votesCase(t *testing.T, c Case) {
	v := decode[struct {
		Answers      []*string
		Truth        string
		Score        float64
		ScoreAbstain float64 `json:"score_abstain"`
	}](t, c)
	answers := make([]answer.Answer, len(v.Answers))
	for i, a := range v.Answers {
		if a != nil {
			answers[i] = answer.Answer{Canonical: *a, OK: true}
		}
	}
	near(t, c, "score", answer.Vote(answers, v.Truth, answer.InvalidVotes), v.Score)
	near(t, c, "score_abstain", answer.Vote(answers, v.Truth, answer.InvalidAbstains), v.ScoreAbstain)
}

func parseCase(t *testing.T, c Case) {
	v := decode[struct {
		Task, Text string
		Answer     *string
	}](t, c)
	parsers := map[string]answer.Parser{"math": answer.Math, "nli": answer.NLI}
	if parsers[v.Task] == nil {
		t.Fatalf("task %q is not known", v.Task)
	}
	got := parsers[v.Task].Read(v.Text)
	var want answer.Answer
	if v.Answer != nil {
		want = answer.Answer{Canonical: *v.Answer, OK: true}
	}
	if got != want {
		t.Errorf("answer of %q is %+v, want %+v", v.Text, got, want)
	}
}

// vectorConditioned is an entry of "own" and "influence", or of "own_conditional", which has no deltas but has nulls.
type vectorConditioned struct {
	RWR, RWW, WRW, WRR *float64
	Delta0, Delta1     *float64
}

func (want vectorConditioned) check(t *testing.T, c Case, what string, got eval.Conditioned) {
	t.Helper()
	nearOrNull(t, c, what+".RWR", got.RWR, want.RWR)
	nearOrNull(t, c, what+".RWW", got.RWW, want.RWW)
	nearOrNull(t, c, what+".WRW", got.WRW, want.WRW)
	nearOrNull(t, c, what+".WRR", got.WRR, want.WRR)
	if want.Delta0 != nil || want.Delta1 != nil {
		nearOrNull(t, c, what+".delta0", got.Delta0(), want.Delta0)
		nearOrNull(t, c, what+".delta1", got.Delta1(), want.Delta1)
	}
}

func transitionsCase(t *testing.T, c Case) {
	v := decode[struct {
		Correct     [][][]int
		Transitions []struct {
			FromTurn       int `json:"from_turn"`
			ToTurn         int `json:"to_turn"`
			RR, WR, RW, WW float64
			Net            float64
			AccuracyFrom   float64 `json:"accuracy_from"`
			AccuracyTo     float64 `json:"accuracy_to"`
			Own, Influence vectorConditioned
			OwnConditional vectorConditioned `json:"own_conditional"`
		}
	}](t, c)
	var correct [][][]bool
	for _, question := range v.Correct {
		correct = append(correct, truths(question))
	}
	got := eval.Transitions(correct)
	if len(got) != len(v.Transitions) {
		t.Fatalf("%d pairs of turns, want %d", len(got), len(v.Transitions))
	}
	for i, want := range v.Transitions {
		g := got[i]
		if g.FromTurn != want.FromTurn || g.ToTurn != want.ToTurn {
			t.Errorf("pair %d is of turns %d and %d, want %d and %d", i, g.FromTurn, g.ToTurn, want.FromTurn, want.ToTurn)
		}
		nearSlice(t, c, "RR WR RW WW", []float64{g.RR, g.WR, g.RW, g.WW}, []float64{want.RR, want.WR, want.RW, want.WW})
		near(t, c, "net", g.Net(), want.Net)
		near(t, c, "accuracy_from", g.Before(), want.AccuracyFrom)
		near(t, c, "accuracy_to", g.After(), want.AccuracyTo)
		want.Own.check(t, c, "own", g.Own)
		want.Influence.check(t, c, "influence", g.Influence)
		want.OwnConditional.check(t, c, "own_conditional", g.OwnConditional)
	}
}
