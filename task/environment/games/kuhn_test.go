package games

import (
	"math"
	"math/rand/v2"
	"testing"

	"parley/task"
	"parley/task/environment"
)

// kuhnSolution is the family of equilibria that Kuhn found, by a in [0, 1/3].
func kuhnSolution(a float64) KuhnPolicy {
	return func(card int, history string) float64 {
		switch history {
		case "":
			return []float64{a, 0, 3 * a}[card-1]
		case "01":
			return []float64{0, a + 1./3, 1}[card-1]
		case "1":
			return []float64{0, 1. / 3, 1}[card-1]
		}
		return []float64{1. / 3, 0, 1}[card-1]
	}
}

// TestKuhnSolution: the value is −1/18, Kuhn's policies cannot be exploited, and all others can.
func TestKuhnSolution(t *testing.T) {
	for _, a := range []float64{0, 0.1, 1. / 3} {
		p := kuhnSolution(a)
		if v, e := kuhnValue(p, p), KuhnExploitability(p); math.Abs(v+1./18) > 1e-12 || math.Abs(e) > 1e-12 {
			t.Errorf("a = %v: value %v, exploitability %v", a, v, e)
		}
	}
	half := func(int, string) float64 { return 0.5 }
	if e := KuhnExploitability(half); math.Abs(e-11./24) > 1e-12 {
		t.Errorf("even chances have exploitability %v", e)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		chance := map[string]float64{}
		for _, s := range KuhnSets() {
			chance[KuhnSeen(s.Card, s.History)] = rng.Float64()
		}
		if e := KuhnExploitability(func(card int, history string) float64 { return chance[KuhnSeen(card, history)] }); e < 0 || e > 2 {
			t.Fatalf("exploitability %v of %v", e, chance)
		}
	}
	if len(KuhnSets()) != 12 {
		t.Errorf("%d information sets", len(KuhnSets()))
	}
}

// TestKuhnRules plays all deals with all sequences of moves through the world.
func TestKuhnRules(t *testing.T) {
	w := kuhnWorld{[]string{"f", "s"}}
	bounds := environment.Bounds{Agents: w.agents, Least: -2, Most: 2}
	pays := map[string]float64{"00": 1, "010": -1, "011": 2, "10": 1, "11": 2} // of the better card first; a fold does not ask who has it
	ends := 0
	for _, d := range Deals() {
		o, err := w.Reset(t.Context(), task.Problem{Question: string(rune('0'+d[0])) + string(rune('0'+d[1]))})
		if err != nil || bounds.Complete(o) != nil {
			t.Fatal(err)
		}
		var play func(o environment.Outcome, history string)
		play = func(o environment.Outcome, history string) {
			for _, move := range "01" {
				name := w.agents[len(history)%2]
				next, err := w.Step(t.Context(), o.State, map[string]string{name: "I say " + string(move)})
				if err != nil || bounds.Check(next, 0) != nil {
					t.Fatal(err)
				}
				said := history + string(move)
				want, over := pays[said]
				if fold := said == "10" || said == "010"; d[0] < d[1] && !fold {
					want = -want
				}
				if next.Done != over || next.Agents["f"] != want || next.Agents["s"] != -want {
					t.Errorf("%v %s: %+v", d, said, next)
				}
				if over {
					ends++
					continue
				}
				play(next, said)
			}
		}
		play(o, "")
		bad, err := w.Step(t.Context(), o.State, map[string]string{"f": "what?"})
		if err != nil || !bad.Done || bad.Agents["f"] != -2 || len(bad.Agents) != 1 || bad.All != "illegal move of f" {
			t.Errorf("no move: %+v, %v", bad, err)
		}
	}
	if ends != 30 {
		t.Errorf("%d ends", ends)
	}
}
