package eval

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"parley/task/answer"
)

// drawDebates draws debates in which answers agree, differ, are unreadable and are read out by the base.
func drawDebates(t *rapid.T) []Debate {
	turns, agents := rapid.IntRange(1, 4).Draw(t, "turns"), rapid.IntRange(1, 4).Draw(t, "agents")
	anyAnswer := rapid.Custom(func(t *rapid.T) answer.Answer {
		text := rapid.SampledFrom([]string{"", "7", "8", "9"}).Draw(t, "answer")
		return answer.Answer{Canonical: text, OK: text != ""}
	})
	debate := rapid.Custom(func(t *rapid.T) Debate {
		return Debate{
			Truth:   rapid.SampledFrom([]string{"7", "8"}).Draw(t, "truth"),
			Answers: rapid.SliceOfN(rapid.SliceOfN(anyAnswer, agents, agents), turns, turns).Draw(t, "answers"),
			Flagged: rapid.SliceOfN(rapid.SliceOfN(rapid.Bool(), agents, agents), turns, turns).Draw(t, "flagged"),
		}
	})
	return rapid.SliceOfN(debate, 1, 6).Draw(t, "debates")
}

// TestSection83EveryEvaluationIsConsistent: whatever was answered, the identities hold; debates survive JSON.
func TestSection83EveryEvaluationIsConsistent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		debates := drawDebates(t)
		e, err := Evaluate(debates, rapid.SampledFrom([]answer.Invalid{answer.InvalidVotes, answer.InvalidAbstains}).Draw(t, "invalid"))
		if err != nil {
			t.Fatal(err)
		}
		for _, tr := range e.Transitions {
			for _, c := range []Conditioned{tr.OwnConditional, tr.InfluenceConditional} {
				for _, share := range []float64{c.RWR, c.RWW, c.WRW, c.WRR} {
					if !math.IsNaN(share) && (share < 0 || share > 1) {
						t.Fatalf("conditional share %v", share)
					}
				}
			}
		}
		data, err := json.Marshal(debates)
		var back []Debate
		if err != nil || json.Unmarshal(data, &back) != nil || !reflect.DeepEqual(debates, back) {
			t.Fatalf("%+v becomes %+v, %v", debates, back, err)
		}
	})
}

// TestBrokenEvaluationsAreFound: a change of any number that an identity is about is noticed.
func TestBrokenEvaluationsAreFound(t *testing.T) {
	debates := []Debate{
		{Truth: "8", Answers: [][]answer.Answer{answers("8", "9", "9"), answers("8", "8", "9")}},
		{Truth: "7", Answers: [][]answer.Answer{answers("7", "7", "9"), answers("9", "7", "9")}},
	}
	for name, spoil := range map[string]func(*Evaluation){
		"accuracy before": func(e *Evaluation) { e.Turns[0].Single += 0.01 },
		"accuracy after":  func(e *Evaluation) { e.Turns[1].Single = math.NaN() },
		"votes":           func(e *Evaluation) { e.Turns[1].Voted -= 0.01 },
		"shares":          func(e *Evaluation) { e.Transitions[0].RR, e.Transitions[0].WW = 0, 0 },
		"moves up":        func(e *Evaluation) { e.Transitions[0].Own.WRW = 1 },
		"moves down":      func(e *Evaluation) { e.Transitions[0].Own.RWR = 1 },
		"pairs":           func(e *Evaluation) { e.Voted = nil },
	} {
		e, err := Evaluate(debates, answer.InvalidVotes)
		if err != nil {
			t.Fatal(err)
		}
		if spoil(&e); e.Check() == nil {
			t.Errorf("wrong %s went unnoticed", name)
		}
	}
}

// TestConditionalInfluence by hand: three agents, agent 1 right and the others wrong at turn 1; at turn 2 all are right. The majority
// of the others of agent 1 went from wrong to right beside a right answer; those of agents 2 and 3 were tied.
func TestConditionalInfluence(t *testing.T) {
	tr := Transitions([][][]bool{{{true, false, false}, {true, true, true}}, {{true, false, false}, {true, false, false}}})[0]
	if tr.Influence.WRR != 1./6 || tr.InfluenceConditional.WRR != 0.5 {
		t.Errorf("WRR is %v of all, %v of those answers", tr.Influence.WRR, tr.InfluenceConditional.WRR)
	}
	if !math.IsNaN(tr.InfluenceConditional.WRW) || !math.IsNaN(tr.OwnConditional.RWR) {
		t.Errorf("shares of nothing: %+v", tr)
	}
}

func TestExtractedAnswersCountAsUnparseable(t *testing.T) {
	d := Debate{Truth: "8", Answers: [][]answer.Answer{answers("8", "", "9")}, Extracted: [][]bool{{true, false, false}}}
	r := Turns([]Debate{d}, answer.InvalidVotes)[0]
	if r.Unparseable != 2./3 || r.Extracted != 1./3 || r.Single != 1./3 {
		t.Errorf("%+v", r)
	}
}

// TestSilentAgents: where turns have different speakers, every turn is reported by those who spoke, and no answer has moved.
func TestSilentAgents(t *testing.T) {
	d := Debate{Truth: "8", Answers: [][]answer.Answer{answers("8", "9"), answers("8")}, Speakers: [][]int{{1, 2}, {0}}}
	e, err := Evaluate([]Debate{d}, answer.InvalidVotes)
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Turns) != 2 || e.Turns[0].Single != 0.5 || e.Turns[1].Single != 1 || e.Transitions != nil || e.Voted != nil {
		t.Errorf("%+v", e)
	}
}
