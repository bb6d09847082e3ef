package measure

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"strings"
	"testing"

	"parley/engine"
	"parley/engine/native"
	"parley/recipe/language"
	"parley/rl/rollout"
	"parley/task"
	"parley/task/environment"
	"parley/team"
	"parley/train/lineup"
)

// opened is a team of two that plays a game, untrained.
func opened(t *testing.T, game, first, second string, sets ...string) lineup.Lineup {
	t.Helper()
	text := fmt.Sprintf(`name: x
algorithm: magrpo
group: {rollout: episodes, size: 2}
policies: {sharing: shared}
reward: {source: joint}
sampling: {max_tokens: 3, temperature: 1}
task: {name: environment, environment: {name: %s}, train: 8, games: 12, play_every: 3}
team:
  protocol: workflow
  agents: {%[2]s: {}, %[3]s: {}}
  workflow:
    - repeat: 5
      steps: [{ask: %[2]s, prompt: "{{.Observation}}"}, {act: [%[2]s]}, {ask: %[3]s, prompt: "{{.Observation}}"}, {act: [%[3]s]}]
  answer: {joint: [%[2]s, %[3]s]}
eval: {problems: 6, temperature: 0.8, examples: 0, baselines: []}
`, game, first, second)
	r, err := language.New().Parse("x", []byte(text), sets)
	if err != nil {
		t.Fatal(err)
	}
	l, err := lineup.Open(t.Context(), r, native.Backend{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// TestLogprobs: the probability of a text where somebody is asked is that with which the engine draws it there, whatever led to it.
func TestLogprobs(t *testing.T) {
	l := opened(t, "kuhn", "first", "second")
	x := &table{lineup: l, runner: l.Evaluation(false)}
	var problems []task.Problem
	for i, p := range l.HeldOut {
		for k := range 20 {
			problems = append(problems, task.Problem{ID: fmt.Sprintf("%d-%d", i, k), Question: p.Question})
		}
	}
	episodes, err := x.run(t.Context(), problems, func(*rollout.Episode, int, team.History, uint64) (string, bool, error) { return "", false, nil })
	if err != nil {
		t.Fatal(err)
	}
	later, whole := 0, 0
	var at []environment.Situation
	var want []float64
	for _, e := range episodes {
		said := map[string][]string{}
		for _, n := range e.Nodes {
			agent := l.Recipe.AgentNames()[n.Agents[0].Agent]
			c := n.Agents[0].Completions[0]
			tokens, err := l.BaseOf(0).Model.Encode(c.Text)
			if err != nil {
				t.Fatal(err)
			}
			if c.Stop == engine.StopEOS {
				tokens = append(tokens, l.BaseOf(0).Model.Stop()[0])
			}
			if reflect.DeepEqual(tokens, c.Tokens) { // another way to write the text has its own probability
				sum := 0.0
				for _, lp := range c.Logprobs {
					sum += float64(lp)
				}
				at, want = append(at, environment.Situation{Problem: e.Problem, Agent: agent, Said: maps.Clone(said), Texts: []string{"1", c.Text}}), append(want, sum)
				if whole++; len(said) > 0 {
					later++
				}
			}
			said[agent] = append(said[agent], c.Text)
		}
	}
	if later == 0 || whole < 20 {
		t.Fatalf("%d answers are to be compared, %d of later turns", whole, later)
	}
	got, err := x.Logprobs(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if math.Abs(got[i][1]-want[i]) > 1e-5 {
			t.Errorf("%s after %q: the logarithm of the probability of %q is %v, drawn with %v", at[i].Problem.Question, at[i].Said, at[i].Texts[1], got[i][1], want[i])
		}
	}
	over := []environment.Situation{{Problem: l.HeldOut[0], Agent: "first", Said: map[string][]string{"first": {"0"}, "second": {"0"}}, Texts: []string{"1"}}}
	if _, err := x.Logprobs(t.Context(), over); err == nil || !strings.Contains(err.Error(), "first is not asked after") {
		t.Errorf("after the end: %v", err)
	}
}

// TestLogprobsAtOnce: each of two who speak at once is asked where both have said what leads there.
func TestLogprobsAtOnce(t *testing.T) {
	r, err := language.New().Load("matrix-chicken-tiny", nil)
	if err != nil {
		t.Fatal(err)
	}
	l, err := lineup.Open(t.Context(), r, native.Backend{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	x := &table{lineup: l, runner: l.Evaluation(false)}
	said := map[string][]string{"row": {"0", "1"}, "column": {"1"}}
	asked, err := x.reach(t.Context(), []environment.Situation{
		{Problem: l.HeldOut[0], Agent: "column", Said: said},
		{Problem: l.HeldOut[0], Agent: "row", Said: map[string][]string{"row": {"0"}, "column": {"1"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"round 2 1/0", "round 2 0/1"} {
		if m := asked[i].Messages; !strings.HasPrefix(m[len(m)-1].Content, want) || asked[i].Agent != 1-i {
			t.Errorf("agent %d is asked %+v, want %s", asked[i].Agent, m, want)
		}
	}
}

// TestPlay: others say what their players want, in the state that the world is in, and everybody gets what the game pays; the agents play the
// rest. Games are the same when they are played again.
func TestPlay(t *testing.T) {
	l := opened(t, "tic-tac-toe", "x", "o")
	x := &table{lineup: l, runner: l.Evaluation(false), games: 4}
	next := func(moves string) environment.Player { // the next of these cells, by how many are taken
		return func(state json.RawMessage, _ func(int) int) (string, error) {
			taken := len(strings.Trim(string(state), `"`)) - strings.Count(string(state), ".")
			return "to " + moves[taken/2:taken/2+1], nil
		}
	}
	board := task.Problem{ID: "b", Question: "........."}
	got, err := x.Play(t.Context(), []environment.Match{
		{Problem: board, Others: map[string]environment.Player{"x": next("123"), "o": next("456")}},
		{Problem: board, Others: map[string]environment.Player{"x": next("128"), "o": next("456")}},
		{Problem: board, Others: map[string]environment.Player{"x": next("11"), "o": next("45")}},
		{Problem: board},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []map[string]float64{{"x": 1, "o": -1}, {"x": -1, "o": 1}, {"x": -2, "o": 0}} {
		if !reflect.DeepEqual(got[i], want) {
			t.Errorf("match %d pays %v, want %v", i+1, got[i], want)
		}
	}
	numbers, err := Plays(t.Context(), l, false)
	if err != nil || len(numbers) != 8 {
		t.Fatalf("%v, %v", numbers, err)
	}
	if again, err := Plays(t.Context(), l, false); err != nil || !reflect.DeepEqual(again, numbers) {
		t.Errorf("measured again: %v and %v, %v", again, numbers, err)
	}
}

// TestAfter: in training, a game is measured every so many updates; what is no game is not measured.
func TestAfter(t *testing.T) {
	l := opened(t, "kuhn", "first", "second")
	if err := l.AddPolicies(t.Context()); err != nil {
		t.Fatal(err)
	}
	for update := 1; update <= 7; update++ {
		got, err := PlaysAfter(context.Background(), l, update)
		if err != nil || (got != nil) != (update%3 == 0) {
			t.Errorf("update %d: %v, %v", update, got, err)
		}
	}
	if got, err := Plays(t.Context(), opened(t, "path", "north", "south"), false); err != nil || got != nil {
		t.Errorf("path is measured: %v, %v", got, err)
	}
}
