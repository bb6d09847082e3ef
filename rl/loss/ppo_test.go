package loss

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"parley/engine"
	"parley/rl/credit"
)

// The clip values of MAPoRL §13.
func TestMAPoRLSection13Clip(t *testing.T) {
	for _, c := range []struct{ ratio, advantage, loss, grad float64 }{
		{1.5, 1, -1.2, 0}, {1.5, -1, 1.5, 1.5}, {.5, 1, -.5, -.5}, {.5, -1, .8, 0},
	} {
		s := around1(.2).Surrogate(math.Log(c.ratio), 0, c.advantage)
		if math.Abs(s.Loss-c.loss) > 1e-12 || math.Abs(s.Grad-c.grad) > 1e-12 || s.Clipped != (c.grad == 0) {
			t.Errorf("ρ %v A %v: %+v, want loss %v gradient %v", c.ratio, c.advantage, s, c.loss, c.grad)
		}
	}
	asymmetric := Clip{Low: .2, High: .5}
	if s := asymmetric.Surrogate(math.Log(1.4), 0, 1); s.Clipped {
		t.Errorf("ρ 1.4 is clipped at 1.5: %+v", s)
	}
}

// around1 is the clip range 1 ± epsilon.
func around1(epsilon float64) Clip { return Clip{Low: epsilon, High: epsilon} }

// ppoWithin is PPO's objective with a clip range.
func ppoWithin(c Clip) TokenObjective { return TokenObjective{Loss: PPO, Reduction: SeqMean, Clip: c} }

func TestSurrogateGradient(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		clip := Clip{Low: rapid.Float64Range(0, .5).Draw(t, "low"), High: rapid.Float64Range(0, .5).Draw(t, "high")}
		old, advantage := rapid.Float64Range(-3, 0).Draw(t, "old"), rapid.Float64Range(-3, 3).Draw(t, "advantage")
		logp := old + rapid.Float64Range(-1, 1).Draw(t, "moved")
		const h = 1e-6
		at := clip.Surrogate(logp, old, advantage)
		up, down := clip.Surrogate(logp+h, old, advantage), clip.Surrogate(logp-h, old, advantage)
		if up.Clipped != down.Clipped {
			return // at the kink the loss has no derivative
		}
		if numeric := (up.Loss - down.Loss) / (2 * h); math.Abs(numeric-at.Grad) > 1e-6*(1+math.Abs(at.Grad)) {
			t.Fatalf("gradient %v, finite difference %v", at.Grad, numeric)
		}
		if at.Loss < -at.Ratio*advantage-1e-12 {
			t.Fatal("clipping made the loss smaller: the surrogate is no lower bound of the objective")
		}
	})
}

// answers draws a minibatch and what an engine would say about it.
func drawAnswers(t *rapid.T) ([]TokenSequence[float32], []engine.Output) {
	n := rapid.IntRange(1, 5).Draw(t, "answers")
	answers, outputs := make([]TokenSequence[float32], n), make([]engine.Output, n)
	for i := range answers {
		tokens := rapid.IntRange(1, 6).Draw(t, "tokens")
		answers[i].Old = rapid.SliceOfN(rapid.Float32Range(-3, 0), tokens, tokens).Draw(t, "old")
		answers[i].Advantages = rapid.SliceOfN(rapid.Float64Range(-2, 2), tokens, tokens).Draw(t, "advantages")
		outputs[i].Logprobs = rapid.SliceOfN(rapid.Float32Range(-3, 0), tokens, tokens).Draw(t, "new")
	}
	return answers, outputs
}

// policyLoss is the loss of §4 written down once more: the mean over answers of the mean over tokens.
func policyLoss(clip Clip, answers []TokenSequence[float32], outputs []engine.Output) float64 {
	total := 0.0
	for i, a := range answers {
		sum := 0.0
		for x := range a.Old {
			ratio := math.Exp(float64(outputs[i].Logprobs[x]) - float64(a.Old[x]))
			clipped := math.Min(math.Max(ratio, 1-clip.Low), 1+clip.High)
			sum += math.Max(-ratio*a.Advantages[x], -clipped*a.Advantages[x])
		}
		total += sum / float64(len(a.Old))
	}
	return total / float64(len(answers))
}

func TestPolicyBatchIsTheMeanOfMeans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		answers, outputs := drawAnswers(t)
		clip := around1(.2)
		b, err := NewPolicyBatch(ppoWithin(clip), answers, 0)
		if err != nil {
			t.Fatal(err)
		}
		grads, err := b.Gradient(0, outputs)
		if err != nil {
			t.Fatal(err)
		}
		want := policyLoss(clip, answers, outputs)
		if got := b.Stats().Loss; math.Abs(got-want) > 1e-9 {
			t.Fatalf("loss %v, want %v", got, want)
		}
		i := rapid.IntRange(0, len(answers)-1).Draw(t, "answer")
		x := rapid.IntRange(0, len(answers[i].Old)-1).Draw(t, "token")
		n := float64(len(answers) * len(answers[i].Old))
		s := clip.Surrogate(float64(outputs[i].Logprobs[x]), float64(answers[i].Old[x]), answers[i].Advantages[x])
		if got := float64(grads[i].Logprobs[x]); math.Abs(got-s.Grad/n) > 1e-6*(1+math.Abs(s.Grad)) {
			t.Fatalf("gradient %v, want %v", got, s.Grad/n)
		}
	})
}

// However the engine splits a batch, gradients and statistics are the same bits; a window spread over several calls adds up
// to the whole.
func TestPolicyBatchDoesNotDependOnSplits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		answers, outputs := drawAnswers(t)
		whole, _ := NewPolicyBatch(ppoWithin(around1(.2)), answers, 0)
		split, _ := NewPolicyBatch(ppoWithin(around1(.2)), answers, 0)
		want, err := whole.Gradient(0, outputs)
		if err != nil {
			t.Fatal(err)
		}
		for first := len(outputs) - 1; first >= 0; first-- { // out of order, one by one
			got, err := split.Gradient(first, outputs[first:first+1])
			if err != nil {
				t.Fatal(err)
			}
			for x := range got[0].Logprobs {
				if got[0].Logprobs[x] != want[first].Logprobs[x] {
					t.Fatalf("answer %d: gradient %v alone, %v in the batch", first, got[0].Logprobs, want[first].Logprobs)
				}
			}
		}
		if split.Stats() != whole.Stats() {
			t.Fatalf("statistics %+v, want %+v", split.Stats(), whole.Stats())
		}
		loss := 0.0
		for i := range answers {
			part, err := NewPolicyBatch(ppoWithin(around1(.2)), answers[i:i+1], len(answers))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := part.Gradient(0, outputs[i:i+1]); err != nil {
				t.Fatal(err)
			}
			loss += part.Stats().Loss
		}
		if math.Abs(loss-whole.Stats().Loss) > 1e-9 {
			t.Fatalf("the window adds up to %v, want %v", loss, whole.Stats().Loss)
		}
	})
}

// MAPoRL §13, end to end: the first pass after a rollout has ratio 1 everywhere, clips nothing, and its loss is minus the
// averaged whitened advantage, which is 0 when all answers have the same length.
func TestFirstPassAfterRollout(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		answers, outputs := drawAnswers(t)
		var raw [][]float64
		for i := range answers {
			outputs[i].Logprobs = answers[i].Old
			raw = append(raw, answers[i].Advantages)
		}
		want := 0.0
		for i, white := range credit.Whiten(raw) {
			answers[i].Advantages = white
			for _, a := range white {
				want -= a / float64(len(white)*len(answers))
			}
		}
		b, _ := NewPolicyBatch(ppoWithin(around1(.2)), answers, 0)
		if _, err := b.Gradient(0, outputs); err != nil {
			t.Fatal(err)
		}
		s := b.Stats()
		if s.RatioMin != 1 || s.RatioMax != 1 || s.ClipFraction != 0 || s.KL != 0 || s.Drift != 0 || math.Abs(s.Loss-want) > 1e-9 {
			t.Fatalf("%+v, want loss %v", s, want)
		}
	})
}

func TestPolicyBatchRefuses(t *testing.T) {
	answer := TokenSequence[float32]{Old: []float32{-1, -1}, Advantages: []float64{1, 1}}
	for name, answers := range map[string][]TokenSequence[float32]{
		"no answers": nil, "empty answer": {{}}, "lengths": {{Old: []float32{-1}, Advantages: []float64{1, 2}}},
	} {
		if _, err := NewPolicyBatch(ppoWithin(around1(.2)), answers, 0); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := NewPolicyBatch(ppoWithin(around1(.2)), []TokenSequence[float32]{answer, answer}, 1); err == nil {
		t.Error("two answers in a window of one: no error")
	}
	b, _ := NewPolicyBatch(ppoWithin(around1(.2)), []TokenSequence[float32]{answer}, 0)
	for name, c := range map[string]struct {
		first  int
		output engine.Output
	}{
		"past the end": {1, engine.Output{Logprobs: []float32{-1, -1}}}, "before the start": {-1, engine.Output{Logprobs: []float32{-1, -1}}},
		"tokens": {0, engine.Output{Logprobs: []float32{-1}}},
	} {
		if _, err := b.Gradient(c.first, []engine.Output{c.output}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	nan := engine.Output{Logprobs: []float32{float32(math.NaN()), -1}}
	if _, err := b.Gradient(0, []engine.Output{nan}); !errors.Is(err, engine.ErrNotFinite) {
		t.Errorf("NaN: %v", err)
	}
}
