package vectortest

import (
	"encoding/json"
	"testing"

	"parley/team/teamtest"

	"parley/task/answer"
)

func teamsCase(t *testing.T, c Case) {
	v := decode[struct {
		Order               []int
		Team1, Team2, Judge json.RawMessage
	}](t, c)
	teams, ok := teamtest.Split(v.Order)
	var first, second, judge any
	if ok {
		first, second, judge = teams.First, teams.Second, teams.Judge
	}
	same(t, c, "team1", first, v.Team1)
	same(t, c, "team2", second, v.Team2)
	same(t, c, "judge", judge, v.Judge)
}

// sees are the sources of a call in the words of the vectors, the question first.
func sees(call teamtest.Call) []string {
	out := []string{"q"}
	for _, s := range call.Sees {
		out = append(out, s.String())
	}
	return out
}

func discussCase(t *testing.T, c Case) {
	v := decode[struct {
		Order   []int
		Rounds  int
		Agree   string
		Verdict int
		Answers [][]*string

		RoundsPlayed int             `json:"rounds_played"`
		TeamAnswers  json.RawMessage `json:"team_answers"`
		JudgeCalls   int             `json:"judge_calls"`
		Result       json.RawMessage
		Calls        json.RawMessage
	}](t, c)
	teams, ok := teamtest.Split(v.Order)
	if !ok {
		t.Fatalf("no teams of %v", v.Order)
	}
	calls := []any{}
	call := func(x teamtest.Call) {
		calls = append(calls, map[string]any{"agent": x.Agent, "round": x.Round, "sees": sees(x)})
	}
	got := teamtest.Rules{Rounds: v.Rounds, Agree: v.Agree}.Play(teams, teamtest.Voices{
		Member: func(x teamtest.Call) (answer.Answer, bool) {
			call(x)
			return readable(v.Answers[x.Agent])[x.Round], true
		},
		Judge: func(x teamtest.Call) (int, bool) {
			call(x)
			return v.Verdict, true
		},
	})
	answers := []any{}
	for _, round := range got.Rounds {
		answers = append(answers, []any{textOrNull(round[0]), textOrNull(round[1])})
	}
	if len(got.Rounds) != v.RoundsPlayed || got.JudgeCalls != v.JudgeCalls {
		t.Errorf("%d rounds, %d calls of the judge: want %d and %d", len(got.Rounds), got.JudgeCalls, v.RoundsPlayed, v.JudgeCalls)
	}
	same(t, c, "team_answers", answers, v.TeamAnswers)
	same(t, c, "result", textOrNull(got.Result), v.Result)
	same(t, c, "calls", calls, v.Calls)
}

func reviewCase(t *testing.T, c Case) {
	v := decode[struct {
		Order   []int
		Answers []*string
		Calls   json.RawMessage
		Reviews int
		Result  json.RawMessage
	}](t, c)
	calls := []any{}
	got := teamtest.Review(v.Order, func(x teamtest.Call) (answer.Answer, bool) {
		calls = append(calls, map[string]any{"agent": x.Agent, "sees": sees(x)})
		return readable(v.Answers)[x.Round], true
	})
	same(t, c, "calls", calls, v.Calls)
	same(t, c, "result", textOrNull(got.Result), v.Result)
	if got.Reviews != v.Reviews {
		t.Errorf("%d reviews, want %d", got.Reviews, v.Reviews)
	}
}

func retrieveCase(t *testing.T, c Case) {
	v := decode[struct {
		Order      []int
		Answers    []*string
		Scores     []*float64
		Candidates json.RawMessage
		Retriever  int
		Chosen     int
		Result     json.RawMessage
	}](t, c)
	retriever, candidates := teamtest.Retriever(v.Order)
	var scores []float64
	for _, s := range v.Scores {
		scores = append(scores, orNull(s))
	}
	chosen := teamtest.Retrieve(scores)
	if retriever != v.Retriever || candidates[chosen] != v.Chosen {
		t.Errorf("agent %d retrieves that of agent %d, want %d and %d", retriever, candidates[chosen], v.Retriever, v.Chosen)
	}
	same(t, c, "candidates", candidates, v.Candidates)
	same(t, c, "result", textOrNull(readable(v.Answers)[chosen]), v.Result)
}
