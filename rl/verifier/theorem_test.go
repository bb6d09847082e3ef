package verifier

import (
	"math"
	"strings"
	"testing"

	"parley/rl/loss"
	"parley/task"
)

// TestTheorem1 is MAPoRL's Theorem 1 on a tabular problem: the trained value of every prefix equals the share of right
// solutions among those that begin with it, within 0.02. Solutions of equal length weigh the same in every prefix.
func TestTheorem1(t *testing.T) {
	b := tiny(t)
	question := task.Problem{Question: "q"}
	counts := map[string][2]int{"xxp": {3, 1}, "xxr": {1, 3}, "xyp": {0, 2}, "xyr": {4, 2}, "ypp": {5, 1}, "yrp": {1, 1}} // right, wrong
	var solutions []Solution
	share := map[string][2]float64{} // of a prefix: right, all
	for text, n := range counts {
		for i := range n[0] + n[1] {
			right := i < n[0]
			solutions = append(solutions, Solution{Problem: question, Shown: text, Right: right})
			for x := 1; x <= len(text); x++ {
				s := share[text[:x]]
				if s[1]++; right {
					s[0]++
				}
				share[text[:x]] = s
			}
		}
	}
	s := PaperSettings()
	s.Epochs, s.Batch, s.Adam.LR = 2500, len(solutions), 2e-3
	losses := 0.0
	if _, err := Train(t.Context(), b, "v", solutions, s, func(p Progress) { losses = p.Loss }); err != nil {
		t.Fatal(err)
	}
	trained := &Trained{b, "v"}
	for text := range counts {
		values, err := trained.Prefixes(t.Context(), []Answer{{question, text}})
		if err != nil {
			t.Fatal(err)
		}
		for x, p := range values[0] {
			if s := share[text[:x+1]]; math.Abs(p-s[0]/s[1]) > 0.02 {
				t.Errorf("prefix %s: value %.3f, share of right solutions %.3f (loss %.4f)", text[:x+1], p, s[0]/s[1], losses)
			}
		}
		scores, err := trained.Score(t.Context(), []Answer{{question, text}})
		if err != nil || scores[0].P != values[0][len(values[0])-1] {
			t.Errorf("score %v, %v: not the value after the last token, %v", scores, err, values[0])
		}
	}
}

// TestLossTokens: only the last token's value is trained by `last`, so that of the first stays near a coin's.
func TestLossTokens(t *testing.T) {
	b := tiny(t)
	s := PaperSettings()
	s.LossTokens, s.Epochs, s.Batch, s.Adam.LR = loss.LastToken, 60, 2, 5e-3
	text := strings.Repeat("x", 9)
	solutions := []Solution{{Problem: task.Problem{Question: "q"}, Shown: text + "p", Right: true}, {Problem: task.Problem{Question: "q"}, Shown: text + "r"}}
	if _, err := Train(t.Context(), b, "v", solutions, s, func(Progress) {}); err != nil {
		t.Fatal(err)
	}
	scores, err := (&Trained{b, "v"}).Score(t.Context(), []Answer{{solutions[0].Problem, text + "p"}, {solutions[0].Problem, text + "r"}})
	if err != nil || scores[0].P < 0.9 || scores[1].P > 0.1 {
		t.Errorf("scores %v, %v", scores, err)
	}
}

// TestTooLong: solutions that are too long for training are counted, not cut.
func TestTooLong(t *testing.T) {
	b := tiny(t)
	s := PaperSettings()
	s.MaxTokens = 20
	list := []Solution{{Problem: task.Problem{Question: "q"}, Shown: "short", Right: true}, {Problem: task.Problem{Question: "q"}, Shown: strings.Repeat("long", 9)}}
	steps := 0
	left, err := Train(t.Context(), b, "v", list, s, func(Progress) { steps++ })
	if err != nil || left != 1 || steps != 1 {
		t.Errorf("%d left out, %d steps, %v", left, steps, err)
	}
	if _, err := Train(t.Context(), b, "w", list[1:], s, func(Progress) {}); err == nil {
		t.Error("trained on nothing")
	}
}
