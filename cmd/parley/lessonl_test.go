package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/recipe/language"
	"parley/systems/lessonl/bank"
)

// An utterance is a text of an episode, and what its author was shown.
type utterance struct{ text, prompt string }

// playLessons goes through an episode of a recipe in which write gives the texts, and returns them by their author, in order, and the team's answer.
func playLessons(t *rapid.T, s *scripted, write func(agent, prompt string, times int) string) (map[string][]utterance, string) {
	out, times := map[string][]utterance{}, map[string]int{}
	answer := s.converse(t, func(agent, prompt string) string {
		text := write(agent, prompt, times[agent])
		times[agent]++
		out[agent] = append(out[agent], utterance{text, prompt})
		return text
	})
	return out, answer
}

// marked lists which of some marks a text shows.
func marked(text string, marks ...string) (out []string) {
	for _, m := range marks {
		if strings.Contains(text, m) {
			out = append(out, m)
		}
	}
	return out
}

// selection is that of a recipe.
func selection(t *testing.T, name string, agents int) bank.Selection {
	t.Helper()
	r, err := language.New().Load(name, nil)
	if err != nil {
		t.Fatal(err)
	}
	l := r.Team.Lessons
	return bank.Selection{Selector: bank.Selector(l.Selector), K: l.Shown, Agents: agents}
}

// unordered is the order of lessons where none is drawn.
func unordered(int, int) []int { return nil }

func number(report string) float64 {
	x, _ := strconv.ParseFloat(strings.Fields(report)[1], 64)
	return x
}

// TestLessonLRelay: the recipes that generate code go as [bank.Relay] goes, call by call, and show the lessons that the bank shows. No prompt has
// another agent's program, and the question is in all of them. TestLongLessonLRelay has the recipe of four rounds.
func TestLessonLRelay(t *testing.T) {
	t.Parallel()
	relays(t, map[string]int{"lessonl-tiny": 2})
}

func relays(t *testing.T, recipes map[string]int) {
	t.Helper()
	for name, rounds := range recipes {
		s, choice := openScripted(t, name), selection(t, name, 3)
		relay := bank.Relay{Agents: 3, Rounds: rounds, Tests: 3}
		rapid.Check(t, func(t *rapid.T) {
			var passed []int
			said, answer := playLessons(t, s, func(agent, _ string, times int) string {
				if agent != "executor" {
					return fmt.Sprintf("<%s@%d>", agent, times)
				}
				passed = append(passed, rapid.SampledFrom([]int{0, 0, 1, 1, 2, 2, 2, 3}).Draw(t, "passed"))
				return fmt.Sprintf("passed %d of 3: because", passed[len(passed)-1])
			})
			end := relay.Standing(passed)
			want := fmt.Sprintf("<coder%d@%d>", end.Submitted.Agent+1, end.Submitted.Round)
			if !end.Over || answer != want || len(passed) > 1 && relay.Standing(passed[:len(passed)-1]).Over {
				t.Fatalf("%s: %v leads to %s, want %s", name, passed, answer, want)
			}
			var tries []bank.Try
			for _, l := range end.Lessons {
				tries = append(tries, bank.Try{Speedup: float64(passed[len(tries)]), Lesson: fmt.Sprintf("<lesson%d@%d>", l.Agent+1, l.Round)})
			}
			for i := range passed {
				turn := bank.Relay{Agents: 3, Rounds: rounds, Tests: 9}.Standing(passed[:i]).Next
				shown, _, err := choice.Replay(tries[:turn.Round*3], "the question", unordered)
				if err != nil {
					t.Fatal(err)
				}
				sees(t, said, fmt.Sprintf("coder%d", turn.Agent+1), turn.Round, shown, tries)
			}
			for _, l := range end.Lessons {
				own := fmt.Sprintf("lesson%d", l.Agent+1)
				prompt := said[own][l.Round].prompt
				if got := marked(prompt, marks(said)...); !slices.Equal(got, []string{fmt.Sprintf("<coder%d@%d>", l.Agent+1, l.Round)}) || !strings.Contains(prompt, "the question") {
					t.Fatalf("%s of round %d sees %v", own, l.Round, got)
				}
			}
		})
	}
}

// marks are all programs and lessons that were written.
func marks(said map[string][]utterance) (out []string) {
	for agent, list := range said {
		if strings.HasPrefix(agent, "coder") || strings.HasPrefix(agent, "lesson") {
			for _, x := range list {
				out = append(out, x.text)
			}
		}
	}
	return out
}

// sees holds a solver's prompt of a round to the lessons that the bank shows, in their order.
func sees(t *rapid.T, said map[string][]utterance, agent string, round int, shown []int, tries []bank.Try) {
	prompt, at := said[agent][round].prompt, 0
	for _, z := range shown {
		next := strings.Index(prompt[at:], tries[z].Lesson)
		if next < 0 {
			t.Fatalf("%s of round %d is not shown %s, of %v: %s", agent, round, tries[z].Lesson, shown, prompt)
		}
		at += next
	}
	if got := marked(prompt, marks(said)...); len(got) != len(shown) || !strings.Contains(prompt, "the question") {
		t.Fatalf("%s of round %d is shown %v, want lessons %v and the question", agent, round, got, shown)
	}
}

// TestLessonLSpeed: the recipe that makes programs faster asks as [bank.Calls] says, shows what the bank shows, and answers with the fastest right
// program, or the source.
func TestLessonLSpeed(t *testing.T) {
	t.Parallel()
	const rounds = 4
	s, choice := openScripted(t, "lessonl-speed"), selection(t, "lessonl-speed", 3)
	rapid.Check(t, func(t *rapid.T) {
		var speedups []float64
		said, answer := playLessons(t, s, func(agent, _ string, times int) string {
			if agent != "executor" {
				return fmt.Sprintf("<%s@%d>", agent, times)
			}
			report := rapid.SampledFrom([]string{"much_faster 2.50", "much_faster 1.30", "slightly_faster 1.02", "slower 0.50", "not_equivalent 0: why", "not_compilable 0: why"}).Draw(t, "report")
			speedups = append(speedups, number(strings.ReplaceAll(report, ":", "")))
			return report
		})
		want := "the question"
		if z, ok := bank.Best(speedups); ok {
			want = fmt.Sprintf("<coder%d@%d>", z%3+1, z/3)
		}
		if answer != want || len(speedups) != 3*rounds {
			t.Fatalf("%v leads to %s, want %s", speedups, answer, want)
		}
		var tries []bank.Try
		for i, x := range speedups {
			tries = append(tries, bank.Try{Speedup: x, Lesson: fmt.Sprintf("<lesson%d@%d>", i%3+1, i/3)})
		}
		for round := range rounds {
			shown, _, err := choice.Replay(tries[:round*3], "the question", unordered)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range bank.Calls(round, 3, shown) {
				if c.Lesson < 0 {
					sees(t, said, fmt.Sprintf("coder%d", c.Agent+1), round, shown, tries)
					continue
				}
				prompt := said[fmt.Sprintf("lesson%d", c.Agent+1)][round].prompt
				if got := marked(prompt, marks(said)...); !slices.Equal(got, []string{fmt.Sprintf("<coder%d@%d>", c.Agent+1, round)}) {
					t.Fatalf("lesson %d sees %v", c.Lesson, got)
				}
			}
		}
	})
}

// TestLessonLAuthors: who writes a lesson has the base of who wrote the program.
func TestLessonLAuthors(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"lessonl-tiny", "lessonl", "lessonl-speed"} {
		r, err := language.New().Load(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		bases := map[string]string{}
		for i, base := range r.Bases() {
			bases[r.Team.Agents.Names()[i]] = base
		}
		for i := range 3 {
			if a, b := bases[fmt.Sprintf("coder%d", i+1)], bases[fmt.Sprintf("lesson%d", i+1)]; a == "" || a != b {
				t.Errorf("%s: %s writes, and %s learns from it", name, a, b)
			}
		}
	}
}
