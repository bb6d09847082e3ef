package bank_test

import (
	"fmt"
	"strings"
	"testing"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
	"pgregory.net/rapid"

	"parley/systems/lessonl/bank"
)

// call evaluates a call of the function in Starlark.
func call(s bank.Settings, text string) (string, error) {
	v, err := starlark.EvalOptions(&syntax.FileOptions{}, &starlark.Thread{}, "call", text, starlark.StringDict{"lessons": s.Builtin()})
	if err != nil {
		return "", err
	}
	return v.String(), nil
}

// TestRounds: as long as there are few all are shown; tries of a round that is not complete do not count; factors follow from the tries.
func TestRounds(t *testing.T) {
	hybrid, none := bank.Settings{Selector: bank.Hybrid, Shown: 2}, bank.Settings{Selector: bank.Hybrid}
	for _, c := range []struct {
		s           bank.Settings
		tries, want string
	}{
		{hybrid, ``, "[]"},
		{hybrid, `(0, "a")`, "[]"},
		{hybrid, `(0, "a"), (2, "b")`, "[0, 1]"},
		{hybrid, `(0, "a"), (2, "b"), (1.5, "c")`, "[0, 1]"},
		// b was shown, and nobody was better: 2·0.9 is more than 1.5. Of the others c says what the source says.
		{hybrid, `(0, "a"), (2, "b"), (1.5, "the source"), (0, "d")`, "[1, 2]"},
		// In the next round both were better than b's 1.2: a factor of 1.1.
		{bank.Settings{Selector: bank.BySpeed, Shown: 2}, `(1.25, "a"), (1.2, "b"), (1.22, "c"), (1.21, "d")`, "[1, 2]"},
		{none, `(2, "a"), (2, "b")`, "[]"},
	} {
		got, err := call(c.s, `lessons([`+c.tries+`], agents=2, source="the source", draw="p")`)
		if err != nil || got != c.want {
			t.Errorf("%s: %s, %v, want %s", c.tries, got, err, c.want)
		}
	}
}

// TestRandom: an order belongs to the problem and the round, and to nothing else.
func TestRandom(t *testing.T) {
	s := bank.Settings{Selector: bank.AtRandom, Shown: 4}
	tries := strings.Repeat(`(1, "a"),`, 12)
	orders := map[string]bool{}
	for p := range 20 {
		text := fmt.Sprintf(`lessons([%s], agents=3, source="", draw="p%d")`, tries, p)
		one, err := call(s, text)
		again, _ := call(s, text)
		if err != nil || one != again {
			t.Errorf("%s, %s, %v", one, again, err)
		}
		orders[one] = true
	}
	if len(orders) < 15 {
		t.Errorf("%d orders of 20 problems", len(orders))
	}
}

// TestReplay: the bank after some tries is the one that follows from Shown and Adjust, round by round.
func TestReplay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		agents, k := rapid.IntRange(1, 3).Draw(t, "agents"), rapid.IntRange(0, 4).Draw(t, "k")
		tries := make([]bank.Try, rapid.IntRange(0, 9).Draw(t, "tries"))
		for i := range tries {
			tries[i] = bank.Try{Speedup: rapid.SampledFrom([]float64{0, 1, 1.2, 2}).Draw(t, "speedup"), Lesson: rapid.SampledFrom([]string{"a", "b", "a b"}).Draw(t, "lesson")}
		}
		s := bank.Selection{Selector: bank.Hybrid, K: k, Agents: agents}
		shown, list, err := s.Replay(tries, "a", func(int, int) []int { return nil })
		if err != nil || len(list) != len(tries)/agents*agents || len(shown) > max(k, 0) && len(list) > k {
			t.Fatalf("%v of %d after %d tries: %v", shown, len(list), len(tries), err)
		}
		for z, l := range list {
			if l.Text != tries[z].Lesson || l.Round != z/agents || l.Author != z%agents || l.Speedup != tries[z].Speedup {
				t.Fatalf("lesson %d is %+v", z, l)
			}
		}
	})
}

// TestRefused: mistakes say what was expected, and a bank that grows ends.
func TestRefused(t *testing.T) {
	s := bank.Settings{Selector: bank.Hybrid, Shown: 4}
	for _, c := range []struct{ text, want string }{
		{`lessons([1], agents=3, source="", draw="")`, "a try is 1, expected a pair"},
		{`lessons([(-1, "a")], agents=3, source="", draw="")`, "a number from 0"},
		{`lessons([(1, 2)], agents=3, source="", draw="")`, "expected a pair"},
		{`lessons([(float("nan"), "a")], agents=3, source="", draw="")`, "expected a pair"},
		{`lessons([], agents=0, source="", draw="")`, "0 agents"},
		{`lessons([], agents=3)`, "missing argument for source"},
		{`lessons([(1, "a")] * 1025, agents=3, source="", draw="")`, "the bank has grown to 1025 lessons, more than 1024"},
	} {
		if got, err := call(s, c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %s, %v", c.text, got, err)
		}
	}
}
