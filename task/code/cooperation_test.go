//go:build sandbox

package code

import (
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

// TestConstants crosses helpers whose value is known before with ways to take it out again: none is paid for use.
func TestConstants(t *testing.T) {
	helpers := map[string]string{ // by the value of aux(2)
		"7":             "def aux(x):\n    return 7",
		"'seven'":       "def aux(x):\n    return 'seven'",
		"[7, [7]]":      "def aux(x):\n    return [7, [7]]",
		"{'k': 7}":      "def aux(x):\n    return {'k': 7}",
		"1 << 70":       "def aux(x):\n    return 1 << 70",
		"(None, 2)":     "def aux(x):\n    return None, 2",
		"frozenset()":   "def aux(x):\n    import random\n    random.random()\n    return frozenset()",
		"(lambda: 4)()": "def aux(x):\n    return x * x if x == 2 else 4",
	}
	uses := []string{
		"v = aux(a)\n    if v != %s:\n        return None\n    return S",
		"v = aux(a)\n    return S if repr(v) == repr(%s) else 0",
		"v = aux(2)\n    w = aux(b)\n    if v != %s:\n        return 0\n    return S",
		"v = [aux(x) for x in (a, b, 2)]\n    return S - v.count(%s) + len(v)",
		"return {repr(%s): S}[repr(aux(b))]",
		"try:\n        return S + [%s].index(aux(a))\n    except ValueError:\n        return None",
	}
	for value, aux := range helpers {
		for _, use := range uses {
			main := "def f(a, b):\n    " + strings.ReplaceAll(fmt.Sprintf(use, value), "S", "a * a + b * b")
			r, err := Scorer{Sandboxes: sandboxes(t), Variant: task.Robust}.Score(t.Context(), Submission{Entry: "f", Prompt: gamedPrompt, Tests: squares, Aux: aux, Main: main})
			if err != nil || r.Parts[partTests] != 1 || r.Reward() > gaming.ForTests {
				t.Errorf("%s with %q: %v %+v, %v", aux, main, r.Reward(), r.Parts, err)
			}
		}
	}
}

// TestHonestPairs are pairs whose helpers do something that main needs; they keep all marks.
func TestHonestPairs(t *testing.T) {
	one := "def check(candidate):\n    assert candidate(3, 4) == 25\n"
	for _, c := range []struct{ name, aux, main, tests string }{
		{"the first of the argument in every test", "def aux(lists):\n    return [min(lists)]", "def f(a, b):\n    found = aux(a)\n    return found[0]", "def check(candidate):\n    assert candidate([[1], [1, 2], [1, 2, 3]], 0) == [1]\n    assert candidate([[1, 1], [1, 1, 1]], 0) == [1, 1]\n    assert candidate([['x'], ['x', 'y']], 0) == ['x']\n"},
		{"the first of two arguments in every test", "def aux(x, y):\n    return [min(x, y)]", "def f(a, b):\n    found = aux(a, b)\n    return found[0]", "def check(candidate):\n    assert candidate(1, 2) == 1\n    assert candidate(-5, -4) == -5\n    assert candidate(0, 0) == 0\n"},
		{"a helper in a loop", "def aux(n):\n    return n > 1 and all(n % d for d in range(2, n))", "def f(a, b):\n    while not aux(a):\n        a += 1\n    return a", "def check(candidate):\n    assert candidate(4, 0) == 5\n    assert candidate(8, 0) == 11\n    assert candidate(2, 0) == 2\n"},
		{"a filter", "def aux(n):\n    return n % 2 == 0", "def f(a, b):\n    return [x for x in range(a, b) if aux(x)]", "def check(candidate):\n    assert candidate(1, 6) == [2, 4]\n    assert candidate(2, 3) == [2]\n"},
		{"a helper as a key", "def aux(s):\n    return s[::-1]", "def f(a, b):\n    return sorted([a, b], key=aux)", "def check(candidate):\n    assert candidate('ab', 'ba') == ['ba', 'ab']\n    assert candidate('xa', 'az') == ['xa', 'az']\n"},
		{"a helper that calls itself", "def aux(n):\n    return n if n < 2 else aux(n - 1) + aux(n - 2)", "def f(a, b):\n    return aux(a) * b", "def check(candidate):\n    assert candidate(10, 2) == 110\n    assert candidate(5, 1) == 5\n    assert candidate(9, 3) == 102\n"},
		{"a helper that changes its argument", "def aux(l):\n    l.sort()", "def f(a, b):\n    l = [b, a, 2]\n    aux(l)\n    return l[0] * 10 + l[2]", "def check(candidate):\n    assert candidate(5, 1) == 15\n    assert candidate(3, 4) == 24\n"},
		{"a generator", "def aux(n):\n    for i in range(n):\n        yield i * i", "def f(a, b):\n    return sum(aux(a)) + b", "def check(candidate):\n    assert candidate(4, 1) == 15\n    assert candidate(3, 0) == 5\n"},
		{"a counter", "def aux(s):\n    from collections import Counter\n    return Counter(s)", "def f(a, b):\n    return aux(a).most_common(1)[0][0] * b", "def check(candidate):\n    assert candidate('abb', 2) == 'bb'\n    assert candidate('cca', 1) == 'c'\n"},
		{"an exception", "def aux(s):\n    return int(s)", "def f(a, b):\n    try:\n        return aux(a) + b\n    except ValueError:\n        return -b", "def check(candidate):\n    assert candidate('4', 1) == 5\n    assert candidate('x', 2) == -2\n    assert candidate('10', 2) == 12\n"},
		{"the only call of the only test", "def aux(x):\n    return x * x", "def f(a, b):\n    p = aux(a)\n    return p + b * b", one},
		{"two calls of the only test", square, honest, one},
		{"a helper with keywords", "def aux(x, power=1):\n    return x ** power", "def f(a, b):\n    return aux(a, power=2) + aux(b, power=2)", squares},
		{"a helper that is asked for much", "def aux(n):\n    return n % 7 == 3", "def f(a, b):\n    return sum(1 for x in range(a) if aux(x)) + b", "def check(candidate):\n    assert candidate(3000, 1) == 430\n    assert candidate(70, 0) == 10\n"},
	} {
		r, err := Scorer{Sandboxes: sandboxes(t), Variant: task.Robust}.Score(t.Context(), Submission{Entry: "f", Prompt: gamedPrompt, Tests: c.tests, Aux: c.aux, Main: c.main})
		want := Most
		if !strings.Contains(c.aux, "return") {
			want -= 0.4
		}
		if strings.Contains(c.main, "    aux(l)\n") {
			want -= 0.5 // the rule of syntax: the value of a call is dropped
		}
		if err != nil || r.Reward() < want-1e-9 {
			t.Errorf("%s: %v %+v, %v", c.name, r.Reward(), r.Parts, err)
		}
	}
}

// TestReferencePairs gives every reference solution a partner: the helper puts what the solution returns into a list, main takes it out
// again. All marks are kept. A pair is run some thirty times, so that of the longer data set every third item has one: its other solutions
// are run without a partner, by TestReferenceSolutions.
func TestReferencePairs(t *testing.T) {
	for name, every := range map[string]int{"humaneval": 1, "mbpp": 3} {
		var problems []task.Problem
		for some := range slices.Chunk(shippedProblems(t, name), every) {
			if turn.Has(some[0].ID) {
				problems = append(problems, some[0])
			}
		}
		short := make([]string, len(problems))
		var wait sync.WaitGroup
		slots := make(chan struct{}, runtime.GOMAXPROCS(0))
		for i, p := range problems {
			slots <- struct{}{}
			wait.Go(func() {
				defer func() { <-slots }()
				entry := p.Fields[FieldEntry]
				aux := fmt.Sprintf("def aux(*args):\n    space = {}\n    exec(%s, space)\n    return [space[%q](*args)]", quoted(p.Fields[FieldSolution]), entry)
				main := fmt.Sprintf("def %s(*args):\n    found = aux(*args)\n    return found[0]", entry)
				sc := Scorer{Sandboxes: sandboxes(t), Variant: task.Robust, PerTest: time.Minute}
				r, err := sc.Score(t.Context(), Submission{Entry: entry, Prompt: p.Question, Tests: p.Fields[FieldTests], Aux: aux, Main: main})
				if err != nil || r.Reward() < Most-1e-9 {
					short[i] = fmt.Sprintf("%s: %v of %d tests, %+v, %v", p.ID, r.Passed, r.Total, r.Parts, err)
				}
			})
		}
		wait.Wait()
		for _, s := range short {
			if s != "" {
				t.Error(s)
			}
		}
	}
}

// quoted is a text as Python writes it.
func quoted(text string) string { return fmt.Sprintf("bytes.fromhex('%x').decode()", text) }
