package games

import (
	"math"
	"math/rand/v2"
	"testing"

	"parley/task"
	"parley/task/environment"
)

// kuhnPolicy is one by the probability of a 1 at each information set.
func kuhnPolicy(bet func(card int, history string) float64) policy {
	p := policy{}
	for _, s := range KuhnSets() {
		b := bet(s.Card, s.History)
		p[line{mover: len(s.History) % 2, seen: [2]string{KuhnSeen(s.Card, s.History), KuhnSeen(s.Card, s.History)}}.set()] = []float64{1 - b, b}
	}
	return p
}

// kuhnSolution is the family of equilibria that Kuhn found, by a in [0, 1/3].
func kuhnSolution(a float64) policy {
	return kuhnPolicy(func(card int, history string) float64 {
		switch history {
		case "":
			return []float64{a, 0, 3 * a}[card-1]
		case "01":
			return []float64{0, a + 1./3, 1}[card-1]
		case "1":
			return []float64{0, 1. / 3, 1}[card-1]
		}
		return []float64{1. / 3, 0, 1}[card-1]
	})
}

// TestKuhnSolution: the value is −1/18, Kuhn's policies cannot be exploited, and all others can.
func TestKuhnSolution(t *testing.T) {
	for _, a := range []float64{0, 0.1, 1. / 3} {
		got := zeroSum(kuhn, kuhnSolution(a))
		if v, e := got["first_player"], got["exploitability"]; math.Abs(v+1./18) > 1e-12 || math.Abs(e) > 1e-12 {
			t.Errorf("a = %v: value %v, exploitability %v", a, v, e)
		}
	}
	if e := KuhnExploitability(func(string) float64 { return 0.5 }); math.Abs(e-11./24) > 1e-12 {
		t.Errorf("even chances have exploitability %v", e)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		p := kuhnPolicy(func(int, string) float64 { return rng.Float64() })
		if e := zeroSum(kuhn, p)["exploitability"]; e < 0 || e > 2 {
			t.Fatalf("exploitability %v of %v", e, p)
		}
	}
	if len(KuhnSets()) != 12 || len(kuhn.sets()) != 12 {
		t.Errorf("%d information sets", len(KuhnSets()))
	}
}

// TestKuhnRules plays all deals with all sequences of moves through the world.
func TestKuhnRules(t *testing.T) {
	w := turns{kuhn, []string{"f", "s"}}
	bounds := environment.Bounds{Agents: w.agents, Least: -2, Most: 2}
	pays := map[string]float64{"00": 1, "010": -1, "011": 2, "10": 1, "11": 2} // of the better card first; a fold does not ask who has it
	ends := 0
	for _, d := range kuhn.deals {
		o, err := w.Reset(t.Context(), task.Problem{Question: d})
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
