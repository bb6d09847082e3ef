package loss

import (
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/engine"
	"parley/engine/enginetest"
)

// clippedLosses are importance sampling as long as the ratio stays in the clip range.
var clippedLosses = []LossName{PPO, PPOTwoSided, ClipOnly}

func drawObjective(t *rapid.T) TokenObjective {
	return TokenObjective{
		Loss:      rapid.SampledFrom(slices.Sorted(maps.Keys(tokenRules))).Draw(t, "loss"),
		Reduction: drawReduction(t),
		Clip:      Clip{Low: rapid.Float64Range(0.01, 0.5).Draw(t, "low"), High: rapid.Float64Range(0.01, 0.5).Draw(t, "high")},
		Bound:     rapid.Float64Range(1.5, 3).Draw(t, "bound"),
		KLCoef:    rapid.Float64Range(0, 1).Draw(t, "kl_coef"),
	}
}

// drawSequences draws sequences with all inputs; moved says how far the policy may be from the one that sampled.
func drawSequences(t *rapid.T, o TokenObjective, moved float64) []TokenSequence[float64] {
	sequences := make([]TokenSequence[float64], rapid.IntRange(1, 4).Draw(t, "sequences"))
	for i := range sequences {
		n := rapid.IntRange(1, 6).Draw(t, "tokens")
		numbers := func(low, high float64, n int, label string) []float64 {
			return rapid.SliceOfN(rapid.Float64Range(low, high), n, n).Draw(t, label)
		}
		s := TokenSequence[float64]{
			Old: numbers(-3, 0, n, "old"), Reference: numbers(-3, 0, n, "reference"),
			Mask: rapid.SliceOfN(rapid.Bool(), n, n).Draw(t, "mask"),
		}
		s.Logprobs = slices.Clone(s.Old)
		for x, d := range numbers(-moved, moved, n, "moved") {
			s.Logprobs[x] += d
		}
		s.Advantages = numbers(-2, 2, n, "advantages")
		if o.Loss == GSPO {
			s.Advantages = s.Advantages[:1]
		}
		sequences[i] = s
	}
	return sequences
}

func tokenLoss(t *rapid.T, o TokenObjective, sequences []TokenSequence[float64]) (float64, [][]float64) {
	loss, grad, err := wholeLoss(o, sequences)
	if err != nil {
		t.Fatal(err)
	}
	return loss, grad
}

// Every gradient of every loss under every reduction is the slope of the loss: by finite differences, except near the ends of
// clips, and with CISPO's weights held.
func TestTokenLossGradient(t *testing.T) {
	const h = 1e-6
	rapid.Check(t, func(t *rapid.T) {
		o := drawObjective(t)
		sequences := drawSequences(t, o, 1)
		_, grad := tokenLoss(t, o, sequences)
		i := rapid.IntRange(0, len(sequences)-1).Draw(t, "sequence")
		x := rapid.IntRange(0, len(grad[i])-1).Draw(t, "token")
		at := func(d float64) (loss float64, clips []bool) {
			moved := slices.Clone(sequences)
			moved[i].Logprobs = slices.Clone(moved[i].Logprobs)
			moved[i].Logprobs[x] += d
			loss, _ = tokenLoss(t, o, moved)
			for _, term := range sequenceTerms(o, moved[i]) {
				clips = append(clips, term.Clipped)
			}
			return loss, clips
		}
		up, clipsUp := at(h)
		down, clipsDown := at(-h)
		if o.Loss == CISPO || !slices.Equal(clipsUp, clipsDown) {
			return
		}
		if slope := (up - down) / (2 * h); math.Abs(slope-grad[i][x]) > 1e-6*(1+math.Abs(slope)) {
			t.Fatalf("%s, %s: gradient %v, finite difference %v", o.Loss, o.Reduction, grad[i][x], slope)
		}
	})
}

// CISPO is REINFORCE whose advantages are multiplied by the clipped ratios: the same loss, the same gradient.
func TestCISPOIsWeightedREINFORCE(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawObjective(t)
		o.Loss = CISPO
		sequences := drawSequences(t, o, 1)
		loss, grad := tokenLoss(t, o, sequences)
		for i, s := range sequences {
			weighted := make([]float64, len(s.Advantages))
			for x, a := range s.Advantages {
				ratio := math.Exp(s.Logprobs[x] - s.Old[x])
				weighted[x] = a * math.Max(1-o.Clip.Low, math.Min(1+o.Clip.High, ratio))
			}
			sequences[i].Advantages = weighted
		}
		o.Loss = REINFORCE
		want, wantGrad := tokenLoss(t, o, sequences)
		if math.Abs(loss-want) > 1e-12*(1+math.Abs(want)) || !nearRows(grad, wantGrad) {
			t.Fatalf("%v %v, want %v %v", loss, grad, want, wantGrad)
		}
	})
}

func nearRows(a, b [][]float64) bool {
	return slices.EqualFunc(a, b, func(a, b []float64) bool {
		return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) <= 1e-12*(1+math.Abs(y)) })
	})
}

// On the first pass the policy is the one that sampled. Ratios are exactly 1, nothing is clipped, and all policy losses have
// one gradient, that of REINFORCE.
func TestFirstPassIsThePolicyGradient(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawObjective(t)
		o.KLCoef = 0
		if !tokenRules[o.Loss].advantage {
			o.Loss = GRPO
		}
		sequences := drawSequences(t, o, 0)
		_, grad := tokenLoss(t, o, sequences)
		for _, s := range sequences {
			for x, term := range sequenceTerms(o, s) {
				if s.counts(x) && term.Ratio != 1 || term.Clipped {
					t.Fatalf("%s: %+v", o.Loss, term)
				}
			}
		}
		o.Loss = REINFORCE
		if _, want := tokenLoss(t, o, sequences); !nearRows(grad, want) {
			t.Fatalf("gradient %v, REINFORCE's %v", grad, want)
		}
	})
}

// What clips have in common, and where they differ: inside the range all are importance sampling; PPO is the larger of that
// and the clip alone; the bound lies between PPO and nothing, and acts on negative advantages only.
func TestClipIdentities(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawObjective(t)
		token := Token{Old: -2, Advantage: rapid.Float64Range(-2, 2).Draw(t, "advantage")}
		token.Logprob = token.Old + rapid.Float64Range(-2, 2).Draw(t, "moved")
		loss := func(name LossName) Surrogate {
			o.Loss = name
			return o.Token(token)
		}
		free, ppo, held, bounded := loss(ImportanceSampling), loss(PPO), loss(ClipOnly), loss(PPOTwoSided)
		if inside := !held.Clipped; inside {
			for _, name := range clippedLosses {
				if loss(name) != free {
					t.Fatalf("%s inside the range: %+v, want %+v", name, loss(name), free)
				}
			}
		}
		if ppo.Loss != math.Max(free.Loss, held.Loss) {
			t.Fatalf("PPO %v of %v and %v", ppo.Loss, free.Loss, held.Loss)
		}
		want := ppo.Loss
		if token.Advantage < 0 {
			want = math.Min(ppo.Loss, -o.Bound*token.Advantage)
		}
		if bounded.Loss != want || bounded.Clipped && bounded.Grad != 0 {
			t.Fatalf("two-sided %+v, want loss %v", bounded, want)
		}
	})
}

// GSPO's sequence is one token of PPO with the mean log-ratio; its tokens share that token's gradient.
func TestGSPOIsPPOOfTheSequence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawObjective(t)
		o.Loss = GSPO
		s := drawSequences(t, o, 1)[:1]
		s[0].Mask, o.Reduction = nil, SeqMean
		_, grad := tokenLoss(t, o, s)
		n := float64(len(s[0].Old))
		mean := TokenSequence[float64]{Logprobs: []float64{s[0].meanLogRatio()}, Old: []float64{0}, Advantages: s[0].Advantages}
		_, want := tokenLoss(t, TokenObjective{Loss: PPO, Reduction: TokenMean, Clip: o.Clip}, []TokenSequence[float64]{mean})
		for _, g := range grad[0] {
			if math.Abs(g-want[0][0]/n) > 1e-12 {
				t.Fatalf("gradient %v, want %v each", grad[0], want[0][0]/n)
			}
		}
	})
}

// REINFORCE with one advantage a sequence is MAGRPO's group loss.
func TestREINFORCEIsTheGroupLoss(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := TokenObjective{Loss: REINFORCE, Reduction: drawReduction(t)}
		sequences := drawSequences(t, o, 1)
		rows, advantages := make([][]float64, len(sequences)), make([]float64, len(sequences))
		for i := range sequences {
			s := &sequences[i]
			s.Mask, s.Old, s.Advantages = nil, nil, s.Advantages[:1]
			rows[i], advantages[i] = s.Logprobs, s.Advantages[0]
		}
		if term := sequenceTerms(o, sequences[0])[0]; term.Ratio != 1 {
			t.Fatalf("ratio %v to the policy itself", term.Ratio)
		}
		loss, grad := tokenLoss(t, o, sequences)
		want, wantGrad := enginetest.GroupLoss(rows, nil, advantages, string(o.Reduction))
		if math.Abs(loss-want) > 1e-12*(1+math.Abs(want)) || !nearRows(grad, wantGrad) {
			t.Fatalf("%v %v, want %v %v", loss, grad, want, wantGrad)
		}
	})
}

// Tokens that do not count are as if they were not there.
func TestMaskedTokensAreAbsent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawObjective(t)
		sequences := drawSequences(t, o, 1)
		loss, grad := tokenLoss(t, o, sequences)
		var shorter []TokenSequence[float64]
		for i, s := range sequences {
			kept := TokenSequence[float64]{Advantages: s.Advantages[:1]}
			if o.Loss != GSPO {
				kept.Advantages = nil
			}
			for x, counts := range s.Mask {
				if !counts {
					if grad[i][x] != 0 {
						t.Fatalf("%s: gradient %v of a masked token", o.Loss, grad[i][x])
					}
					continue
				}
				kept.Logprobs, kept.Old = append(kept.Logprobs, s.Logprobs[x]), append(kept.Old, s.Old[x])
				kept.Reference = append(kept.Reference, s.Reference[x])
				if o.Loss != GSPO {
					kept.Advantages = append(kept.Advantages, s.Advantages[x])
				}
			}
			shorter = append(shorter, kept)
		}
		if want, _ := tokenLoss(t, o, shorter); loss != want {
			t.Fatalf("%s: loss %v, without masked tokens %v", o.Loss, loss, want)
		}
	})
}

// The four reductions of one batch: losses 1 and 2 of one sequence, 6 of another.
func TestReductions(t *testing.T) {
	sequences := []TokenSequence[float64]{
		{Logprobs: []float64{-1, -2}, Advantages: []float64{1}}, {Logprobs: []float64{-6}, Advantages: []float64{1}},
	}
	for r, want := range map[Reduction]float64{TokenSum: 9, TokenMean: 3, SeqSum: 4.5, SeqMean: 3.75} {
		loss, _, err := wholeLoss(TokenObjective{Loss: REINFORCE, Reduction: r}, sequences)
		if err != nil || math.Abs(loss-want) > 1e-12 {
			t.Errorf("%s: loss %v, want %v (%v)", r, loss, want, err)
		}
	}
}

func TestTokenObjectiveRefuses(t *testing.T) {
	good := TokenObjective{Loss: PPOTwoSided, Reduction: SeqMean, Clip: around1(0.2), Bound: 3}
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for says, spoil := range map[string]func(*TokenObjective){
		"kl_k1":      func(o *TokenObjective) { o.Loss = "trpo" },
		"reduction":  func(o *TokenObjective) { o.Reduction = "mean" },
		"clip range": func(o *TokenObjective) { o.Clip.Low = -0.1 },
		"bound":      func(o *TokenObjective) { o.Bound = 1.1 },
		"NaN":        func(o *TokenObjective) { o.Clip.High = math.NaN() },
	} {
		o := good
		spoil(&o)
		if err := o.Check(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: error %v does not say %q", o, err, says)
		}
		if _, _, err := wholeLoss[float64](o, nil); err == nil {
			t.Errorf("%+v: the loss is computed", o)
		}
	}
}

func TestTokenLossRefusesInputs(t *testing.T) {
	two := []float64{-1, -1}
	for says, s := range map[string]TokenSequence[float64]{
		"old":           {Logprobs: two, Reference: two, Advantages: two},
		"reference":     {Logprobs: two, Old: two, Advantages: two},
		"0 advantages":  {Logprobs: two, Old: two, Reference: two},
		"3 advantages":  {Logprobs: two, Old: two, Reference: two, Advantages: []float64{1, 2, 3}},
		"1 mask":        {Logprobs: two, Old: two, Reference: two, Advantages: two, Mask: []bool{true}},
		"advantage NaN": {Logprobs: two, Old: two, Reference: two, Advantages: []float64{1, math.NaN()}},
	} {
		_, _, err := wholeLoss(TokenObjective{Loss: GRPO, Reduction: SeqMean}, []TokenSequence[float64]{s})
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v does not say %q", err, says)
		}
		if says == "advantage NaN" && !errors.Is(err, engine.ErrNotFinite) {
			t.Errorf("%v is not %v", err, engine.ErrNotFinite)
		}
	}
	s := TokenSequence[float64]{Logprobs: two, Old: two, Advantages: two}
	if _, _, err := wholeLoss(TokenObjective{Loss: GSPO, Reduction: SeqMean}, []TokenSequence[float64]{s}); err == nil {
		t.Error("GSPO takes an advantage for each token")
	}
}
