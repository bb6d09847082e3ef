package sweet_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"parley/rl/loss"
	"parley/systems/sweet"
)

// of is a dialogue of log-ratios, against a reference of −1 for every token.
func of(ratios ...[]float64) sweet.Dialogue {
	var d sweet.Dialogue
	for _, turn := range ratios {
		var logps, reference []float64
		for _, x := range turn {
			logps, reference = append(logps, x-1), append(reference, -1)
		}
		d.Logps, d.Reference = append(d.Logps, logps), append(d.Reference, reference)
	}
	return d
}

func pair(t rapid.TB, o sweet.Objective, chosen, rejected sweet.Dialogue) sweet.Result {
	t.Helper()
	r, err := o.Pair(chosen, rejected)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func near(t rapid.TB, what string, got, want, by float64) {
	t.Helper()
	if !(math.Abs(got-want) <= by) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

// TestNumbersOfTheSpecification: the pairs that are worked out there.
func TestNumbersOfTheSpecification(t *testing.T) {
	single := func(logp, reference float64) sweet.Dialogue {
		return sweet.Dialogue{Logps: [][]float64{{logp}}, Reference: [][]float64{{reference}}}
	}
	o := sweet.Objective{Beta: 0.2, Reduction: sweet.Sum}
	near(t, "DPO", pair(t, o, single(-10, -11), single(-12, -11.5)).Loss, 0.554355, 1e-6)
	near(t, "margin of the swapped pair", pair(t, o, single(-12, -11.5), single(-10, -11)).Margin, -0.3, 1e-12)
	near(t, "at the reference", pair(t, o, single(-3, -3), single(-4, -4)).Loss, math.Ln2, 1e-15)

	better, worse := of([]float64{.4, -.2}, []float64{.3, .3, 0}), of([]float64{-.1}, []float64{.1, -.5})
	o = sweet.Objective{Beta: 0.1, Reduction: sweet.TurnMean}
	near(t, "critic", pair(t, o, better, worse).Loss, 0.663597, 1e-6)
	o.Reduction = sweet.TokenMean
	r := pair(t, o, better, worse)
	near(t, "margin per token", r.Margin, 0.0326667, 1e-7)
	near(t, "critic per token", r.Loss, 0.676947, 1e-6)
	a, err := sweet.Advantages(of([]float64{.4, -.2}, nil))
	if err != nil || math.Abs(a[0]-.1) > 1e-12 || a[1] != 0 {
		t.Errorf("advantages %v, %v", a, err)
	}
}

// TestLengthDoesNotDecide: equal log-ratios are equally good in a short and in a long reply. Without the mean the short one wins.
func TestLengthDoesNotDecide(t *testing.T) {
	long := make([]float64, 10)
	for i := range long {
		long[i] = -.1
	}
	for reduction, want := range map[sweet.Reduction]float64{sweet.TurnMean: 0, sweet.Sum: .9} {
		r := pair(t, sweet.Objective{Beta: 1, Reduction: reduction}, of([]float64{-.1}), of(long))
		near(t, string(reduction), r.Margin, want, 1e-12)
	}
}

func drawn(t *rapid.T) sweet.Dialogue {
	token := rapid.Float64Range(-3, 0)
	turns := rapid.SliceOfN(rapid.SliceOfN(token, 0, 4), 1, 4).Draw(t, "turns")
	d := sweet.Dialogue{Logps: turns}
	for _, turn := range turns {
		d.Reference = append(d.Reference, rapid.SliceOfN(token, len(turn), len(turn)).Draw(t, "reference"))
	}
	return d
}

func objective(t *rapid.T) sweet.Objective {
	return sweet.Objective{
		Beta: rapid.Float64Range(.05, 2).Draw(t, "beta"), NLL: rapid.SampledFrom([]float64{0, .01, .5}).Draw(t, "nll"),
		Reduction: rapid.SampledFrom([]sweet.Reduction{sweet.Sum, sweet.TurnMean, sweet.TokenMean}).Draw(t, "reduction"),
	}
}

func TestSwappedPairHasTheOppositeMargin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, a, b := objective(t), drawn(t), drawn(t)
		r, s := pair(t, o, a, b), pair(t, o, b, a)
		if r.Margin != -s.Margin {
			t.Fatalf("%v and %v", r.Margin, s.Margin)
		}
		// log σ(m) − log σ(−m) = m
		near(t, "difference of the losses", s.DPO-r.DPO, r.Margin, 1e-9)
	})
}

// TestGradients: they are those of the loss, by central differences.
func TestGradients(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, a, b := objective(t), drawn(t), drawn(t)
		r := pair(t, o, a, b)
		const step = 1e-5
		for side, d := range []sweet.Dialogue{a, b} {
			grads := [][][]float64{r.ChosenGrad, r.RejectedGrad}[side]
			for i := range d.Logps {
				for l, x := range d.Logps[i] {
					d.Logps[i][l] = x + step
					above := pair(t, o, a, b).Loss
					d.Logps[i][l] = x - step
					below := pair(t, o, a, b).Loss
					d.Logps[i][l] = x
					near(t, "gradient", grads[i][l], (above-below)/(2*step), 1e-6)
				}
			}
		}
	})
}

// TestOneTurnIsDPO bit for bit, and at the reference every advantage is zero.
func TestOneTurnIsDPO(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(-4, 0), 4, 4).Draw(t, "logps")
		a := sweet.Dialogue{Logps: [][]float64{{x[0]}}, Reference: [][]float64{{x[1]}}}
		b := sweet.Dialogue{Logps: [][]float64{{x[2]}}, Reference: [][]float64{{x[3]}}}
		want, grad := loss.DPO(loss.JointPreference{Winner: x[0] - x[1], Loser: x[2] - x[3]}, .2, 0)
		r := pair(t, sweet.Objective{Beta: .2, Reduction: sweet.Sum}, a, b)
		if r.Loss != want || r.ChosenGrad[0][0] != grad || r.RejectedGrad[0][0] != -grad {
			t.Fatalf("%+v, want %v and %v", r, want, grad)
		}
		d := drawn(t)
		d.Reference = d.Logps
		advantages, err := sweet.Advantages(d)
		for _, a := range advantages {
			if a != 0 || err != nil {
				t.Fatalf("%v, %v", advantages, err)
			}
		}
	})
}

func TestWrongDialogues(t *testing.T) {
	o := sweet.Objective{Beta: 1, Reduction: sweet.Sum}
	good := of([]float64{.1})
	for _, bad := range []sweet.Dialogue{{Logps: [][]float64{{1}}}, {Logps: [][]float64{{1, 2}}, Reference: [][]float64{{1}}}} {
		if _, err := o.Pair(good, bad); err == nil {
			t.Errorf("no error for %v", bad)
		}
		if _, err := o.Pair(bad, good); err == nil {
			t.Errorf("no error for %v", bad)
		}
		if _, err := sweet.Advantages(bad); err == nil {
			t.Errorf("no error for %v", bad)
		}
	}
	if _, err := (sweet.Objective{Reduction: "mean"}).Pair(good, good); err == nil {
		t.Error("no error for a reduction of another name")
	}
	sum := .1 // and .2: more than .3 by rounding
	sum += .2
	if _, ok, err := o.Compare(good, good, sum, .3); ok || err != nil {
		t.Errorf("equal rewards make a pair: %v, %v", ok, err)
	}
}
