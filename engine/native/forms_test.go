package native

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"parley/engine"
	"parley/engine/enginetest"
	"parley/model/form"
	"parley/model/modeltest"
)

// formData are texts of each form, as policies draw them.
func formData(t *testing.T, e *Engine, policies ...engine.Policy) []engine.Datum {
	t.Helper()
	var data []engine.Datum
	for i, text := range enginetest.Forms {
		for j, p := range policies {
			r := engine.SampleRequest{
				Policy: p, Prompt: []int{3, 1, 4, 1, 5}[:3+i%3], Form: text, MaxTokens: 12, Stop: []int{2}, Seed: uint64(j), Sampling: engine.Sampling{Temperature: 1.5},
			}
			samples, err := e.Sample(t.Context(), []engine.SampleRequest{r})
			if err != nil {
				t.Fatal(err)
			}
			if samples[0].Forced == nil { // the suite compares it where it is there
				t.Errorf("nothing is said of what %s did", text)
			}
			data = append(data, engine.Datum{Policy: p, Tokens: slices.Concat(r.Prompt, samples[0].Tokens), ScoreFrom: len(r.Prompt), Sampling: r.Sampling, Mask: r.Mask()})
		}
	}
	return data
}

// Gradients of texts of a form are the differences of the objective, with all logits in memory and in columns.
func TestFormGradient(t *testing.T) {
	for _, name := range []string{"untied", "gemma2"} {
		e := openTiny(t, modeltest.Shapes()[name], engine.Options{BatchTokens: 40, ScoreAsSampled: true})
		for _, p := range lively(t, e)[1:] {
			checkDerivative(t, e, e.policies[p], formData(t, e, p))
		}
	}
}

// TestFormDivergence: policy and base are compared under the same form.
func TestFormDivergence(t *testing.T) {
	e := openTiny(t, tiny, engine.Options{})
	for _, d := range formData(t, e, lively(t, e)...) {
		got, err := e.Divergence(t.Context(), []engine.Datum{d})
		if err != nil {
			t.Fatal(err)
		}
		for j, divergence := range got[0] {
			policy, base := formLogprobs(t, e, d, j, d.Policy), formLogprobs(t, e, d, j, engine.Base)
			want := 0.0
			for v := range base {
				want += math.Exp(base[v]) * (base[v] - policy[v])
			}
			if math.Abs(float64(divergence)-want) > 1e-5*max(1, want) {
				t.Errorf("policy %q, %s, token %d: %v, want %v", d.Policy, d.Mask.Form, j, divergence, want)
			}
		}
	}
}

// formLogprobs are those of the tokens that may come at a place.
func formLogprobs(t *testing.T, e *Engine, d engine.Datum, place int, p engine.Policy) []float64 {
	t.Helper()
	text, err := e.formText(d.Mask, d.ScoreFrom)
	if err != nil {
		t.Fatal(err)
	}
	var at *formPlace
	for j := range place + 1 {
		if at, err = text.next(&d, j); err != nil {
			t.Fatal(err)
		}
	}
	var data []engine.Datum
	for v := range e.shape.Vocab {
		one := []float32{0}
		if at.apply(one, v, -1); one[0] == 0 {
			data = append(data, engine.Datum{Policy: p, Tokens: append(slices.Clone(d.Tokens[:d.ScoreFrom+place]), v), ScoreFrom: d.ScoreFrom, Sampling: d.Sampling, Mask: d.Mask})
		}
	}
	out, err := e.Forward(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	var all []float64
	for _, o := range out {
		all = append(all, float64(o.Logprobs[place]))
	}
	return all
}

// A text that cannot go on in its form fails its own request alone.
func TestAmbiguousForm(t *testing.T) {
	e := openTiny(t, tiny, engine.Options{})
	bad := engine.SampleRequest{Prompt: []int{3}, Form: form.OfRegex("aa(b?){300}"), MaxTokens: 60, Stop: []int{2}, Sampling: engine.Sampling{Temperature: 1}}
	good := bad
	good.Form = form.OfRegex("a{40}")
	if _, err := e.Sample(t.Context(), []engine.SampleRequest{good, bad}); !errors.Is(err, form.ErrAmbiguous) {
		t.Errorf("error %v", err)
	}
	var errs [2]error
	var tokens int
	arrivals := []engine.Arrival{
		{SampleRequest: bad, Done: func(_ engine.Sample, err error) { errs[0] = err }},
		{SampleRequest: good, Done: func(s engine.Sample, err error) { tokens, errs[1] = len(s.Tokens), err }},
	}
	err := e.SampleArriving(t.Context(), func() []engine.Arrival {
		defer func() { arrivals = nil }()
		return arrivals
	})
	if err != nil || !errors.Is(errs[0], form.ErrAmbiguous) || errs[1] != nil || tokens < 20 {
		t.Errorf("error %v, of the requests %v, %d tokens", err, errs, tokens)
	}
}

func TestFormErrors(t *testing.T) {
	e := openTiny(t, tiny, engine.Options{})
	ok := engine.SampleRequest{Prompt: []int{3}, Form: form.OfRegex("a*"), MaxTokens: 5, Stop: []int{2}}
	for want, change := range map[string]func(r *engine.SampleRequest){
		"0 tokens end":                     func(r *engine.SampleRequest) { r.Stop = nil },
		"MinTokens is 1":                   func(r *engine.SampleRequest) { r.MinTokens = 1 },
		`the base has no token for "c"`:    func(r *engine.SampleRequest) { r.Form = form.OfRegex("ac") },
		"/items: contains cannot be":       func(r *engine.SampleRequest) { r.Form = `{"schema":{"items":{"contains":{}}}}` },
		"it is no JSON: invalid character": func(r *engine.SampleRequest) { r.Form = `a*` },
	} {
		r := ok
		change(&r)
		if _, err := e.Sample(t.Context(), []engine.SampleRequest{r}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	if _, err := e.Forward(t.Context(), []engine.Datum{{Tokens: []int{1, 2}, ScoreFrom: 1, Mask: engine.Mask{Form: "{}"}}}); err == nil || !strings.Contains(err.Error(), "datum 0") {
		t.Errorf("scoring a form that is none: %v", err)
	}
	bare, err := Open(Random(tiny, 3), engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer bare.Close()
	if _, err := bare.Sample(t.Context(), []engine.SampleRequest{ok}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("an engine without texts of tokens: %v", err)
	}
}
