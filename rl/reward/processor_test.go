package reward

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func process(t *testing.T, text string) Processor {
	t.Helper()
	p, err := ParseProcessor(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestProcessors(t *testing.T) {
	for _, c := range []struct {
		processor    Processor
		reward, want float64
		tokens       int
	}{
		{process(t, "identity"), 3, 3, 9},
		{process(t, "clamp"), 11, 10, 9},
		{process(t, "clamp 0 1"), -2, 0, 9},
		{process(t, "scale 2"), 3, 6, 9},
		{process(t, "shift -4"), 3, -1, 9},
		{process(t, "sigmoid_scale"), 0, .5, 9},
		{process(t, " sigmoid_scale  2 "), 1, 1 / (1 + math.Exp(-2)), 9},
		{process(t, "exp_scale"), 1, math.E, 9},
		{process(t, "exp_scale .5"), 2, math.E, 9},
		{process(t, "length_normalize"), 3, 1, 300},
		{process(t, "length_normalize 10"), 3, 3, 5},
		{Chain{Scale(1), Shift(-4)}, 5, 1, 9},
		{Chain{}, 5, 5, 9},
		{Chain{Clamp(0, 2), Scale(3)}, 5, 6, 9},
	} {
		if got := c.processor.Process(c.reward, c.tokens); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v becomes %v, want %v", c.reward, got, c.want)
		}
	}
}

// Whatever is processed stays inside the range that was declared.
func TestProcessorRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := []Processor{
			Identity(), Clamp(-1, 2), Scale(rapid.Float64Range(-2, 2).Draw(t, "factor")), Shift(-4), SigmoidScale(1), LengthNormalise(20), ExpScale(.5),
		}
		chain := Chain(rapid.SliceOfN(rapid.SampledFrom(all), 0, 4).Draw(t, "chain"))
		least := rapid.Float64Range(-3, 3).Draw(t, "least")
		greatest := least + rapid.Float64Range(0, 3).Draw(t, "width")
		r := least + (greatest-least)*rapid.Float64Range(0, 1).Draw(t, "at")
		low, high := chain.Range(least, greatest)
		got := chain.Process(r, rapid.IntRange(0, 400).Draw(t, "tokens"))
		if slack := 1e-9 * (1 + math.Abs(got)); got < low-slack || got > high+slack {
			t.Fatalf("%v becomes %v, outside [%v, %v]", r, got, low, high)
		}
	})
}

func TestProcessorsThatAreRefused(t *testing.T) {
	for text, says := range map[string]string{
		"magic": "not known", "": "without a name", "scale 1 2": "takes 1 numbers, not 2", "clamp 2 1": "2 is above 1", "length_normalize 0": "more than 0 tokens",
		"identity 1": "takes 0 numbers", "shift much": `"much" is no number`, "shift NaN": "no number",
	} {
		if _, err := ParseProcessor(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: error %v, want one that says %q", text, err, says)
		}
	}
}
