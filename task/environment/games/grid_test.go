package games

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley/task"
	"parley/task/environment"
)

// TestGridRules goes through all pairs of cells and all that a student can say: it moves by one cell, or stays and is told so; the goal alone pays and
// ends; the teacher sees the directions that lead nearer, whose number of steps is the distance.
func TestGridRules(t *testing.T) {
	w := gridWorld{[]string{"t", "s"}}
	bounds := environment.Bounds{Agents: w.agents, Most: 1}
	arrivals, stays := 0, 0
	for at := range gridSide * gridSide {
		for goal := range gridSide * gridSide {
			if at == goal {
				continue
			}
			begin, err := w.Reset(t.Context(), task.Problem{Question: fmt.Sprintf(`{"at":%d,"goal":%d}`, at, goal)})
			if err != nil || bounds.Check(begin, 0) != nil || bounds.Complete(begin) != nil || begin.Done || begin.Team != 0 {
				t.Fatalf("%+v, %v", begin, err)
			}
			for i, said := range []string{"up, 1", "2", "3 or 4", " 4", "I stay 5"} {
				o, err := w.Step(t.Context(), begin.State, map[string]string{"s": said})
				if err != nil || bounds.Check(o, 0) != nil {
					t.Fatalf("%+v, %v", o, err)
				}
				row, column := at/gridSide+[]int{-1, 1, 0, 0, 0}[i], at%gridSide+[]int{0, 0, -1, 1, 0}[i]
				stay := row < 0 || row == gridSide || column < 0 || column == gridSide || i == 4
				want := row*gridSide + column
				if stay {
					want = at
					stays++
				}
				var got GridField
				if err := json.Unmarshal(o.State, &got); err != nil || got != (GridField{At: want, Goal: goal, Moves: 1}) || o.Done != (want == goal) || (o.Team == 1) != o.Done {
					t.Fatalf("from %d for %d, %q: %+v, want %d", at, goal, said, o, want)
				}
				if o.Done {
					arrivals++
				}
				seen := fmt.Sprintf("at %d%d goal %d%d", want/gridSide+1, want%gridSide+1, goal/gridSide+1, goal%gridSide+1)
				if stay {
					seen += " no way"
				}
				if o.Observations["s"] != seen {
					t.Fatalf("%q: the student sees %q, want %q", said, o.Observations["s"], seen)
				}
				// A direction is useful where it comes nearer.
				nearer := gridFar(want, goal) < gridFar(at, goal)
				if listed := strings.Contains(begin.Observations["t"], fmt.Sprint(i+1)); listed != nearer || slices.Contains((GridField{At: at, Goal: goal}).Useful(), i+1) != nearer {
					t.Fatalf("from %d for %d the teacher sees %q, and %d comes nearer: %v", at, goal, begin.Observations["t"], i+1, nearer)
				}
			}
		}
	}
	// 120 moves lead from a cell to another; 24 lead off the field, and 36 texts are no move, each for 35 goals.
	if arrivals != 120 || stays != (24+36)*35 {
		t.Errorf("%d arrivals, %d stays", arrivals, stays)
	}
}

// gridFar is how many moves lie between two cells.
func gridFar(a, b int) int {
	abs := func(x int) int { return max(x, -x) }
	return abs(a/gridSide-b/gridSide) + abs(a%gridSide-b%gridSide)
}

// TestGridTeaching: a student that does what it is told walks the shortest way, from every problem; the splits share none.
func TestGridTeaching(t *testing.T) {
	w := gridWorld{[]string{"t", "s"}}
	train, held := gridProblems()
	if len(train) != 1008 || len(held) != 252 {
		t.Errorf("%d and %d problems", len(train), len(held))
	}
	seen := map[string]bool{}
	for _, p := range append(train, held...) {
		if seen[p.Question] {
			t.Fatalf("%s occurs twice", p.Question)
		}
		seen[p.Question] = true
		o, err := w.Reset(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		var begin GridField
		if err := json.Unmarshal(o.State, &begin); err != nil {
			t.Fatal(err)
		}
		moves := 0
		for ; !o.Done; moves++ {
			if o, err = w.Step(t.Context(), o.State, map[string]string{"t": "go " + o.Observations["t"]}); err != nil || o.Team != 0 {
				t.Fatalf("%+v, %v", o, err)
			}
			_, told, _ := strings.Cut(o.Observations["s"], "told ")
			if o, err = w.Step(t.Context(), o.State, map[string]string{"s": told}); err != nil {
				t.Fatal(err)
			}
		}
		if moves != gridFar(begin.At, begin.Goal) || o.Team != 1 {
			t.Errorf("%s: %d moves, earns %v", p.Question, moves, o.Team)
		}
	}
}

// TestGridEnds: after 16 moves the episode is over without a reward; the teacher's words are no moves; those who act at once do not hear each other.
func TestGridEnds(t *testing.T) {
	w := gridWorld{[]string{"t", "s"}}
	o, err := w.Reset(t.Context(), task.Problem{Question: `{"at":0,"goal":35,"told":3,"moves":9}`})
	if err != nil || o.Observations["s"] != "at 11 goal 66" || o.Observations["t"] != "goal by 24" {
		t.Fatalf("%+v, %v", o, err)
	}
	for move := 1; move <= GridMoves; move++ {
		if o, err = w.Step(t.Context(), o.State, map[string]string{"t": "4"}); err != nil || o.Done || !strings.HasPrefix(o.Observations["s"], "at 11 goal 66 told 4") {
			t.Fatalf("%+v, %v", o, err)
		}
		if o, err = w.Step(t.Context(), o.State, map[string]string{"t": "none", "s": "1"}); err != nil || o.Done != (move == GridMoves) || o.Team != 0 || o.Observations["s"] != "at 11 goal 66 no way" {
			t.Fatalf("move %d: %+v, %v", move, o, err)
		}
	}
	for _, bad := range []string{"", "{}", `{"at":0,"goal":0}`, `{"at":36,"goal":0}`, `{"at":0}`, `{"at":-1,"goal":3}`} {
		if _, err := w.Reset(t.Context(), task.Problem{Question: bad}); err == nil {
			t.Errorf("%q is no field, and there is no error", bad)
		}
	}
}
