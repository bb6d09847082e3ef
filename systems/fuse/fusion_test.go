package fuse_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"parley/systems/fuse"
)

// three are the teachers that the specification works out.
var three = []fuse.Teacher{{CE: 1.2, Tokens: 10, Chars: 40}, {CE: .8, Tokens: 10, Chars: 40}, {CE: 2, Tokens: 10, Chars: 40}}

func choose(t rapid.TB, how string, teachers []fuse.Teacher) fuse.Choice {
	t.Helper()
	c, err := fuse.Objective{Fusion: how, Per: fuse.PerToken}.Choose(teachers)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func near(t rapid.TB, what string, got, want, by float64) {
	t.Helper()
	if !(math.Abs(got-want) <= by) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func TestNumbersOfTheSpecification(t *testing.T) {
	cheapest, mixture := choose(t, fuse.MinCE, three), choose(t, fuse.AvgCE, three)
	if cheapest.Chosen != 1 || mixture.Chosen != -1 {
		t.Errorf("%+v, %+v", cheapest, mixture)
	}
	for j, want := range []float64{.332576, .385678, .281747} {
		near(t, "weight", mixture.Weights[j], want, 1e-6)
	}
	for _, c := range []struct {
		s      fuse.Schedule
		choice fuse.Choice
		want   float64
	}{
		{fuse.Schedule{Kind: fuse.Fixed, Value: .9}, cheapest, .9},
		{fuse.Schedule{Kind: fuse.Linear, Value: .9}, cheapest, .95},
		{fuse.Schedule{Kind: fuse.Dynamic}, cheapest, .550671},
		{fuse.Schedule{Kind: fuse.Dynamic}, mixture, .704714},
	} {
		got, err := c.s.At(50, 100, c.choice)
		if err != nil {
			t.Error(err)
		}
		near(t, c.s.Kind, got, c.want, 1e-6)
	}
	logits := []float64{math.Log(.5), math.Log(.3), math.Log(.2)}
	p := fuse.Place(logits, 0, fuse.Target{IDs: []int{0, 1}, Probs: []float64{.731058578630005, .268941421369995}}, 0, fuse.CrossEntropy)
	near(t, "soft cross-entropy", p.Fusion, .830529, 1e-6)
}

func TestWrongWords(t *testing.T) {
	for _, o := range []fuse.Objective{{Fusion: "mean", Per: fuse.PerToken}, {Fusion: fuse.MinCE, Per: "word"}} {
		if _, err := o.Choose(three); err == nil {
			t.Errorf("no error for %+v", o)
		}
	}
	if _, err := (fuse.Objective{Fusion: fuse.MinCE, Per: fuse.PerToken}).Choose(nil); err == nil {
		t.Error("no error without teachers")
	}
	if _, err := (fuse.Objective{Fusion: fuse.MinCE, Per: fuse.PerChar}).Choose([]fuse.Teacher{{CE: 1, Tokens: 1}}); err == nil {
		t.Error("no error for a text without characters")
	}
	if _, err := (fuse.Schedule{Kind: "cosine"}).At(0, 1, fuse.Choice{}); err == nil {
		t.Error("no error for a schedule of another name")
	}
}

// target draws a distribution over some of n tokens.
func target(t *rapid.T, n int) fuse.Target {
	out := fuse.Target{IDs: rapid.Permutation([]int{0, 1, 2, 3, 4}[:n]).Draw(t, "ids")[:rapid.IntRange(1, n).Draw(t, "kept")]}
	sum := 0.0
	for range out.IDs {
		p := rapid.Float64Range(.01, 1).Draw(t, "p")
		out.Probs, sum = append(out.Probs, p), sum+p
	}
	for i := range out.Probs {
		out.Probs[i] /= sum
	}
	return out
}

func logits(t *rapid.T) []float64 {
	return rapid.SliceOfN(rapid.Float64Range(-3, 3), 5, 5).Draw(t, "logits")
}

// TestLambdaOne: at λ = 1 the loss and the gradient do not depend on the target in a single bit.
func TestLambdaOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, gold := logits(t), rapid.IntRange(0, 4).Draw(t, "gold")
		plain := fuse.Place(x, gold, fuse.Target{}, 1, fuse.CrossEntropy)
		got := fuse.Place(x, gold, target(t, 5), 1, rapid.SampledFrom([]fuse.Form{fuse.CrossEntropy, fuse.KL}).Draw(t, "form"))
		if got.Loss != plain.CLM || got.CLM != plain.CLM {
			t.Fatalf("%v, want %v", got.Loss, plain.CLM)
		}
		for i := range x {
			if got.Grad[i] != plain.Grad[i] {
				t.Fatalf("gradient %v, want %v", got.Grad, plain.Grad)
			}
		}
	})
}

// TestGradient: it is that of the loss, sums to zero, and the form does not change it. The KL form is never negative.
func TestGradient(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, gold, q, lambda := logits(t), rapid.IntRange(0, 4).Draw(t, "gold"), target(t, 5), rapid.Float64Range(0, 1).Draw(t, "lambda")
		at := func() fuse.PlaceLoss { return fuse.Place(x, gold, q, lambda, fuse.CrossEntropy) }
		got, sum := at(), 0.0
		const step = 1e-5
		for i, v := range x {
			x[i] = v + step
			above := at().Loss
			x[i] = v - step
			below := at().Loss
			x[i] = v
			near(t, "gradient", got.Grad[i], (above-below)/(2*step), 1e-6)
			sum += got.Grad[i]
		}
		near(t, "sum of the gradient", sum, 0, 1e-12)
		kl := fuse.Place(x, gold, q, lambda, fuse.KL)
		if kl.Fusion < -1e-12 {
			t.Fatalf("divergence %v", kl.Fusion)
		}
		for i := range x {
			if kl.Grad[i] != got.Grad[i] {
				t.Fatalf("%v and %v", kl.Grad, got.Grad)
			}
		}
	})
}

// TestMixture: targets of a mixture sum to 1 and lie between the teachers'.
func TestMixture(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := []fuse.Target{target(t, 5), target(t, 5), target(t, 5)}
		mixed, sum := choose(t, fuse.AvgCE, three).Target(rows), 0.0
		for i, id := range mixed.IDs {
			sum += mixed.Probs[i]
			most := 0.0
			for _, r := range rows {
				for k := range r.IDs {
					if r.IDs[k] == id {
						most = max(most, r.Probs[k])
					}
				}
			}
			if mixed.Probs[i] > most+1e-12 {
				t.Fatalf("token %d has %v, at most %v at any teacher", id, mixed.Probs[i], most)
			}
		}
		near(t, "sum", sum, 1, 1e-12)
	})
}

// TestMix: the loss of a place is the cross-entropy of the mixed target; at λ = 1 that is the gold token alone, at 0 what the teachers say.
func TestMix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, gold, q := logits(t), rapid.IntRange(0, 4).Draw(t, "gold"), target(t, 5)
		lambda := rapid.OneOf(rapid.Just(0.), rapid.Just(1.), rapid.Float64Range(0, 1)).Draw(t, "lambda")
		mixed := fuse.Mix(gold, q, lambda)
		want := fuse.Place(x, gold, q, lambda, fuse.CrossEntropy).Loss
		near(t, "cross-entropy", fuse.Place(x, gold, mixed, 0, fuse.CrossEntropy).Fusion, want, 1e-12)
		if lambda == 1 && (len(mixed.IDs) != 1 || mixed.IDs[0] != gold || mixed.Probs[0] != 1) || lambda == 0 && len(mixed.IDs) != len(q.IDs) {
			t.Fatalf("%+v of %+v", mixed, q)
		}
	})
}

// TestMean: places are averaged, those that do not count are not added.
func TestMean(t *testing.T) {
	m := fuse.Mean{Places: 2}
	for _, p := range []fuse.PlaceLoss{{CLM: 2, Fusion: 1, Loss: 1.9, Grad: []float64{1}}, {CLM: 2, Fusion: 2, Loss: 2, Grad: []float64{3}}} {
		if g := m.Add(p); g[0] != p.Grad[0] || g[0] > 1.5 {
			t.Errorf("gradient %v", g)
		}
	}
	near(t, "loss", m.Loss, 1.95, 1e-15)
	near(t, "fusion", m.Fusion, 1.5, 1e-15)
}
