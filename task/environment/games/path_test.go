package games

import (
	"context"
	"fmt"
	"testing"

	"parley/task"
	"parley/task/environment"
)

// TestAllMazes: every problem is passable, the shortest way of both earns 1 in all, and each 1 of its own, and no step of it fails, splits share nothing.
func TestAllMazes(t *testing.T) {
	train, held := pathProblems()
	if len(train)+len(held) != len(mazes()) || len(held)*4 > len(train)+4 {
		t.Errorf("%d and %d of %d mazes", len(train), len(held), len(mazes()))
	}
	seen := map[string]bool{}
	for _, p := range append(train, held...) {
		if seen[p.Question] {
			t.Fatalf("%s occurs twice", p.Question)
		}
		seen[p.Question] = true
	}
	w := pathWorld{[]string{"a", "b"}}
	for i, p := range append(train, held...) {
		if i%3 == 0 {
			walkPath(t, w, p)
		}
	}
}

// walkPath goes the shortest way.
func walkPath(t *testing.T, w pathWorld, p task.Problem) {
	t.Helper()
	o, err := w.Reset(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	bounds := environment.Bounds{Agents: w.agents, Most: 1}
	sum, steps := 0.0, 0
	longest, own := 0, map[string]float64{}
	for !o.Done {
		if steps == 0 {
			s, err := readPath(o.State)
			if err != nil {
				t.Fatal(err)
			}
			far := s.distances()
			longest = max(far[s.At[0]], far[s.At[1]])
		}
		actions := map[string]string{}
		for i, name := range w.agents {
			ways, err := BestOnPath(o.State, i)
			if err != nil {
				t.Fatal(err)
			}
			if len(ways) > 0 {
				actions[name] = fmt.Sprintf(" %d", ways[0])
			}
		}
		if o, err = w.Step(context.Background(), o.State, actions); err != nil {
			t.Fatal(err)
		}
		if err := bounds.Check(o, sum); err != nil {
			t.Fatal(err)
		}
		for name, r := range o.Agents {
			own[name] += r
		}
		if sum, steps = sum+o.Team, steps+1; steps > unreached {
			t.Fatalf("%s: no end", p.Question)
		}
	}
	if sum != 1 || own["a"] != 1 || own["b"] != 1 || steps != longest {
		t.Errorf("%s: the shortest way earns %v in %d steps of %d", p.Question, sum, steps, longest)
	}
}

// TestPathBlocked: into a wall, off the grid and with words alone nobody moves, which is said; nothing is paid before both have arrived.
func TestPathBlocked(t *testing.T) {
	w := pathWorld{[]string{"a", "b"}}
	o, err := w.Reset(t.Context(), task.Problem{Question: `{"walls":[false,true,false,false,false,false,false,false,false],"starts":[0,3],"goal":8}`})
	if err != nil || o.Observations["a"] != "at 11 goal 33 free 2" || o.Observations["b"] != "at 21 goal 33 free 124" {
		t.Fatalf("%v, %v", o.Observations, err)
	}
	for i, c := range []struct {
		a, b, seenA, seenB string
	}{
		{"4", "x", "at 11 goal 33 free 2 no way", "at 21 goal 33 free 124 no way"},
		{"1", "I go 4", "at 11 goal 33 free 2 no way", "at 22 goal 33 free 234"},
		{"2", "3", "at 21 goal 33 free 124", "at 21 goal 33 free 124"},
		{"2", "4", "at 31 goal 33 free 14", "at 22 goal 33 free 234"},
	} {
		if o, err = w.Step(t.Context(), o.State, map[string]string{"a": c.a, "b": c.b}); err != nil {
			t.Fatal(err)
		}
		if o.Observations["a"] != c.seenA || o.Observations["b"] != c.seenB || o.Team != 0 || len(o.Agents) > 0 || o.Done {
			t.Errorf("step %d: %+v", i, o)
		}
	}
	if _, err := w.Reset(t.Context(), task.Problem{Question: "{}"}); err == nil {
		t.Error("no maze, no error")
	}
}
