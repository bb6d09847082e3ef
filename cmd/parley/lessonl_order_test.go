package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"parley/rl/eval"
)

// A workshop is a program that twelve moves speed up, or break. Three solvers know five moves each. They are tables of rates in the place of models, and
// speak in the recipe as models do: a program is the numbers of its moves, and so is a lesson. All rates are assumed.
type workshop struct {
	r     *rand.Rand
	gains [12]float64
	bad   [12]bool
	known [3][]int
}

func newWorkshop(seed uint64) *workshop {
	w := &workshop{r: rand.New(rand.NewPCG(seed, 5))}
	for m := range w.gains {
		w.gains[m], w.bad[m] = []float64{1, 1, 1.2, 1.5, 2}[w.r.IntN(5)], w.r.Float64() < .2
	}
	for i := range w.known {
		w.known[i] = w.r.Perm(len(w.gains))[:5]
	}
	return w
}

// write takes each move that the agent knows with probability .5, and each that a good lesson names with .8, but for those that are blamed.
func (w *workshop) write(agent int, prompt string) string {
	var told, blamed [12]bool
	for line := range strings.SplitSeq(prompt, "\n") {
		head, lesson, is := strings.Cut(line, ": moves ")
		if !is {
			continue
		}
		var speedup float64
		if _, much, right := strings.Cut(head, "made it "); right {
			_, _ = fmt.Sscan(strings.TrimPrefix(much, "hardly faster ("), &speedup)
		}
		for _, m := range moves(lesson) {
			told[m] = told[m] || speedup > 1
			blamed[m] = blamed[m] || strings.Contains(head, "other results")
		}
	}
	text := "moves"
	for m := range w.gains {
		own := slices.Contains(w.known[agent], m) && w.r.Float64() < .5
		if heard := told[m] && w.r.Float64() < .8; (own || heard) && !blamed[m] {
			text += fmt.Sprint(" ", m)
		}
	}
	return text
}

func moves(text string) (out []int) {
	for _, word := range strings.Fields(text) {
		var m int
		if n, _ := fmt.Sscan(word, &m); n == 1 {
			out = append(out, m)
		}
	}
	return out
}

// run is the executor's report.
func (w *workshop) run(program string) string {
	s := 1.0
	for _, m := range moves(program) {
		if w.bad[m] {
			return fmt.Sprintf("not_equivalent 0: move %d", m)
		}
		s *= w.gains[m]
	}
	if s >= 1.1 {
		return fmt.Sprintf("much_faster %.2f", s)
	}
	return fmt.Sprintf("slightly_faster %.2f", s)
}

// learn names all moves of a right program; of a wrong one the move that broke it, or, three times in ten, any of its moves. Words that the question
// has or lacks give each lesson a relevance of its own.
func (w *workshop) learn(prompt string) string {
	_, program, _ := strings.Cut(prompt, "You wrote:\n\n")
	program, outcome, _ := strings.Cut(program, "\n\nIt ")
	list := moves(program)
	if _, culprit, wrong := strings.Cut(outcome, "move "); wrong {
		if blamed := moves(culprit)[:1]; w.r.Float64() < .7 {
			list = blamed
		} else {
			list = []int{list[w.r.IntN(len(list))]}
		}
	}
	text := "moves"
	for _, m := range list {
		text += fmt.Sprint(" ", m)
	}
	return text + strings.Repeat(" question", w.r.IntN(4))
}

// best plays an episode of the recipe and returns the greatest speed-up of a right program, or 1: the source stays.
func (w *workshop) best(t *testing.T, s *scripted) float64 {
	best, coding := 1.0, map[string]int{"coder1": 0, "coder2": 1, "coder3": 2}
	s.converse(t, func(agent, prompt string) string {
		if i, codes := coding[agent]; codes {
			return w.write(i, prompt)
		}
		if agent != "executor" {
			return w.learn(prompt)
		}
		_, program, _ := strings.Cut(prompt, `"program":"`)
		program, _, _ = strings.Cut(program, `"`)
		report := w.run(program)
		best = max(best, number(strings.ReplaceAll(report, ":", "")))
		return report
	})
	return best
}

// TestLessonLOrder: with lessons teams find programs that are much faster than without, whatever selects them, for every seed. Selectors cannot be told
// apart here: where half of a problem's lessons are shown it hardly matters which.
// TestLongLessonLOrder has more seeds.
func TestLessonLOrder(t *testing.T) {
	t.Parallel()
	lessonsOrder(t, 1)
}

func lessonsOrder(t *testing.T, seeds ...uint64) {
	t.Helper()
	const problems = 16
	means := map[string][]float64{}
	for _, v := range []struct{ name, selector, shown string }{
		{"none", "hybrid", "0"}, {"speed", "speed", "4"}, {"relevance", "relevance", "4"}, {"hybrid", "hybrid", "4"}, {"random", "random", "4"},
	} {
		s := openScripted(t, "lessonl-speed", "team.lessons.selector="+v.selector, "team.lessons.shown="+v.shown)
		for _, seed := range seeds {
			var runs []eval.TimedRun
			for p := range uint64(problems) {
				runs = append(runs, eval.TimedRun{Reference: newWorkshop(100*seed+p).best(t, s), Time: 1, Correct: true})
			}
			means[v.name] = append(means[v.name], eval.SpeedupsOf(runs).GeoMean)
		}
		logs := 0.0
		for _, x := range means[v.name] {
			logs += math.Log(x) / float64(len(seeds))
		}
		t.Logf("%-10s %.2f of %.2f", v.name, math.Exp(logs), means[v.name])
	}
	for name, list := range means {
		for i, x := range list {
			if name != "none" && x < 1.3*means["none"][i] {
				t.Errorf("seed %d: %s %.2f, without lessons %.2f", seeds[i], name, x, means["none"][i])
			}
		}
	}
}
