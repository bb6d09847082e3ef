package sums_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"parley/task"
	"parley/task/sums"
)

var _ interface {
	task.Task
	task.Answerer
} = (*sums.Task)(nil)

func problems(t *testing.T, opt sums.Options, split task.Split, n int) []task.Problem {
	t.Helper()
	s, err := sums.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	ps, err := s.Problems(split, n)
	if err != nil {
		t.Fatal(err)
	}
	if len(ps) != n {
		t.Fatalf("%s: got %d problems, want %d", split, len(ps), n)
	}
	return ps
}

// The order depends on the settings alone, and asking for more problems keeps the first.
func TestProblemsAreFixed(t *testing.T) {
	few, many := problems(t, sums.Options{}, task.Train, 50), problems(t, sums.Options{}, task.Train, 500)
	for i := range few {
		if few[i].ID != many[i].ID || few[i].Question != many[i].Question || few[i].Truth != many[i].Truth {
			t.Fatalf("problem %d: %v, then %v", i, few[i], many[i])
		}
	}
	other := problems(t, sums.Options{Seed: 1}, task.Train, 50)
	if few[0].Question == other[0].Question && few[1].Question == other[1].Question {
		t.Error("another seed gives the same problems")
	}
}

func TestProblemsAreDistinct(t *testing.T) {
	seen := map[string]string{}
	for _, split := range []task.Split{task.Train, task.Test} {
		for _, p := range problems(t, sums.Options{}, split, 5000) {
			if was, ok := seen[p.Question]; ok {
				t.Fatalf("%s repeats the question of %s: %s", p.ID, was, p.Question)
			}
			seen[p.Question] = p.ID
		}
	}
}

var number = regexp.MustCompile(`\d+`)

// Nothing that a prompt can show gives the truth away: there are no fields, and whether the truth is among the numbers of
// the question is an accident.
func TestPromptHidesTruth(t *testing.T) {
	ps := problems(t, sums.Options{}, task.Test, 5000)
	shown := 0
	for _, p := range ps {
		if len(p.Fields) != 0 {
			t.Fatalf("%s has fields %v", p.ID, p.Fields)
		}
		for _, n := range number.FindAllString(p.Question, -1) {
			if n == p.Truth {
				shown++
				break
			}
		}
	}
	if share := float64(shown) / float64(len(ps)); share > 0.10 {
		t.Errorf("the truth is a number of the question in %.1f%% of the problems", 100*share)
	}
}

func TestSteps(t *testing.T) {
	for steps, numbers := range map[int][]int{1: {2}, 2: {2, 3}, 3: {4}, 4: {5}, 0: {2, 3, 4}} {
		seen := map[int]bool{}
		for _, p := range problems(t, sums.Options{Steps: steps}, task.Train, 500) {
			seen[len(number.FindAllString(p.Question, -1))] = true
			if n, err := strconv.Atoi(p.Truth); err != nil || n < 0 || n > sums.Most {
				t.Fatalf("truth of %v", p)
			}
			if strings.ContainsAny(p.Question, "{}") {
				t.Fatalf("unfilled template: %s", p.Question)
			}
		}
		if len(seen) != len(numbers) {
			t.Errorf("steps %d: counts of numbers %v, want %v", steps, seen, numbers)
		}
		for _, n := range numbers {
			if !seen[n] {
				t.Errorf("steps %d: no problem with %d numbers", steps, n)
			}
		}
	}
}

func TestBare(t *testing.T) {
	for _, p := range problems(t, sums.Options{Steps: 2, Bare: true}, task.Train, 100) {
		if !regexp.MustCompile(`^\d+( [+×-] \d+){2}$`).MatchString(p.Question) {
			t.Fatalf("question %q", p.Question)
		}
	}
}

func TestMost(t *testing.T) {
	for _, p := range problems(t, sums.Options{Steps: 2, Most: 20}, task.Train, 200) {
		for _, n := range append(number.FindAllString(p.Question, -1), p.Truth) {
			if x, err := strconv.Atoi(n); err != nil || x > 20 {
				t.Fatalf("a number above 20 in %v", p)
			}
		}
	}
	if ps := problems(t, sums.Options{Steps: 2, Most: 20}, task.Test, 48); len(ps) != 48 {
		t.Errorf("%d held-out problems up to 20, want 48", len(ps))
	}
}

func TestNegativeCount(t *testing.T) {
	s, _ := sums.New(sums.Options{})
	if ps, err := s.Problems(task.Train, -1); err != nil || len(ps) != 0 {
		t.Errorf("%v, %v", ps, err)
	}
}

func TestUserErrors(t *testing.T) {
	for want, opt := range map[string]sums.Options{"write 1 to 4": {Steps: 5}, "write 10 to 99": {Most: 9}} {
		if _, err := sums.New(opt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", opt, err)
		}
	}
	s, _ := sums.New(sums.Options{})
	if _, err := s.Problems(sums.Corpus, 1); err == nil || !strings.Contains(err.Error(), `"corpus"`) {
		t.Errorf("corpus: %v", err)
	}
}

func TestAnswer(t *testing.T) {
	s, _ := sums.New(sums.Options{})
	for text, want := range map[string]string{
		"23+18=41\n41-12=29\nAnswer: \\boxed{29}": "29",
		`\boxed{7} no, \boxed{8}`:                 "8",
		"29":                                      "",
		`\boxed{}`:                                "",
	} {
		if got, ok := s.Answer(text); got != want || ok != (want != "") {
			t.Errorf("Answer(%q) = %q, %t", text, got, ok)
		}
	}
}

// A problem's work leads to its truth, step by step.
func TestWork(t *testing.T) {
	line := regexp.MustCompile(`^(\d+)([-+*])(\d+)=(\d+)$`)
	for _, p := range problems(t, sums.Options{}, task.Train, 500) {
		before := ""
		for _, l := range strings.Split(p.Work, "\n") {
			m := line.FindStringSubmatch(l)
			if m == nil || before != "" && m[1] != before {
				t.Fatalf("%s: %q, after %q", p.ID, l, before)
			}
			a, _ := strconv.Atoi(m[1])
			n, _ := strconv.Atoi(m[3])
			if before = m[4]; before != strconv.Itoa(map[string]int{"+": a + n, "-": a - n, "*": a * n}[m[2]]) {
				t.Errorf("%s: %q", p.ID, l)
			}
		}
		if before != p.Truth {
			t.Errorf("%s: the work ends at %q, the truth is %q", p.ID, before, p.Truth)
		}
	}
}
