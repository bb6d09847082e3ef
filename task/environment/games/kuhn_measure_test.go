package games

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"parley/task/environment"
)

// A kuhnTable answers from a policy, and checks that what it is asked about is an information set of the deal.
type kuhnTable struct {
	environment.Table
	t      *testing.T
	policy KuhnPolicy
	mass   float64 // of both moves
}

func (x kuhnTable) Logprobs(_ context.Context, at []environment.Situation) ([][]float64, error) {
	w := kuhnWorld{[]string{"f", "s"}}
	var out [][]float64
	seen := map[string]bool{}
	for _, s := range at {
		o, err := w.Reset(context.Background(), s.Problem)
		for i, text := range s.Said {
			if err == nil && !o.Done {
				o, err = w.Step(context.Background(), o.State, map[string]string{w.agents[i%2]: text})
			}
		}
		if err != nil || o.Done {
			x.t.Fatalf("%+v: %v, over %v", s, err, o.Done)
		}
		text := o.Observations[w.agents[len(s.Said)%2]]
		var card int
		if _, err := fmt.Sscanf(text, "card %d", &card); err != nil || seen[text] {
			x.t.Fatalf("%q, %v, seen before: %v", text, err, seen[text])
		}
		seen[text] = true
		bet := x.policy(card, strings.Join(s.Said, ""))
		out = append(out, []float64{math.Log(x.mass * (1 - bet)), math.Log(x.mass * bet)})
	}
	return out, nil
}

// TestKuhnMeasure: what is measured from the probabilities of moves is what is computed from the policy, whatever else may be said.
func TestKuhnMeasure(t *testing.T) {
	mixed := func(card int, history string) float64 { return 0.1 + 0.2*float64(card) + 0.1*float64(len(history)) }
	always := func(int, string) float64 { return 1 }
	for name, p := range map[string]KuhnPolicy{"solution": kuhnSolution(0.2), "mixed": mixed, "always": always} {
		for _, mass := range []float64{1, 0.5, 1e-9} {
			got, err := kuhnWorld{[]string{"f", "s"}}.Measure(context.Background(), kuhnTable{t: t, policy: p, mass: mass})
			if err != nil {
				t.Fatal(err)
			}
			for key, want := range map[string]float64{"exploitability": KuhnExploitability(p), "first_player": kuhnValue(p, p), "moves": mass} {
				if math.Abs(got[key]-want) > 1e-9 {
					t.Errorf("%s, mass %v: %s is %v, want %v", name, mass, key, got[key], want)
				}
			}
		}
	}
}
