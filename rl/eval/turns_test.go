package eval

import (
	"testing"

	"parley/task/answer"
)

func TestTurns(t *testing.T) {
	debates := []Debate{
		{Truth: "8", Answers: [][]answer.Answer{answers("8", "9", ""), answers("8", "8", "9")}, Flagged: [][]bool{{false, false, true}, {false, false, false}}},
		{Truth: "1/2", Answers: [][]answer.Answer{answers("", "", "1/2"), answers("1/2", "1/2", "1/2")}},
	}
	got := Turns(debates, answer.InvalidVotes)
	want := []TurnReport{
		{Turn: 1, Voted: 0.25, Single: 2. / 6, Unparseable: 3. / 6, Flagged: 1. / 6},
		{Turn: 2, Voted: 1, Single: 5. / 6},
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("turn %d: %+v, want %+v", i+1, got[i], want[i])
		}
	}
	if got := Turns(debates, answer.InvalidAbstains)[0].Voted; got != 0.75 {
		t.Errorf("with abstentions turn 1 scores %v", got)
	}
	if Turns(nil, answer.InvalidVotes) != nil {
		t.Error("a report of no debates")
	}
}

// answers makes a team's answers; "" is unparseable.
func answers(canonical ...string) []answer.Answer {
	all := make([]answer.Answer, len(canonical))
	for i, c := range canonical {
		all[i] = answer.Answer{Canonical: c, OK: c != ""}
	}
	return all
}
