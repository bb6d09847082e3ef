//go:build sandbox

package code

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/turn"
	"parley/task"
	"parley/task/code/gaming"
)

var sharedLab = sync.OnceValues(func() (*Sandboxes, error) { return OpenSandboxes(context.Background(), 0) })

func sandboxes(t *testing.T) *Sandboxes {
	t.Helper()
	l, err := sharedLab()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// failing runs reference solutions whose turn it is and returns the names of those that fail a test.
func failing(t *testing.T, scorer task.RewardVariant, problems []task.Problem) []string {
	t.Helper()
	sc := Scorer{Sandboxes: sandboxes(t), Variant: scorer, PerTest: time.Minute}
	problems = slices.DeleteFunc(slices.Clone(problems), func(p task.Problem) bool { return !turn.Has(p.ID) })
	failed := make([]string, len(problems))
	var wg sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, p := range problems {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			r, err := sc.Solution(t.Context(), p, p.Fields[FieldSolution])
			if err != nil || r.Total == 0 || r.Passed < r.Total {
				failed[i] = p.ID
			}
			if err != nil {
				t.Errorf("%s: %v", p.ID, err)
			}
		})
	}
	wg.Wait()
	return slices.DeleteFunc(failed, func(id string) bool { return id == "" })
}

func shippedProblems(t *testing.T, name string) []task.Problem {
	t.Helper()
	problems, err := inBinary(name)
	if err != nil {
		t.Fatal(err)
	}
	return problems
}

// TestReferenceSolutions runs the known solutions of the data sets in the program, both ways.
func TestReferenceSolutions(t *testing.T) {
	for _, scorer := range []task.RewardVariant{task.Standard, task.Robust} {
		for _, name := range []string{"humaneval", "mbpp", "humaneval-made", "coophumaneval-made", "mbpp-made"} {
			problems := shippedProblems(t, name)
			if got := failing(t, scorer, problems); len(got) > 0 {
				t.Errorf("%s, %s: %v fail, of %d", name, scorer, got, len(problems))
			}
		}
	}
}

// TestGaming runs what every scorer of code must survive (§7.3): the robust reward pays none of it more than an honest pair
// that earns as much, and nothing is left hanging.
func TestGaming(t *testing.T) {
	for _, g := range gaming.All() {
		if !turn.Has(g.Name) {
			continue
		}
		t.Run(g.Name, func(t *testing.T) {
			t.Parallel() // most of its time is spent on programs that hang
			earnsAtMost(t, g)
		})
	}
}

// patience is the time of one test. Games that pass tests do not hang, and must not run out of time on a busy machine.
func patience(g gaming.Game) time.Duration {
	if g.Most > gaming.ForForm {
		return time.Minute
	}
	return time.Second
}

func earnsAtMost(t *testing.T, g gaming.Game) {
	sc := Scorer{Sandboxes: sandboxes(t), Variant: task.Robust, PerTest: patience(g)}
	r, err := sc.Score(t.Context(), Submission{Entry: "f", Prompt: gamedPrompt, Tests: g.Tests, Aux: g.Aux, Main: g.Main})
	if err != nil {
		t.Fatal(err)
	}
	if r.Reward() > g.Most+1e-9 {
		t.Errorf("earns %v, want at most %v: %+v", r.Reward(), g.Most, r)
	}
	if g.Name == "honest" && r.Reward() < 4-1e-9 {
		t.Errorf("an honest pair earns %v: %+v", r.Reward(), r)
	}
	sc.Variant = task.Standard
	if r, err = sc.Score(t.Context(), Submission{Entry: "f", Tests: g.Tests, Aux: g.Aux, Main: g.Main}); err != nil || r.Reward() > 4 {
		t.Errorf("standard reward %v, %v", r.Reward(), err)
	}
	if (strings.Contains(g.Name, "exit") || strings.Contains(g.Name, "code out of")) && r.Passed > 0 {
		t.Errorf("passes %d tests of the standard reward", r.Passed)
	}
}

// TestAudit: beside the standard reward the robust one is known, which pays nothing for gaming, and nothing is run again that failed.
func TestAudit(t *testing.T) {
	for _, g := range gaming.All() {
		if !turn.Has(g.Name) {
			continue
		}
		t.Run(g.Name, func(t *testing.T) {
			t.Parallel()
			auditedAsRobust(t, g)
		})
	}
}

func auditedAsRobust(t *testing.T, g gaming.Game) {
	score := func(v task.RewardVariant) task.Score {
		scorer := Scorer{Sandboxes: sandboxes(t), PerTest: patience(g), Variant: v}
		p := task.Problem{Question: gamedPrompt, Fields: map[string]string{FieldEntry: "f", FieldTests: g.Tests}}
		s, err := (&Task{name: "humaneval", scorer: scorer}).Score(t.Context(), p, []string{g.Aux, g.Main})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s, r := score(task.Standard), score(task.Robust)
	if s.Signals.Audit == nil {
		t.Fatalf("audited with %+v", s.Signals)
	}
	most, alike := r.Reward, s.Parts[partTests] == r.Parts[partTests] && !slices.Contains(s.Flags, "timeout")
	if strings.Contains(g.Name, "by chance") { // its runs differ
		most, alike = g.Most, false
	}
	if *s.Signals.Audit > most+1e-9 || alike && *s.Signals.Audit != r.Reward {
		t.Errorf("audited with %v, the robust reward is %v", *s.Signals.Audit, r.Reward)
	}
}

// TestSlowTests: tests that each end just before their deadline have no more time together than a few that hang, however many ways there
// are to run them, and what could not be shown is not paid.
func TestSlowTests(t *testing.T) {
	p := task.Problem{Question: gamedPrompt, Fields: map[string]string{FieldEntry: "f", FieldTests: "def check(candidate):\n" + strings.Join([]string{
		"    assert candidate(1) == 1", "    assert candidate(2) == 4", "    assert candidate(3) == 9", "    assert candidate(4) == 16",
		"    assert candidate(5) == 25", "    assert candidate(6) == 36", "",
	}, "\n")}}
	responses := []string{"def aux(x):\n    return x * x", "def f(x):\n    import time\n    time.sleep(0.85)\n    y = aux(x)\n    return y + 0"}
	for _, variant := range []task.RewardVariant{task.Standard, task.Robust} {
		slow := &Task{name: "humaneval", scorer: Scorer{Sandboxes: sandboxes(t), PerTest: time.Second, Variant: variant}}
		s, err := slow.Score(t.Context(), p, responses)
		if err != nil || !slices.Contains(s.Flags, "out_of_time") || s.Parts[partTests] > 4.0/6+1e-9 {
			t.Errorf("%s: %+v, %v", variant, s, err)
		}
		if variant == task.Robust && s.Parts[partUse]+s.Parts[partNonWrapper] != 0 || variant == task.Standard && s.Signals.Audit != nil {
			t.Errorf("%s: what was not run is paid: %+v, audit %v", variant, s, s.Signals.Audit)
		}
	}
}

// TestHonestOnData gives a pair's responses for every problem of HumanEval: main is the reference solution behind its prompt.
func TestHonestOnData(t *testing.T) {
	problems := shippedProblems(t, "humaneval")
	for _, p := range problems[:20] {
		task := &Task{name: "humaneval", scorer: Scorer{Sandboxes: sandboxes(t), Variant: task.Robust}}
		s, err := task.Score(t.Context(), p, []string{"Here it is:\n```python\ndef aux(x):\n    return x\n```", p.Fields[FieldSolution]})
		if err != nil || fmt.Sprintf("%.2f", s.Reward) != "2.50" {
			t.Errorf("%s: %+v, %v", p.ID, s, err)
		}
	}
}

// TestNoTests is an item without tests.
func TestNoTests(t *testing.T) {
	r, err := Scorer{Sandboxes: sandboxes(t)}.Score(t.Context(), Submission{Entry: "f", Aux: square, Main: honest})
	if err != nil || r.Stopped != StopNoTests || r.Reward() != 1.5 {
		t.Errorf("%+v, %v", r, err)
	}
}
