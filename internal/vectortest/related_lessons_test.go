package vectortest

import (
	"encoding/json"
	"fmt"
	"testing"

	"parley/rl/eval"
	"parley/systems/lessonl/bank"
)

type vectorLesson struct{ Speedup, Factor, Relevance float64 }

func lessons(list []vectorLesson) []bank.Lesson {
	var out []bank.Lesson
	for _, z := range list {
		out = append(out, bank.Lesson{Speedup: z.Speedup, Factor: z.Factor, Relevance: z.Relevance})
	}
	return out
}

func selectCase(t *testing.T, c Case) {
	v := decode[struct {
		Bank             []vectorLesson
		Agents, Round, K int
		Selector         bank.Selector
		Shown            json.RawMessage
	}](t, c)
	shown, err := bank.Selection{Selector: v.Selector, K: v.K, Agents: v.Agents}.Shown(lessons(v.Bank), v.Round)
	if err != nil {
		t.Fatal(err)
	}
	same(t, c, "shown", append([]int{}, shown...), v.Shown)
}

func lessonSightsCase(t *testing.T, c Case) {
	v := decode[struct {
		Agents int
		Shown  [][]int
		Calls  json.RawMessage
	}](t, c)
	calls := []any{}
	for round, shown := range v.Shown {
		for _, call := range bank.Calls(round, v.Agents, shown) {
			writes := "code"
			if call.Lesson >= 0 {
				writes = bank.LessonName(call.Lesson)
			}
			calls = append(calls, map[string]any{"round": call.Round, "agent": call.Agent, "writes": writes, "sees": call.Sees})
		}
	}
	same(t, c, "calls", calls, v.Calls)
}

func factorCase(t *testing.T, c Case) {
	v := decode[struct {
		Bank    []vectorLesson
		Shown   []int
		New     []float64
		Factors []float64
	}](t, c)
	list := lessons(v.Bank)
	bank.Adjust(list, v.Shown, v.New)
	var factors []float64
	for _, z := range list {
		factors = append(factors, z.Factor)
	}
	nearSlice(t, c, "factors", factors, v.Factors)
}

func classCase(t *testing.T, c Case) {
	v := decode[struct {
		Compiled, Correct bool
		Speedup           *float64
		Class             bank.Class
		Credit            float64
	}](t, c)
	class, credit := bank.Classify(v.Compiled, v.Correct, orNull(v.Speedup))
	if class != v.Class {
		t.Errorf("class %s, want %s", class, v.Class)
	}
	near(t, c, "credit", credit, v.Credit)
}

func relevanceCase(t *testing.T, c Case) {
	v := decode[struct {
		Lesson, Source string
		Relevance      float64
	}](t, c)
	near(t, c, "relevance", bank.Relevance(v.Lesson, v.Source), v.Relevance)
}

func fastestCase(t *testing.T, c Case) {
	v := decode[struct {
		Speedups []float64
		Index    json.RawMessage
	}](t, c)
	index, ok := bank.Best(v.Speedups)
	same(t, c, "index", where(ok, float64(index)), v.Index)
}

func relayCase(t *testing.T, c Case) {
	v := decode[struct {
		Tests                     int
		Passed                    [][]int
		Calls, Lessons, Submitted json.RawMessage
		Early                     bool
	}](t, c)
	relay := bank.Relay{Agents: len(v.Passed[0]), Rounds: len(v.Passed), Tests: v.Tests}
	pair := func(turn bank.Turn) []int { return []int{turn.Round, turn.Agent} }
	var passed []int
	calls, learned := []any{}, []any{}
	s := relay.Standing(nil)
	for !s.Over {
		calls = append(calls, pair(s.Next))
		passed = append(passed, v.Passed[s.Next.Round][s.Next.Agent])
		s = relay.Standing(passed)
	}
	for _, turn := range s.Lessons {
		learned = append(learned, pair(turn))
	}
	same(t, c, "calls", calls, v.Calls)
	same(t, c, "lessons", learned, v.Lessons)
	same(t, c, "submitted", pair(s.Submitted), v.Submitted)
	if s.Early != v.Early {
		t.Errorf("early %v, want %v", s.Early, v.Early)
	}
}

func speedupsCase(t *testing.T, c Case) {
	v := decode[struct {
		Runs     []eval.TimedRun
		Speedups []float64

		GeoMean, Correct, Over2 json.RawMessage
	}](t, c)
	var speedups []float64
	for _, r := range v.Runs {
		speedups = append(speedups, r.Speedup())
	}
	got := eval.SpeedupsOf(v.Runs)
	nearSlice(t, c, "speedups", speedups, v.Speedups)
	for what, x := range map[string]struct {
		got  float64
		want json.RawMessage
	}{"geomean": {got.GeoMean, v.GeoMean}, "correct": {got.Correct, v.Correct}, "over2": {got.Over2, v.Over2}} {
		same(t, c, fmt.Sprint(what), x.got, x.want)
	}
}
