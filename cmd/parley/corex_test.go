package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/team/teamtest"

	"pgregory.net/rapid"

	"parley/recipe/language"
	"parley/task"
	"parley/task/answer"
	"parley/team"
	"parley/train/plan"
)

// A scripted episode: what agents say is drawn, and the rules of package teamtest are asked beside the recipe.
type scripted struct {
	protocol team.Protocol
	names    []string
	history  team.History
	said     map[string]team.Answer // by agent and how often it spoke before
	prompts  map[string]string
}

func openScripted(t *testing.T, name string, set ...string) *scripted {
	t.Helper()
	r, err := language.New().Load(name, set)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Protocol(r)
	if err != nil {
		t.Fatal(err)
	}
	return &scripted{protocol: p, names: r.AgentNames()}
}

// play goes through an episode in which every agent gives an answer of write, and returns what the team answers.
func (s *scripted) play(t *rapid.T, write func(agent string) string) string {
	s.history, s.said, s.prompts = nil, map[string]team.Answer{}, map[string]string{}
	problem := task.Problem{ID: "p", Question: "the question"}
	times := map[int]int{}
	for {
		asks, err := s.protocol.Next(problem, s.history)
		if err != nil {
			t.Fatal(err)
		}
		if len(asks) == 0 {
			break
		}
		for _, ask := range asks {
			key := fmt.Sprint(s.names[ask.Agent], "@", times[ask.Agent])
			final := write(s.names[ask.Agent])
			text := fmt.Sprintf("<%s: %s >", key, final)
			a := team.Answer{Turn: ask.Turn, Agent: ask.Agent, Text: text, Final: final, Prompt: ask.Prompt}
			for _, m := range ask.Messages {
				s.prompts[key] += m.Content
			}
			s.said[key], s.history, times[ask.Agent] = a, append(s.history, a), times[ask.Agent]+1
		}
	}
	texts, err := s.protocol.(team.Answering).TeamAnswer(problem, s.history)
	if err != nil || len(texts) != 1 {
		t.Fatal(texts, err)
	}
	return texts[0]
}

// converse goes through an episode in which every agent says what write gives for its prompt, and returns what the team answers.
func (s *scripted) converse(t rapid.TB, write func(agent, prompt string) string) string {
	problem := task.Problem{ID: "p", Question: "the question"}
	var history team.History
	for {
		asks, err := s.protocol.Next(problem, history)
		if err != nil {
			t.Fatal(err)
		}
		if len(asks) == 0 {
			break
		}
		for _, ask := range asks {
			text := write(s.names[ask.Agent], ask.Messages[len(ask.Messages)-1].Content)
			history = append(history, team.Answer{Turn: ask.Turn, Agent: ask.Agent, Text: text, Prompt: ask.Prompt})
		}
	}
	texts, err := s.protocol.(team.Answering).TeamAnswer(problem, history)
	if err != nil || len(texts) != 1 {
		t.Fatal(texts, err)
	}
	return texts[0]
}

// finalOf is the answer in a text of a scripted episode.
func finalOf(text string) answer.Answer {
	_, final, _ := strings.Cut(strings.TrimSuffix(text, " >"), ": ")
	return answer.Answer{Canonical: final, OK: final != ""}
}

func (s *scripted) answered(t *rapid.T, key string) answer.Answer {
	a, ok := s.said[key]
	if !ok {
		t.Fatalf("%s is not asked", key)
	}
	return answer.Answer{Canonical: a.Final, OK: a.Final != ""}
}

// sees compares what a prompt shows with what the rules show.
func (s *scripted) sees(t *rapid.T, key string, sources []string) {
	for other := range s.said {
		if shown := strings.Contains(s.prompts[key], "<"+other+":"); shown != slices.Contains(sources, other) {
			t.Fatalf("%s is shown %s: %v, of %v", key, other, shown, sources)
		}
	}
}

// TestCorexDiscuss: the recipes go as the rules go, call by call. No team sees the other one, the judge is asked where they differed and nowhere
// else, and where it names neither there is no answer.
func TestCorexDiscuss(t *testing.T) {
	t.Parallel()
	for name, rounds := range map[string]int{"corex-discuss-tiny": 2, "corex-discuss": 5} {
		s := openScripted(t, name)
		teams := teamtest.Teams{First: []int{0, 1}, Second: []int{2, 3}, Judge: 4}
		rapid.Check(t, func(t *rapid.T) {
			verdict := rapid.SampledFrom([]string{"1", "2", "3", ""}).Draw(t, "verdict")
			got := finalOf(s.play(t, func(agent string) string {
				if agent == "judge" {
					return verdict
				}
				return rapid.SampledFrom([]string{"1", "2", ""}).Draw(t, "answer")
			}))
			calls := 0
			key := func(c teamtest.Call) string {
				calls++
				key := fmt.Sprint(s.names[c.Agent], "@", c.Round)
				if c.Agent == teams.Judge {
					key = "judge@0"
				}
				var sources []string
				for _, source := range c.Sees {
					sources = append(sources, fmt.Sprint(s.names[source.Agent], "@", source.Round))
				}
				s.sees(t, key, sources)
				return key
			}
			var last [2]answer.Answer
			want := teamtest.Rules{Rounds: rounds, Agree: teamtest.AgreeEvery}.Play(teams, teamtest.Voices{
				Member: func(c teamtest.Call) (answer.Answer, bool) {
					return s.answered(t, key(c)), true
				},
				Judge: func(c teamtest.Call) (int, bool) {
					key(c)
					for i, members := range [][]int{teams.First, teams.Second} {
						for _, agent := range slices.Backward(members) {
							if a := s.answered(t, fmt.Sprint(s.names[agent], "@", c.Round)); a.OK {
								last[i] = a
							}
						}
					}
					return 1 + slices.Index(last[:], answer.Answer{Canonical: verdict, OK: verdict != ""}), true
				},
			})
			if !want.Result.OK {
				want.Result = answer.Answer{}
			}
			if got != want.Result || calls != len(s.said) {
				t.Fatalf("%s: %v after %d calls, want %v after %d", name, got, len(s.said), want.Result, calls)
			}
		})
	}
}

// TestCorexReview: each reviewer sees the current solution and the reviews before it; one that cannot be read changes nothing.
func TestCorexReview(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"corex-review-tiny", "corex-review"} {
		s := openScripted(t, name)
		rapid.Check(t, func(t *rapid.T) {
			got := finalOf(s.play(t, func(string) string { return rapid.SampledFrom([]string{"1", "2", ""}).Draw(t, "answer") }))
			var solutions []string // after each
			want := teamtest.Review([]int{0, 1, 2, 3, 4}, func(c teamtest.Call) (answer.Answer, bool) {
				key, sources := fmt.Sprint(s.names[c.Agent], "@0"), []string(nil)
				for _, source := range c.Sees {
					if source.Kind == teamtest.Solution {
						sources = append(sources, solutions[source.Round])
					} else {
						sources = append(sources, fmt.Sprint(s.names[source.Round], "@0"))
					}
				}
				s.sees(t, key, sources)
				a := s.answered(t, key)
				if a.OK || len(solutions) == 0 {
					solutions = append(solutions, key)
				} else {
					solutions = append(solutions, solutions[len(solutions)-1])
				}
				return a, true
			})
			if got != want.Result {
				t.Fatalf("%s: %v, want %v", name, got, want.Result)
			}
		})
	}
}

// TestCorexRetrieve: each solution is scored by itself, and the highest score wins, the first among equals.
func TestCorexRetrieve(t *testing.T) {
	t.Parallel()
	for name, draws := range map[string][]string{"corex-retrieve-tiny": {"1", "2", ""}, "corex-retrieve": {"0.5", "**1**", "none", "7", "Score: 0.25.", "-3", ".3", ""}} {
		s := openScripted(t, name)
		worth := map[string]float64{"0.5": .5, "**1**": 1, "7": 7, "Score: 0.25.": .25, ".3": .3}
		rapid.Check(t, func(t *rapid.T) {
			var solutions []string
			var scores []float64
			said := 0
			got := finalOf(s.play(t, func(agent string) string {
				if agent != "retriever" {
					solutions = append(solutions, rapid.SampledFrom([]string{"1", "2", ""}).Draw(t, "solution"))
					return solutions[len(solutions)-1]
				}
				reply := rapid.SampledFrom(draws).Draw(t, "reply")
				score := worth[reply]
				if name == "corex-retrieve-tiny" && reply != "" && reply == solutions[said] {
					score = 1
				}
				said++
				scores = append(scores, score)
				return reply
			}))
			for i := range solutions {
				s.sees(t, fmt.Sprint("solver", i+1, "@0"), nil)
				s.sees(t, fmt.Sprint("retriever@", i), []string{fmt.Sprint("solver", i+1, "@0")})
			}
			if want := solutions[teamtest.Retrieve(scores)]; got.Canonical != want {
				t.Fatalf("%s: %q of %q with %v", name, got.Canonical, solutions, scores)
			}
		})
	}
}
