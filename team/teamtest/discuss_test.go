package teamtest_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"parley/team/teamtest"

	"pgregory.net/rapid"

	"parley/task/answer"
)

func read(text string) answer.Answer { return answer.Answer{Canonical: text, OK: text != ""} }

// drawn is a discussion of scripted agents, and all calls of it.
func drawn(t *rapid.T, verdict int) (teams teamtest.Teams, calls []teamtest.Call, out teamtest.Outcome) {
	n := 5 + 2*rapid.IntRange(0, 2).Draw(t, "pairs")
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	teams, ok := teamtest.Split(rapid.Permutation(order).Draw(t, "order"))
	if !ok {
		t.Fatalf("no teams of %d", n)
	}
	rules := teamtest.Rules{Rounds: rapid.IntRange(1, 4).Draw(t, "rounds"), Agree: rapid.SampledFrom([]string{teamtest.AgreeEvery, teamtest.AgreeLast}).Draw(t, "agree")}
	out = rules.Play(teams, teamtest.Voices{
		Member: func(c teamtest.Call) (answer.Answer, bool) {
			calls = append(calls, c)
			return read(rapid.SampledFrom([]string{"1", "2", ""}).Draw(t, "answer")), true
		},
		Judge: func(c teamtest.Call) (int, bool) {
			calls = append(calls, c)
			return verdict, true
		},
	})
	return teams, calls, out
}

// TestTeamsArePrivate: no member sees what the other team said; the judge sees all of it, and is asked once at most, after everybody else.
func TestTeamsArePrivate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		teams, calls, out := drawn(t, 1)
		judged := 0
		for i, c := range calls {
			if c.Agent == teams.Judge {
				judged++
				if i != len(calls)-1 || len(c.Sees) != len(out.Rounds)*(len(teams.First)+len(teams.Second)) {
					t.Fatalf("the judge is asked %+v", c)
				}
				continue
			}
			own := teams.First
			if slices.Contains(teams.Second, c.Agent) {
				own = teams.Second
			}
			for _, s := range c.Sees {
				if !slices.Contains(own, s.Agent) || s.Round != c.Round-1 {
					t.Fatalf("agent %d sees %v in round %d", c.Agent, s, c.Round)
				}
			}
		}
		last := out.Rounds[len(out.Rounds)-1]
		if judged != out.JudgeCalls || judged == 0 && (last[0] != last[1] || out.Result != last[0]) || judged == 1 && out.Result != last[0] {
			t.Fatalf("%+v", out)
		}
	})
}

// TestJudgeOfNeither: a verdict that names no team leaves no result.
func TestJudgeOfNeither(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if _, _, out := drawn(t, 3); out.JudgeCalls == 1 && out.Result.OK {
			t.Fatalf("%+v", out)
		}
	})
}

// TestPlaysWait: with the answers so far a play asks for the next ones, and with all of them it is the play at once.
func TestPlaysWait(t *testing.T) {
	teams, _ := teamtest.Split([]int{0, 1, 2, 3, 4})
	script := map[teamtest.Source]string{{Kind: teamtest.Output, Agent: 0, Round: 0}: "2"} // one of them disagrees in the first round
	said := map[string]answer.Answer{}
	rules := teamtest.Rules{Rounds: 3, Agree: teamtest.AgreeLast}
	for turn := 1; ; turn++ {
		var open []teamtest.Call
		out := rules.Play(teams, teamtest.Voices{
			Member: func(c teamtest.Call) (answer.Answer, bool) {
				a, ok := said[fmt.Sprint(c.Agent, c.Round)]
				if !ok {
					open = append(open, c)
				}
				return a, ok
			},
			Judge: func(teamtest.Call) (int, bool) { return 0, false },
		})
		if !out.Waiting {
			if turn != 3 || out.Result != read("1") || len(out.Rounds) != 2 {
				t.Errorf("turn %d: %+v", turn, out)
			}
			return
		}
		if len(open) != 4 {
			t.Fatalf("turn %d asks %v", turn, open)
		}
		for _, c := range open {
			text, scripted := script[teamtest.Source{Kind: teamtest.Output, Agent: c.Agent, Round: c.Round}]
			if !scripted {
				text = "1"
			}
			said[fmt.Sprint(c.Agent, c.Round)] = read(text)
		}
	}
}

// TestTwins: agents that all say the same make every mode what one of them is.
func TestTwins(t *testing.T) {
	order := []int{0, 1, 2, 3, 4}
	teams, _ := teamtest.Split(order)
	ask := func(teamtest.Call) (answer.Answer, bool) { return read("7"), true }
	talked := teamtest.Rules{Rounds: 5, Agree: teamtest.AgreeEvery}.Play(teams, teamtest.Voices{Member: ask, Judge: func(teamtest.Call) (int, bool) {
		t.Error("the judge is asked")
		return 0, true
	}})
	if reviewed := teamtest.Review(order, ask); talked.Result != read("7") || reviewed.Result != read("7") || reviewed.Reviews != 4 {
		t.Errorf("%+v, %+v", talked, reviewed)
	}
}

func TestReview(t *testing.T) {
	script := []string{"", "3", "", "4"}
	var sees []string
	got := teamtest.Review([]int{3, 1, 0, 2}, func(c teamtest.Call) (answer.Answer, bool) {
		sees = append(sees, fmt.Sprint(c.Agent, c.Sees))
		return read(script[c.Round]), c.Round < 3
	})
	if !got.Waiting || got.Result != read("3") || got.Reviews != 2 {
		t.Errorf("%+v", got)
	}
	if want := "[3 [] 1 [solution@0] 0 [solution@1 review@1] 2 [solution@2 review@1 review@2]]"; fmt.Sprint(sees) != want {
		t.Errorf("%v, want %s", sees, want)
	}
}

func TestRetrieve(t *testing.T) {
	if r, c := teamtest.Retriever([]int{4, 0, 2}); r != 2 || !slices.Equal(c, []int{4, 0}) {
		t.Errorf("%d of %v", r, c)
	}
	for want, scores := range [][]float64{{.5, .5}, {math.NaN(), .1}, {.2, -3, 2, 1}} {
		if got := teamtest.Retrieve(scores); got != want {
			t.Errorf("%v: %d, want %d", scores, got, want)
		}
	}
	if got := teamtest.Retrieve(nil); got != -1 {
		t.Errorf("%d of no candidates", got)
	}
}

func TestSplit(t *testing.T) {
	for _, n := range []int{0, 1, 3, 4, 6} {
		if _, ok := teamtest.Split(make([]int, n)); ok {
			t.Errorf("teams of %d", n)
		}
	}
}
