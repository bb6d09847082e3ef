package games

import (
	"encoding/json"
	"fmt"
	"testing"

	"parley/task"
	"parley/task/environment"
)

// TestTicTacToeRules goes through all positions and all moves: the numbers are those that are known of the game, the world agrees with the rules, and
// what is zero-sum is.
func TestTicTacToeRules(t *testing.T) {
	all := Positions()
	count := map[byte]int{}
	over := 0
	w := ticTacToeWorld{[]string{"x", "o"}}
	bounds := environment.Bounds{Agents: w.agents, Least: -2, Most: 1}
	for _, p := range all {
		if p.Over() {
			over++
			count[p.Winner()]++
			continue
		}
		state, _ := json.Marshal(p)
		name := string(p.Mover())
		for cell := range 9 {
			o, err := w.Step(t.Context(), state, map[string]string{name: fmt.Sprint("to ", cell+1)})
			if err != nil {
				t.Fatal(err)
			}
			if err := bounds.Check(o, 0); err != nil {
				t.Fatal(err)
			}
			if p[cell] != '.' {
				if !o.Done || o.Agents[name] != -2 || len(o.Agents) != 1 || string(o.State) != string(state) {
					t.Fatalf("%s: a taken cell gives %+v", p, o)
				}
				continue
			}
			next := p.Play(cell)
			if want := next.Over(); o.Done != want || o.Agents["x"]+o.Agents["o"] != 0 || (o.Agents[name] == 1) != (next.Winner() == p.Mover()) {
				t.Fatalf("%s, cell %d: %+v", p, cell, o)
			}
		}
	}
	// Known: 958 ends, of which x wins 626, o wins 316 and 16 are draws.
	if len(all) != 5478 || over != 958 || count['x'] != 626 || count['o'] != 316 || count[0] != 16 {
		t.Errorf("%d positions, %d ends: %v", len(all), over, count)
	}
}

// TestTicTacToePerfect: the game is a draw, and a perfect player never loses from there, whatever the other does.
func TestTicTacToePerfect(t *testing.T) {
	if v := Start.Value(); v != 0 {
		t.Errorf("the game has value %d", v)
	}
	for _, me := range []byte("xo") {
		seen := map[Position]bool{}
		var play func(Position)
		play = func(p Position) {
			if seen[p] {
				return
			}
			seen[p] = true
			if w := p.Winner(); w != 0 && w != me {
				t.Fatalf("%c, perfect, lost: %s", me, p)
			}
			moves := p.Moves()
			if p.Mover() == me {
				moves = p.Best()
			}
			for _, m := range moves {
				play(p.Play(m))
			}
		}
		play(Start)
	}
}

// TestTicTacToeProblems: those of both splits are different positions, of x to move; all of them can begin.
func TestTicTacToeProblems(t *testing.T) {
	train, held := ticTacToeProblems()
	seen := map[string]bool{}
	for _, p := range append(train, held...) {
		at := Position(p.Question)
		if seen[p.Question] || at.Over() || at.Mover() != 'x' {
			t.Fatalf("%s", p.Question)
		}
		seen[p.Question] = true
	}
	if len(seen) != 2423 || !seen[string(Start)] {
		t.Errorf("%d positions", len(seen))
	}
	w := ticTacToeWorld{[]string{"x", "o"}}
	o, err := w.Reset(t.Context(), task.Problem{Question: "x...o...."})
	if err != nil || o.All != "x234o6789" {
		t.Errorf("%+v, %v", o, err)
	}
	if o, err := w.Step(t.Context(), o.State, map[string]string{"o": "2"}); err != nil || o.Done || o.All != "x234o6789" {
		t.Errorf("who is not to move: %+v, %v", o, err)
	}
	if _, err := w.Reset(t.Context(), task.Problem{Question: "xyz"}); err == nil {
		t.Error("no position, no error")
	}
}
