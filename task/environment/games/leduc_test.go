package games

import (
	"math"
	"slices"
	"testing"
)

// TestLeducValue finds an equilibrium by counterfactual regret minimisation, and so the value of the game: whoever plays it, what both can be held to
// are the bounds of what the first player can have, and these close in on −0.0856064, the solution of its linear programme.
func TestLeducValue(t *testing.T) {
	if n := len(leduc.sets()); n != 288 {
		t.Fatalf("%d information sets", n)
	}
	// Deals of one kind differ by nothing that anybody sees, so those of each are played once, with the probability of all.
	var begins []reached
	for _, x := range leduc.begins() {
		if i := slices.IndexFunc(begins, func(y reached) bool { return y.deal == x.deal }); i >= 0 {
			begins[i].chance += x.chance
		} else {
			begins = append(begins, x)
		}
	}
	regrets, sums, now := map[string][]float64{}, policy{}, policy{}
	for _, x := range leduc.sets() {
		n := len(x.legal)
		regrets[x.set()], sums[x.set()], now[x.set()] = make([]float64, n), make([]float64, n), slices.Repeat([]float64{1 / float64(n)}, n)
	}
	var visit func(x reached, player int, own, others, weight float64) float64
	visit = func(x reached, player int, own, others, weight float64) float64 {
		if x.legal == "" {
			return x.sum[player]
		}
		set, values, mean := x.set(), make([]float64, len(x.legal)), 0.0
		for i, chance := range now[set] {
			o, p := own, others
			if x.mover == player {
				o *= chance
			} else {
				p *= chance
			}
			values[i] = visit(leduc.after(x, x.legal[i], chance), player, o, p, weight)
			mean += chance * values[i]
		}
		if x.mover == player {
			for i := range values {
				regrets[set][i] += others * (values[i] - mean)
				sums[set][i] += weight * own * now[set][i]
			}
		}
		return mean
	}
	const rounds = 800
	for round := 1; round <= rounds; round++ {
		player := round % 2
		for _, x := range begins {
			visit(x, player, 1, x.chance, float64(round))
		}
		for set, list := range regrets {
			if int(set[0]-'0') == player {
				for i := range list {
					list[i] = max(0, list[i])
				}
				now[set] = shares(list)
			}
		}
	}
	p := policy{}
	for set, list := range sums {
		p[set] = shares(list)
	}
	low, high := -leduc.best(p, 1), leduc.best(p, 0)
	const value = -0.085606424078
	if low > value+1e-9 || high < value-1e-9 || high-low > 0.01 || math.Abs((low+high)/2-value) > 0.002 {
		t.Errorf("the first player can have %v to %v, and %v is the value", low, high, value)
	}
}
