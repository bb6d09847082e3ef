package loss

import (
	"math"
	"slices"
	"testing"

	"parley/engine"

	"pgregory.net/rapid"
)

func TestMADPOGradient(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		logprob := rapid.Float64Range(-60, -1)
		agents := make([]JointPreference, rapid.IntRange(1, 3).Draw(t, "agents"))
		for i := range agents {
			agents[i] = JointPreference{
				Winner: logprob.Draw(t, "w"), Loser: logprob.Draw(t, "l"),
				ReferenceWinner: logprob.Draw(t, "rw"), ReferenceLoser: logprob.Draw(t, "rl"),
			}
		}
		beta := rapid.Float64Range(0.01, 0.5).Draw(t, "beta")
		_, grad := MADPO(agents, beta)
		i := rapid.IntRange(0, len(agents)-1).Draw(t, "i")
		const h = 1e-5
		moved := func(winner, loser float64) float64 {
			shifted := slices.Clone(agents)
			shifted[i].Winner += winner
			shifted[i].Loser += loser
			loss, _ := MADPO(shifted, beta)
			return loss
		}
		if want := (moved(h, 0) - moved(-h, 0)) / (2 * h); math.Abs(grad-want) > 1e-7 {
			t.Fatalf("winner: %v, finite difference %v", grad, want)
		}
		if want := (moved(0, h) - moved(0, -h)) / (2 * h); math.Abs(-grad-want) > 1e-7 {
			t.Fatalf("loser: %v, finite difference %v", -grad, want)
		}
	})
}

func TestMADPOExtremes(t *testing.T) {
	for _, gap := range []float64{-1e6, 1e6} {
		loss, grad := MADPO([]JointPreference{{Winner: gap}}, 0.1)
		wantLoss, wantGrad := math.Max(-0.1*gap, 0), 0.0
		if gap < 0 {
			wantGrad = -0.1
		}
		if loss != wantLoss || math.Abs(grad-wantGrad) > 1e-12 {
			t.Errorf("gap %v: loss %v, gradient %v", gap, loss, grad)
		}
	}
	// At its own start an agent with reference has Δ = 0, whatever its log-probabilities.
	start := JointPreference{Winner: -3, Loser: -9, ReferenceWinner: -3, ReferenceLoser: -9}
	if loss, _ := MADPO([]JointPreference{start}, 0.1); math.Abs(loss-math.Ln2) > 1e-12 {
		t.Errorf("loss at the start %v, want ln 2", loss)
	}
}

func TestPreferencePairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var rewards []float64
		for _, r := range rapid.SliceOfN(rapid.IntRange(0, 5), 0, 9).Draw(t, "rewards") {
			rewards = append(rewards, float64(r))
		}
		all := PreferencePairs(rewards, 0, 5)
		for i, p := range all {
			gap := rewards[p.Winner] - rewards[p.Loser]
			if gap <= 0 {
				t.Fatalf("pair %v has gap %v", p, gap)
			}
			if i == 0 {
				continue
			}
			before := all[i-1]
			last := rewards[before.Winner] - rewards[before.Loser]
			ordered := before.Winner < p.Winner || before.Winner == p.Winner && before.Loser < p.Loser
			if last < gap || last == gap && !ordered {
				t.Fatalf("%v comes before %v", before, p)
			}
		}
		k := rapid.IntRange(1, 20).Draw(t, "k")
		if got := PreferencePairs(rewards, k, 5); !slices.Equal(got, all[:min(k, len(all))]) {
			t.Fatalf("first %d are %v of %v", k, got, all)
		}
	})
}

// TestPairsOfRounding: rewards that differ by rounding make no pair, and gaps that differ by rounding do not change the order.
func TestPairsOfRounding(t *testing.T) {
	a := 0.1
	a += 0.2
	if pairs := PreferencePairs([]float64{a, 0.3, 0.3, a}, 0, 1); len(pairs) != 0 || a == 0.3 {
		t.Errorf("%v of rewards that are equal", pairs)
	}
	rapid.Check(t, func(t *rapid.T) {
		var exact, rounded []float64
		for _, r := range rapid.SliceOfN(rapid.IntRange(0, 5), 0, 9).Draw(t, "rewards") {
			exact = append(exact, float64(r))
			rounded = append(rounded, float64(r)/10+float64(rapid.IntRange(-4, 4).Draw(t, "noise"))*1e-16)
		}
		if want, got := PreferencePairs(exact, 0, 5), PreferencePairs(rounded, 0, 0.5); !slices.Equal(got, want) {
			t.Fatalf("%v of %v, want %v", got, rounded, want)
		}
	})
}

func TestSequenceWeights(t *testing.T) {
	loss := SequenceWeights([]float64{1, -2, 0.5})
	grads, err := loss(1, []engine.Output{{Logprobs: []float32{-1, -1}}, {Logprobs: []float32{-3}}})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(grads[0].Logprobs, []float32{-2, -2}) || !slices.Equal(grads[1].Logprobs, []float32{0.5}) {
		t.Errorf("gradients %v", grads)
	}
	if _, err := loss(2, make([]engine.Output, 2)); err == nil {
		t.Error("an output without a weight is accepted")
	}
}
