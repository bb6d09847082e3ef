package tinker

import (
	"context"
	"errors"
	"math"
	"net/http"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"parley/engine"
	"parley/engine/native"
	"parley/internal/seed"
)

var adam = engine.Adam{LR: 0.01, Beta1: 0.9, Beta2: 0.95, Eps: 1e-8, WeightDecay: 0.01}

// twin is the server's engine by itself, with the policy that a server makes of a specification.
func twin(t *testing.T, policies ...engine.PolicySpec) *native.Engine {
	t.Helper()
	e := openNative(t)
	for _, spec := range policies {
		spec.Alpha, spec.ValueHead, spec.Seed = 32, false, uint64(bits31(seed.Derive(spec.Seed, "adapter")))
		if err := e.NewPolicy(t.Context(), "p", spec); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

var spec = engine.PolicySpec{Rank: 4, Seed: 9}

// data are some sequences of unlike lengths.
func data() []engine.Datum {
	text := func(start, n int) []int {
		out := make([]int, n)
		for i := range out {
			out[i] = (start*7 + i*5 + 1) % tiny.Vocab
		}
		return out
	}
	return []engine.Datum{
		{Policy: "p", Tokens: text(0, 11), ScoreFrom: 3},
		{Policy: "p", Tokens: text(1, 11), ScoreFrom: 1},
		{Policy: "p", Tokens: text(2, 4), ScoreFrom: 2},
		{Policy: "p", Tokens: text(3, 9), ScoreFrom: 2, Given: [][2]int{{4, 6}}},
	}
}

// uneven is a loss with slopes of both signs, that depend on the log-probabilities.
func uneven(first int, outputs []engine.Output) ([]engine.Gradient, error) {
	out := make([]engine.Gradient, len(outputs))
	for i, o := range outputs {
		for j, p := range o.Logprobs {
			out[i].Logprobs = append(out[i].Logprobs, float32(math.Cos(float64(first+i*3+j)))*(1+0.1*p))
		}
	}
	return out, nil
}

// train takes steps, each on two calls.
func train(t *testing.T, e engine.Engine, steps int) (last engine.StepInfo) {
	t.Helper()
	for range steps {
		for _, part := range [][]engine.Datum{data()[:3], data()[3:]} {
			if err := e.ForwardBackward(t.Context(), part, uneven); err != nil {
				t.Fatal(err)
			}
		}
		var err error
		if last, err = e.Step(t.Context(), "p", adam); err != nil {
			t.Fatal(err)
		}
	}
	return last
}

func scores(t *testing.T, e engine.Engine) (out []float32) {
	t.Helper()
	all, err := e.Forward(t.Context(), data())
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range all {
		out = append(out, o.Logprobs...)
	}
	return out
}

func gap(a, b []float32) float64 {
	most := 0.0
	for i := range a {
		most = max(most, math.Abs(float64(a[i]-b[i])))
	}
	return most
}

// TestEqualGradients: three steps of AdamW over the protocol make the policy that they make on the embedded engine, on servers that sum and on
// servers that average.
func TestEqualGradients(t *testing.T) {
	for name, mean := range map[string]bool{"sum": false, "mean": true} {
		t.Run(name, func(t *testing.T) {
			s, at := serve(t, nil)
			s.Mean = mean
			here, there := twin(t, spec), dial(t, at)
			if there.Profile().Mean != mean || !there.Profile().Cispo || !there.Profile().Targets || !there.Profile().Clips || there.Profile().Leaks != mean {
				t.Fatalf("profile %+v", there.Profile())
			}
			if err := there.NewPolicy(t.Context(), "p", spec); err != nil {
				t.Fatal(err)
			}
			before := scores(t, here)
			want, got := train(t, here, 3), train(t, there, 3)
			a, b := scores(t, here), scores(t, there)
			if off := gap(a, b); off > 2e-5 || gap(a, before) < 0.1 {
				t.Errorf("log-probabilities are %g apart after steps that moved them by %g", off, gap(a, before))
			}
			if math.Abs(want.GradNorm-got.GradNorm) > 1e-4*want.GradNorm {
				t.Errorf("the gradient has norm %v, on the embedded engine %v", got.GradNorm, want.GradNorm)
			}
		})
	}
}

// TestHome: what Save brings home loads in the embedded engine and computes the same; what it keeps on the server goes on as if nothing had
// been.
func TestHome(t *testing.T) {
	_, at := serve(t, nil)
	there := dial(t, at)
	if err := there.NewPolicy(t.Context(), "p", spec); err != nil {
		t.Fatal(err)
	}
	train(t, there, 2)
	dir := filepath.Join(t.TempDir(), "policy")
	if err := there.Save(t.Context(), "p", dir); err != nil {
		t.Fatal(err)
	}
	here := openNative(t)
	if err := here.Load(t.Context(), "p", dir); err != nil {
		t.Fatal(err)
	}
	if off := gap(scores(t, here), scores(t, there)); off > 1e-4 {
		t.Errorf("log-probabilities at home are %g apart", off)
	}
	again := dial(t, at)
	if err := again.Load(t.Context(), "p", dir); err != nil {
		t.Fatal(err)
	}
	train(t, there, 2)
	train(t, again, 2)
	if a, b := scores(t, there), scores(t, again); !slices.Equal(a, b) {
		t.Errorf("a policy that was loaded goes on %g apart", gap(a, b))
	}
	other := openNative(t)
	if err := other.NewPolicy(t.Context(), "p", engine.PolicySpec{Rank: 4, Alpha: 8}); err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(t.TempDir(), "embedded")
	if err := other.Save(t.Context(), "p", dir); err != nil {
		t.Fatal(err)
	}
	if err := there.Load(t.Context(), "q", dir); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("an adapter of the embedded engine was loaded: %v", err)
	}
}

// TestValues: values are the difference of two log-probabilities, less that of the base, and a step on a loss of values is the embedded engine's on
// those log-probabilities: a linear head whose read-out is frozen.
func TestValues(t *testing.T) {
	_, at := serve(t, nil)
	here, there := twin(t, spec), dial(t, at)
	head := spec
	head.ValueHead = true
	if err := there.NewPolicy(t.Context(), "p", head); err != nil {
		t.Fatal(err)
	}
	d := data()[0]
	d.ValuesOnly = true
	values := func() []float32 {
		out, err := there.Forward(t.Context(), []engine.Datum{d})
		if err != nil || out[0].Logprobs != nil {
			t.Fatal(out, err)
		}
		return out[0].Values
	}
	if first := values(); len(first) != d.Asked()+1 || gap(first, make([]float32, len(first))) != 0 {
		t.Errorf("values begin with %v", first)
	}
	sgd := engine.Adam{LR: 100, Eps: 1e5}
	squares := func(_ int, o []engine.Output) ([]engine.Gradient, error) {
		g := make([]float32, len(o[0].Values))
		for i, v := range o[0].Values {
			g[i] = v - float32(i)
		}
		return []engine.Gradient{{Values: g}}, nil
	}
	for range 3 {
		if err := there.ForwardBackward(t.Context(), []engine.Datum{d}, squares); err != nil {
			t.Fatal(err)
		}
		if _, err := there.Step(t.Context(), "p", sgd); err != nil {
			t.Fatal(err)
		}
		embeddedValues(t, here, d, func(values []float32) []float32 {
			g, _ := squares(0, []engine.Output{{Values: values}})
			return g[0].Values
		})
		if _, err := here.Step(t.Context(), "p", sgd); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := values(), embeddedValues(t, here, d, nil); gap(got, want) > 1e-5 || gap(want, make([]float32, len(want))) < 1e-2 {
		t.Errorf("values %v, on the embedded engine %v", got, want)
	}
}

// embeddedValues are those of the embedded engine by soft targets, which may be any token; slopes takes the gradient of a loss.
func embeddedValues(t *testing.T, e *native.Engine, d engine.Datum, slopes func(values []float32) []float32) []float32 {
	t.Helper()
	whole := engine.Datum{Policy: d.Policy, Tokens: append(slices.Clone(d.Tokens), 0), ScoreFrom: 1}
	from := d.ScoreFrom - 1
	token := func(id int) [][]engine.Target {
		out := make([][]engine.Target, len(d.Tokens))
		for i := range out {
			out[i] = []engine.Target{{Token: id, Mass: 1}}
		}
		return out
	}
	both := func(p engine.Policy) []engine.Datum {
		one := whole
		one.Policy = p
		return []engine.Datum{one, one}
	}
	targets := [][][]engine.Target{token(0), token(1)}
	base, err := e.ForwardSoft(context.Background(), both(engine.Base), targets)
	if err != nil {
		t.Fatal(err)
	}
	difference := func(o []engine.Output) []float32 {
		out := make([]float32, len(d.Tokens))
		for i := range out {
			out[i] = o[0].Logprobs[i] - o[1].Logprobs[i] - (base[0].Logprobs[i] - base[1].Logprobs[i])
		}
		return out[from:]
	}
	now, err := e.ForwardSoft(context.Background(), both("p"), targets)
	if err != nil {
		t.Fatal(err)
	}
	values := difference(now)
	if slopes == nil {
		return values
	}
	loss := func(_ int, o []engine.Output) ([]engine.Gradient, error) {
		out := []engine.Gradient{{Logprobs: make([]float32, len(d.Tokens))}, {Logprobs: make([]float32, len(d.Tokens))}}
		for i, g := range slopes(difference(o)) {
			out[0].Logprobs[from+i], out[1].Logprobs[from+i] = g, -g
		}
		return out, nil
	}
	if err := e.ForwardBackwardSoft(context.Background(), both("p"), targets, loss); err != nil {
		t.Fatal(err)
	}
	return values
}

// TestStepsArePosted: the passes and steps of all policies are on their way before the result of any is asked for.
func TestStepsArePosted(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	_, at := serve(t, func(inner http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			asked = append(asked, path.Base(r.URL.Path))
			mu.Unlock()
			inner.ServeHTTP(w, r)
		})
	})
	e := dial(t, at)
	var steps []engine.PolicyStep
	var all []engine.Datum
	for _, name := range []engine.Policy{"p", "q", "r"} {
		if err := e.NewPolicy(t.Context(), name, spec); err != nil {
			t.Fatal(err)
		}
		d := data()[0]
		d.Policy = name
		all, steps = append(all, d), append(steps, engine.PolicyStep{Policy: name, Adam: adam})
	}
	if err := e.ForwardBackward(t.Context(), all, uneven); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	asked = nil
	mu.Unlock()
	if _, err := e.Steps(t.Context(), steps); err != nil {
		t.Fatal(err)
	}
	first := slices.Index(asked, "retrieve_future")
	if want := slices.Repeat([]string{"forward_backward", "optim_step"}, 3); first < 0 || !slices.Equal(asked[:first], want) {
		t.Errorf("asked for %v", asked)
	}
}
