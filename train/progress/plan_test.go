package progress_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/engine/native"
	"parley/recipe"
	"parley/recipe/language"
	"parley/train"
	"parley/train/progress"
)

func loadRecipe(t *testing.T, name string, sets ...string) *recipe.Recipe {
	t.Helper()
	r, err := language.New().Load(name, sets)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func planned(t *testing.T, r *recipe.Recipe) *progress.Plan {
	t.Helper()
	p, err := progress.NewPlan(r, native.Backend{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestCounts: the tokens of several teams, two updates of three problems with answers of at most 10 tokens, counted by hand. A question has 200
// tokens, with what its prompt says around it.
func TestCounts(t *testing.T) {
	for _, c := range []struct {
		recipe           string
		sets             []string
		completions      float64 // of the six problems
		generated        float64 // at most
		least            float64
		read             float64 // at most
		trained, answers float64
	}{
		// Two agents speak twice: 6·2·2 answers. Each reads 200 tokens, then 200 and the other's 10. PPO passes four times over turn one, 200+10, and
		// turn two, 200+(2·10+200)+10, and its critic over question and answer, 200+10, of each.
		{"debate-sums", []string{"ppo.epochs=4"}, 24, 240, 12, 6 * 2 * (200 + 210), 6 * 2 * 4 * (210 + 430 + 2*210), 4 * 2 * 2 * 2},
		// A pair gives four answers each to one question, and each is trained on once.
		{"magrpo-tiny", []string{"group.size=4"}, 48, 480, 48, 48 * 200, 48 * 210, 4 * 2 * 2},
		// Writer, critic and editor in four whole episodes each. Each of 72 answers is in one of three turns: it reads 200 tokens, and behind the first
		// turn two others' 10; it is trained on with all before it, 210, 440 or 670 tokens. Any step may be left out, so six are certain.
		{"chain-tiny", []string{"group.size=4"}, 72, 720, 6, 24*200 + 48*220, 24 * (210 + 440 + 670), 4 * 2 * 3},
		// One agent alone.
		{"single-tiny", []string{"group.size=4"}, 24, 240, 24, 24 * 200, 24 * 210, 4 * 2},
	} {
		sets := append(c.sets, "training.updates=2", "training.problems=3", "sampling.max_tokens=10", "sampling.min_tokens=0", "eval.problems=4", "eval.baselines=[]")
		p := planned(t, loadRecipe(t, c.recipe, sets...))
		got := []float64{
			p.Phases[progress.PhaseRollouts].Requests.High, p.Phases[progress.PhaseRollouts].Generated.High, p.Phases[progress.PhaseRollouts].Generated.Low,
			p.Phases[progress.PhaseRollouts].Read.High, p.Phases[progress.PhaseTraining].Trained.High, p.Phases[progress.PhaseEvaluation].Requests.High,
		}
		want := []float64{c.completions, c.generated, c.least, c.read, c.trained, c.answers}
		for i, what := range []string{"completions", "generated at most", "generated at least", "read at most", "trained at most", "held-out answers"} {
			if math.Abs(got[i]-want[i]) > 1e-6*want[i] {
				t.Errorf("%s: %s %v, want %v", c.recipe, what, got[i], want[i])
			}
		}
	}
}

// TestBounds: what tiny recipes then really generate lies between the bounds of their plans, and so does a plan anew after the first update.
// TestLongBounds does the same with other algorithms.
func TestBounds(t *testing.T) { bounds(t, "magrpo-tiny-cross", "chain-tiny", "kuhn-selfplay-tiny") }

func bounds(t *testing.T, recipes ...string) {
	t.Helper()
	for _, name := range recipes {
		t.Run(name, func(t *testing.T) {
			r := loadRecipe(t, name, "training.updates=2", "training.problems=2", "eval.problems=2", "eval.baselines=[]", "eval.examples=0")
			p := planned(t, r)
			dir := filepath.Join(t.TempDir(), "run")
			o := train.Options{Recipe: r, Backend: native.Backend{}, Language: r.Language(), Dir: dir, MaxUpdates: 1}
			if _, err := train.Run(context.Background(), o); err != nil {
				t.Fatal(err)
			}
			first, err := progress.MeasuredPlan(dir)
			if err != nil || first.Updates != 1 || first.Generated <= 0 || first.Seconds <= 0 {
				t.Fatalf("%+v, %v", first, err)
			}
			again, err := progress.Replan(r, native.Backend{}, first)
			if err != nil || again.Measured != 1 || again.Hours == nil || !(again.Hours.Low <= again.Hours.Likely && again.Hours.Likely <= again.Hours.High) {
				t.Fatalf("%+v, %v", again, err)
			}
			o.Recipe, o.Resume, o.MaxUpdates = nil, true, -1
			if _, err := train.Run(context.Background(), o); err != nil {
				t.Fatal(err)
			}
			done, err := progress.MeasuredPlan(dir)
			if err != nil || done.Updates != 2 {
				t.Fatalf("%+v, %v", done, err)
			}
			between(t, "tokens generated", p.Phases[progress.PhaseRollouts].Generated, done.Generated)
			between(t, "completions", p.Phases[progress.PhaseRollouts].Requests, float64(done.Completions))
			between(t, "optimizer steps", p.Phases[progress.PhaseTraining].Requests, float64(done.Steps))
			exact, err := progress.Replan(r, native.Backend{}, done)
			if err != nil {
				t.Fatal(err)
			}
			if g := exact.Phases[progress.PhaseRollouts].Generated; g.Low != done.Generated || g.High != done.Generated {
				t.Errorf("a run that is done has generated %v, and its plan says %+v", done.Generated, g)
			}
		})
	}
}

func between(t *testing.T, what string, r progress.Range, measured float64) {
	t.Helper()
	if !(r.Low <= measured && measured <= r.High && r.Low <= r.Likely && r.Likely <= r.High) {
		t.Errorf("%s: %v measured, planned %+v", what, measured, r)
	}
}

// TestCost: at 10 tokens a second of each sort, a thousand of each and two thousand to measure are as many seconds; money follows by hand.
func TestCost(t *testing.T) {
	prices, err := progress.ParsePrices([]byte("currency: EUR\nhour: 36\nmillion_tokens: {generated: 10, read: 1, trained: 100}\ntokens_per_second: {generated: 10, read: 100, trained: 20}\n"))
	if err != nil {
		t.Fatal(err)
	}
	thousand := progress.Range{Low: 500, Likely: 1000, High: 2000}
	p := &progress.Plan{Phases: []progress.Phase{{Generated: thousand, Read: thousand}, {}, {Trained: thousand}, {}}}
	p.At(prices.Speed)
	p.Price(prices)
	// 1000/10 + 1000/100 + 1000/20 = 160 seconds are 1.60; the tokens 0.01 + 0.001 + 0.1 = 0.111.
	if got := p.Hours.Likely * 3600; math.Abs(got-160) > 1e-9 {
		t.Errorf("%v seconds, want 160", got)
	}
	if c := p.Cost; c.Currency != "EUR" || math.Abs(c.Likely-1.711) > 1e-9 || math.Abs(c.Low-1.711/2) > 1e-9 || math.Abs(c.High-1.711*2) > 1e-9 || math.Abs(c.Tokens.Likely-0.111) > 1e-12 {
		t.Errorf("%+v", c)
	}
}

// TestPricesRefused: a price list with a slip says which.
func TestPricesRefused(t *testing.T) {
	for text, want := range map[string]string{
		"hour: -1":                          "the price -1 is not a number",
		"hour: .nan":                        "is not a number",
		"hours: 2":                          "hours",
		"hour: [":                           "",
		"currency: \"\"":                    "the currency is",
		"tokens_per_second: {generated: 1}": "each above 0",
	} {
		if _, err := progress.ParsePrices([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := progress.ReadPrices(filepath.Join(t.TempDir(), "none")); !os.IsNotExist(unwrapped(err)) {
		t.Errorf("%v", err)
	}
}

func unwrapped(err error) error {
	if u, is := err.(interface{ Unwrap() error }); is {
		return u.Unwrap()
	}
	return err
}

// FuzzPrices: whatever a price list says, it is read or refused, and what is read has figures that can be computed with.
func FuzzPrices(f *testing.F) {
	f.Add([]byte("hour: 2.5"))
	f.Add([]byte("tokens_per_second: {generated: 1, read: 1, trained: 1}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := progress.ParsePrices(data)
		if err == nil && (!(p.Hour >= 0) || p.Speed != nil && !(p.Speed.Read > 0)) {
			t.Errorf("%+v", p)
		}
	})
}

// TestPricesBounded: no more of a price list is read than one has, and nothing of what is no file.
func TestPricesBounded(t *testing.T) {
	long := filepath.Join(t.TempDir(), "long.yaml")
	if err := os.WriteFile(long, []byte("hour: 1\n"+strings.Repeat("#\n", 1<<16)), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{long: "longer than", os.DevNull: "a device", filepath.Dir(long): "a folder"} {
		if _, err := progress.ReadPrices(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}
