package protocols_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/task"
	"parley/team"
	"parley/team/protocols"
	"parley/team/teamtest"
	"parley/team/workflow"
)

func star(t rapid.TB, peers, rounds int) *workflow.Workflow {
	t.Helper()
	w, err := workflow.New(teamtest.Star(peers, rounds))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestGiven: with proposals the leader alone is asked, once, and reads each of them; it is the team's answer. Without any the star is what it was.
func TestGiven(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		peers := rapid.IntRange(1, 4).Draw(t, "peers")
		w := star(t, peers, rapid.IntRange(1, 3).Draw(t, "rounds"))
		var first []int
		var answers []team.Answer
		for i := range peers {
			first = append(first, i)
			answers = append(answers, team.Answer{Agent: i, Text: fmt.Sprintf("<proposal %d>", i), Final: "1"})
		}
		plain := task.Problem{ID: "p", Question: "Q", Fields: map[string]string{"title": "T"}}
		p := protocols.Given(w, first).Seed(rapid.Uint64().Draw(t, "seed"))
		asks, err := p.Next(protocols.WithAnswers(plain, answers), nil)
		if err != nil || len(asks) != 1 || asks[0].Agent != peers || asks[0].Turn != 0 {
			t.Fatalf("%+v, %v", asks, err)
		}
		for _, a := range answers {
			if !strings.Contains(asks[0].Messages[0].Content, a.Text) {
				t.Fatalf("the leader is asked %q", asks[0].Messages)
			}
		}
		h := team.History{{Agent: peers, Text: "the leader's"}}
		if after, err := p.Next(protocols.WithAnswers(plain, answers), h); err != nil || len(after) != 0 {
			t.Fatalf("%+v, %v", after, err)
		}
		for n, h := range []team.History{nil, h} {
			if over, err := p.(team.Answering).Over(protocols.WithAnswers(plain, answers), h); err != nil || over != (n == 1) {
				t.Fatalf("over after %d answers: %v, %v", n, over, err)
			}
		}
		if texts, err := p.(team.Answering).TeamAnswer(protocols.WithAnswers(plain, answers), h); err != nil || len(texts) != 1 || texts[0] != "the leader's" {
			t.Fatalf("%q, %v", texts, err)
		}
		if asks, err := p.Next(plain, nil); err != nil || len(asks) != peers || len(plain.Fields) != 1 {
			t.Fatalf("%+v, %v, %v", asks, err, plain.Fields)
		}
	})
}

func TestConformance(t *testing.T) {
	teamtest.Run(t, protocols.Given(star(t, 3, 2), []int{0, 1, 2}))
}

// TestOpening: the first turn alone, and no answer of the team, which nobody has given yet.
func TestOpening(t *testing.T) {
	p := protocols.OpeningAsk(star(t, 2, 2))
	asks, err := p.Next(task.Problem{Question: "Q"}, nil)
	if err != nil || len(asks) != 2 || p.Turns() != 1 || p.Agents() != 3 {
		t.Fatalf("%+v, %v", asks, err)
	}
	if after, err := p.Next(task.Problem{Question: "Q"}, team.History{{Text: "x"}, {Agent: 1, Text: "y"}}); err != nil || len(after) != 0 {
		t.Errorf("%+v, %v", after, err)
	}
	if _, answers := p.(team.Answering); answers {
		t.Error("an opening answers")
	}
}
