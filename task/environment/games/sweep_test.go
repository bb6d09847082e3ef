package games

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"parley/task"
	"parley/task/environment"
)

// sweepTexts are the moves as they may be said; the last is none.
var sweepTexts = []string{"I wait: 0.", "1", "to 2", "3 4", "4", "5!", "what?"}

// sweepTables lists all positions: every block may be gone, as long as a target is left.
func sweepTables() (out []SweepTable) {
	for decoy := 1; decoy <= blocks; decoy++ {
		for gone := range 1 << blocks {
			t := SweepTable{Decoy: decoy}
			for b := 1; b <= blocks; b++ {
				if gone>>(b-1)&1 == 1 {
					t.Gone = append(t.Gone, b)
				}
			}
			for a := range blocks + 1 {
				for b := range blocks + 1 {
					if t.At = [2]int{a, b}; len(t.Left()) > 0 {
						out = append(out, t)
					}
				}
			}
		}
	}
	return out
}

// TestSweepRules goes through all positions and all pairs of moves: each robot goes where it says, a block is gone exactly where both stood at it, the
// first one waited and the second one swept, and only a target pays.
func TestSweepRules(t *testing.T) {
	w := sweepWorld{[]string{"a", "b"}}
	bounds := environment.Bounds{Agents: w.agents, Most: 3}
	all, swept, paid := sweepTables(), 0, 0
	for _, before := range all {
		state, _ := json.Marshal(before)
		for i, a := range sweepTexts {
			for j, b := range sweepTexts {
				o, err := w.Step(t.Context(), state, map[string]string{"a": a, "b": b})
				if err != nil || bounds.Check(o, 0) != nil || bounds.Complete(o) != nil {
					t.Fatalf("%+v, %v", o, err)
				}
				want := before
				want.Steps = 1
				if i >= 1 && i <= 4 {
					want.At[0] = i
				}
				if j >= 1 && j <= 4 {
					want.At[1] = j
				}
				reward := 0.
				stood := before.At[0]
				if i == 0 && j == 5 && stood > 0 && stood == before.At[1] && !slices.Contains(before.Gone, stood) {
					want.Gone = append(slices.Clone(before.Gone), stood)
					if swept++; stood != before.Decoy {
						reward, paid = 1, paid+1
					}
				}
				var got SweepTable
				if err := json.Unmarshal(o.State, &got); err != nil || !reflect.DeepEqual(got, want) || o.Team != reward || o.Done != (len(want.Left()) == 0) {
					t.Fatalf("%+v, %q and %q: %+v, want %+v, %v", before, a, b, o, want, reward)
				}
				for k, name := range w.agents {
					illegal := k == 0 && i >= 5 || k == 1 && j == 6
					if strings.HasSuffix(o.Observations[name], " no move") != illegal || !strings.HasPrefix(o.Observations[name], fmt.Sprintf("at %d other %d left ", want.At[k], want.At[1-k])) {
						t.Fatalf("%q and %q: %s sees %q", a, b, name, o.Observations[name])
					}
				}
			}
		}
	}
	// Over all 16 sets of blocks that may be gone 32 blocks are there, 24 of them targets. Two sets have no target; of their blocks one is there.
	if len(all) != 4*14*25 || swept != 4*31 || paid != 4*24 {
		t.Errorf("%d positions, %d blocks swept, %d paid", len(all), swept, paid)
	}
}

// TestSweepShortest: from every problem all three targets can be swept, at the earliest in six steps, or in five where both stand at one of them.
func TestSweepShortest(t *testing.T) {
	train, held := sweepProblems()
	if len(train) != 80 || len(held) != 20 {
		t.Errorf("%d and %d problems", len(train), len(held))
	}
	seen := map[string]bool{}
	w := sweepWorld{[]string{"a", "b"}}
	for _, p := range append(train, held...) {
		o, err := w.Reset(t.Context(), p)
		if err != nil || seen[p.Question] || o.Done {
			t.Fatalf("%s: %+v, %v", p.Question, o, err)
		}
		seen[p.Question] = true
		var begin SweepTable
		if err := json.Unmarshal(o.State, &begin); err != nil {
			t.Fatal(err)
		}
		want := 6
		if a := begin.At[0]; a > 0 && a == begin.At[1] && a != begin.Decoy {
			want = 5
		}
		if got := shortestSweep(begin); got != want {
			t.Errorf("%s: %d steps, want %d", p.Question, got, want)
		}
	}
}

// shortestSweep is the least number of steps until no target is left, breadth first.
func shortestSweep(begin SweepTable) int {
	type key struct {
		at   [2]int
		left string
		gone int
	}
	seen := map[key]bool{}
	for queue := []SweepTable{begin}; len(queue) > 0; queue = queue[1:] {
		t := queue[0]
		if len(t.Left()) == 0 {
			return t.Steps
		}
		for a := range blocks + 1 {
			for b := range blocks + 2 {
				next, _ := t.Play(a, b)
				if k := (key{next.At, fmt.Sprint(next.Left()), len(next.Gone)}); !seen[k] {
					seen[k] = true
					queue = append(queue, next)
				}
			}
		}
	}
	return -1
}

// TestSweepEnds: an episode ends with its last target or after 15 steps; waiting leaves all as it was but the step, and who does not act waits.
func TestSweepEnds(t *testing.T) {
	w := sweepWorld{[]string{"a", "b"}}
	o, err := w.Reset(t.Context(), task.Problem{Question: `{"decoy":2,"at":[3,3],"gone":[1,2]}`})
	if err != nil || o.Observations["a"] != "at 3 other 3 left 34" {
		t.Fatalf("%+v, %v", o, err)
	}
	for step := 1; step <= SweepSteps; step++ {
		if o, err = w.Step(t.Context(), o.State, map[string]string{"b": "0"}); err != nil || o.Team != 0 || o.Done != (step == SweepSteps) {
			t.Fatalf("step %d: %+v, %v", step, o, err)
		}
		if want := fmt.Sprintf(`{"decoy":2,"at":[3,3],"gone":[1,2],"steps":%d}`, step); string(o.State) != want {
			t.Errorf("step %d: %s, want %s", step, o.State, want)
		}
	}
	sum, seen := 0., []string{}
	o, _ = w.Reset(t.Context(), task.Problem{Question: `{"decoy":2,"at":[0,0],"gone":[1]}`})
	for _, said := range []map[string]string{{"a": "3", "b": "3"}, {"b": "5"}, {"a": "4", "b": "4"}, {"a": "0", "b": "5"}} {
		if o, err = w.Step(t.Context(), o.State, said); err != nil {
			t.Fatal(err)
		}
		sum += o.Team
		seen = append(seen, fmt.Sprint(o.Done))
	}
	if sum != 2 || strings.Join(seen, " ") != "false false false true" {
		t.Errorf("earned %v, over %v", sum, seen)
	}
	for _, bad := range []string{"", "{}", `{"decoy":5,"at":[0,0]}`, `{"decoy":1,"at":[0,5]}`, `{"decoy":1,"at":[0,0],"gone":[2,3,4]}`, `{"decoy":1,"at":[0,0],"gone":[0]}`} {
		if _, err := w.Reset(t.Context(), task.Problem{Question: bad}); err == nil {
			t.Errorf("%q is no table, and there is no error", bad)
		}
	}
}
