package verifier

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"parley/engine"
	"parley/task"
)

// lessons are solutions to train on.
func lessons() []Solution {
	var out []Solution
	for i, text := range []string{"xxp", "xyr", "ypp", "yrp", "xpx", "rrr"} {
		out = append(out, Solution{Problem: task.Problem{Question: "q"}, Shown: text, Right: i%2 == 0})
	}
	return out
}

// taught is what a verifier says of the lessons after training in a folder; it is interrupted after so many steps, 0: never.
func taught(t *testing.T, s Settings, kept Checkpoints, interruptAfter int) ([]Score, []int, error) {
	t.Helper()
	b := tiny(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var steps []int
	_, err := Resume(ctx, b, "v", lessons(), s, kept, func(p Progress) {
		steps = append(steps, p.Step)
		if p.Step == interruptAfter {
			cancel()
		}
	})
	if err != nil {
		return nil, steps, err
	}
	var answers []Answer
	for _, l := range lessons() {
		answers = append(answers, Answer{l.Problem, l.Shown})
	}
	scores, err := (&Trained{b, "v"}).Score(t.Context(), answers)
	return scores, steps, err
}

// TestResume: training that is interrupted twice, once between two states that it keeps by itself, ends with the scores of training that
// is not, bit for bit.
func TestResume(t *testing.T) {
	s := PaperSettings()
	s.Epochs, s.Adam.LR = 4, 1e-2 // twelve steps
	whole, _, err := taught(t, s, Checkpoints{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	kept := Checkpoints{Dir: filepath.Join(t.TempDir(), "v.training"), Every: 5}
	for _, c := range []struct {
		interruptAfter int
		steps          []int
	}{{4, []int{1, 2, 3, 4}}, {10, []int{5, 6, 7, 8, 9, 10}}} {
		if _, steps, err := taught(t, s, kept, c.interruptAfter); !errors.Is(err, context.Canceled) || !reflect.DeepEqual(steps, c.steps) {
			t.Errorf("interrupted after step %d: steps %v, %v", c.interruptAfter, steps, err)
		}
		if found, _ := kept.states(); len(found) != 1 {
			t.Errorf("kept %v: one state is enough", found)
		}
	}
	resumed, steps, err := taught(t, s, kept, 0)
	if err != nil || !reflect.DeepEqual(steps, []int{11, 12}) || !reflect.DeepEqual(resumed, whole) {
		t.Errorf("steps %v, scores %v, want %v; %v", steps, resumed, whole, err)
	}
	if err := kept.Done(); err != nil {
		t.Fatal(err)
	}
	if found, _ := filepath.Glob(kept.Dir + "*"); len(found) != 0 {
		t.Errorf("left behind %v", found)
	}
}

// TestResumeAfterAKill: what a killed process leaves is the state of a step a while ago; the steps after it are taken again.
func TestResumeAfterAKill(t *testing.T) {
	s := PaperSettings()
	s.Adam.LR = 1e-2 // three steps
	kept := Checkpoints{Dir: filepath.Join(t.TempDir(), "v.training"), Every: 2}
	whole, _, err := taught(t, s, kept, 0)
	if err != nil {
		t.Fatal(err)
	}
	again, steps, err := taught(t, s, kept, 0)
	if err != nil || !reflect.DeepEqual(steps, []int{3}) || !reflect.DeepEqual(again, whole) {
		t.Errorf("steps %v, scores %v, want %v; %v", steps, again, whole, err)
	}
}

// TestResumeRefusesAnotherTraining: other settings or solutions are not gone on with.
func TestResumeRefusesAnotherTraining(t *testing.T) {
	s := PaperSettings()
	kept := Checkpoints{Dir: filepath.Join(t.TempDir(), "v.training"), Every: 1}
	if _, _, err := taught(t, s, kept, 2); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	s.Adam.LR = 1
	if _, _, err := taught(t, s, kept, 0); err == nil || !strings.Contains(err.Error(), "other solutions or settings") {
		t.Errorf("%v", err)
	}
	if _, err := Resume(t.Context(), tiny(t), "v", lessons()[1:], PaperSettings(), kept, func(Progress) {}); err == nil || !strings.Contains(err.Error(), "other solutions or settings") {
		t.Errorf("%v", err)
	}
}

// Solutions that the base's context cannot hold are left out, whatever the most tokens are.
func TestLongerThanTheContext(t *testing.T) {
	long := Solution{Problem: task.Problem{ID: "long", Question: "q"}, Shown: strings.Repeat("x", 520), Right: true}
	for _, most := range []int{550, 0} {
		s := PaperSettings()
		s.MaxTokens = most
		left, err := Train(t.Context(), tiny(t), "v", append(lessons(), long), s, func(Progress) {})
		if err != nil || left != 1 {
			t.Errorf("most %d: %d left out, error %v", most, left, err)
		}
		if _, err := Train(t.Context(), tiny(t), "v", []Solution{long}, s, func(Progress) {}); err == nil || !strings.Contains(err.Error(), "longer than 512 tokens") {
			t.Errorf("most %d: nothing to train on: %v", most, err)
		}
	}
}

// Train is [Resume] of a training of which nothing is kept.
func Train(ctx context.Context, b *Base, policy engine.Policy, solutions []Solution, s Settings, observe func(Progress)) (tooLong int, err error) {
	return Resume(ctx, b, policy, solutions, s, Checkpoints{}, observe)
}
