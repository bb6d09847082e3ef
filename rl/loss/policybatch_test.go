package loss

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/engine"
)

// narrowed returns what an engine's learner has of sequences, and what the engine says of them.
func narrowed(sequences []TokenSequence[float64]) (known []TokenSequence[float32], outputs []engine.Output) {
	for _, s := range sequences {
		known = append(known, TokenSequence[float32]{
			Old: float32s(s.Old), Reference: float32s(s.Reference), Advantages: s.Advantages, Mask: s.Mask,
		})
		outputs = append(outputs, engine.Output{Logprobs: float32s(s.Logprobs)})
	}
	return known, outputs
}

func float32s(x []float64) []float32 {
	y := make([]float32, len(x))
	for i, v := range x {
		y[i] = float32(v)
	}
	return y
}

// The engine's loss is the pure one, in however many pieces the outputs come.
func TestTokenBatchIsTheTokenLoss(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawObjective(t)
		known, outputs := narrowed(drawSequences(t, o, 1))
		b, err := NewTokenBatch(o, known)
		if err != nil {
			t.Fatal(err)
		}
		var grads []engine.Gradient
		for first := 0; first < len(outputs); {
			n := rapid.IntRange(1, len(outputs)-first).Draw(t, "piece")
			piece, err := b.Gradient(first, outputs[first:first+n])
			if err != nil {
				t.Fatal(err)
			}
			grads = append(grads, piece...)
			first += n
		}
		for i := range known {
			known[i].Logprobs = outputs[i].Logprobs
		}
		loss, want, err := wholeLoss(o, known)
		if err != nil {
			t.Fatal(err)
		}
		for i, g := range grads {
			if !slices.Equal(g.Logprobs, float32s(want[i])) {
				t.Fatalf("%s: gradient %v, want %v", o.Loss, g.Logprobs, want[i])
			}
		}
		if got := b.Stats().Loss; math.Abs(got-loss) > 1e-12*(1+math.Abs(loss)) {
			t.Fatalf("%s: loss %v, want %v", o.Loss, got, loss)
		}
	})
}

// Statistics leave masked tokens out, and count GSPO's ratio for each token of the sequence.
func TestTokenBatchStats(t *testing.T) {
	o := TokenObjective{Loss: GSPO, Reduction: SeqMean, Clip: around1(0.2)}
	b, err := NewTokenBatch(o, []TokenSequence[float32]{
		{Old: []float32{-1, -1, -9}, Advantages: []float64{1}, Mask: []bool{true, true, false}},
		{Old: []float32{-2}, Advantages: []float64{1}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Gradient(0, []engine.Output{{Logprobs: []float32{-0.5, -0.5, -1}}, {Logprobs: []float32{-2}}}); err != nil {
		t.Fatal(err)
	}
	s := b.Stats()
	if s.Tokens != 3 || math.Abs(s.ClipFraction-2./3) > 1e-12 || math.Abs(s.RatioMax-math.Exp(0.5)) > 1e-12 || s.RatioMin != 1 ||
		math.Abs(s.Loss-(-1.2-1)/2) > 1e-12 {
		t.Errorf("%+v", s)
	}
}

func TestTokenBatchRefuses(t *testing.T) {
	good := TokenObjective{Loss: REINFORCE, Reduction: TokenMean}
	sequence := TokenSequence[float32]{Old: []float32{-1}, Advantages: []float64{1}}
	for name, build := range map[string]func() (*PolicyBatch, error){
		"loss": func() (*PolicyBatch, error) { return NewTokenBatch(TokenObjective{Reduction: TokenMean}, nil) },
		"no old": func() (*PolicyBatch, error) {
			return NewTokenBatch(good, []TokenSequence[float32]{{Advantages: []float64{1}}})
		},
		"advantages": func() (*PolicyBatch, error) {
			return NewTokenBatch(good, []TokenSequence[float32]{{Old: []float32{-1}}})
		},
	} {
		if _, err := build(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	b, err := NewTokenBatch(good, []TokenSequence[float32]{sequence})
	if err != nil {
		t.Fatal(err)
	}
	for name, logprobs := range map[string][]float32{"length": {-1, -1}, "not finite": {float32(math.Inf(-1))}} {
		if _, err := b.Gradient(0, []engine.Output{{Logprobs: logprobs}}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
