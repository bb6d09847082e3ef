package tinker

import (
	"math"
	"slices"
	"testing"
	"time"

	"parley/engine"
	"parley/engine/enginetest"
	tinkerclient "parley/engine/tinker"
	"parley/engine/tinker/link"
	"parley/engine/tinker/wire"
)

// TestConformance runs the suite of all engines over the program's own client of the protocol.
func TestConformance(t *testing.T) {
	enginetest.Conformance(t, func(t *testing.T) engine.Engine {
		_, c := startServer(t, folder(t), quick())
		e, err := tinkerclient.Open(t.Context(), link.Server{URL: c.url, Key: key, Model: "tiny", Wait: time.Minute}, tinkerclient.Shape{Vocab: tiny.Vocab, Context: tiny.Context}, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { e.Close() })
		p := e.Profile()
		if p.Mean || p.Leaks || !p.Cispo || !p.Targets || !p.Clips || p.Alpha != usualAlpha {
			t.Errorf("the server is measured as %+v", p)
		}
		return e
	}, tiny.Vocab)
}

// slopesOf is a loss of the engine whose slopes are those of a loss of the protocol.
func slopesOf(t *testing.T, f func(i int, p float64) float64) engine.Loss {
	return func(_ int, outputs []engine.Output) ([]engine.Gradient, error) {
		all := make([]engine.Gradient, len(outputs))
		for i, o := range outputs {
			for j, p := range o.Logprobs {
				all[i].Logprobs = append(all[i].Logprobs, float32(f(j, float64(p))))
			}
		}
		return all, nil
	}
}

// TestSameAsEngine: what a client trains over the protocol is what the engine trains by itself, bit for bit, with seeds of 64 bits, and so is what
// it samples.
func TestSameAsEngine(t *testing.T) {
	_, c := startServer(t, folder(t), quick())
	c = c.begin()
	const seed = 1<<63 + 5
	m := c.model(0, seed)
	here := openNative(t)
	if err := here.NewPolicy(t.Context(), "p", engine.PolicySpec{Rank: 4, Alpha: usualAlpha, Seed: seed}); err != nil {
		t.Fatal(err)
	}
	tokens := []int{1, 2, 3, 4, 5, 6}
	q, a := []float32{-3, -3.5, -3, -4, -3}, []float32{0, 1, -1, 2, 0.5}
	adam := engine.Adam{LR: 1e-2, Beta1: 0.9, Beta2: 0.95, Eps: 1e-12, WeightDecay: 0.01, ClipNorm: 1}
	seq := 0
	next := func() int { seq++; return seq }
	for range 4 {
		c.pass(wire.Pass{Model: m, Seq: next(), Loss: "ppo", Data: []wire.Datum{datum([]int32{1, 2, 3, 4, 5}, []int64{2, 3, 4, 5, 6}, map[string][]float32{"logprobs": q, "advantages": a})}})
		c.pass(wire.Pass{Model: m, Seq: next(), Loss: "cross_entropy", Data: []wire.Datum{text(0.25)}})
		got := c.step(m, next(), object{"learning_rate": 1e-2, "weight_decay": 0.01, "grad_clip_norm": 1})

		data := []engine.Datum{{Policy: "p", Tokens: tokens, ScoreFrom: 1}}
		ppo := slopesOf(t, func(i int, p float64) float64 {
			r, A := math.Exp(p-float64(q[i])), float64(a[i])
			if max(0.8, min(r, 1.2))*A < r*A {
				return 0
			}
			return -r * A
		})
		err := here.ForwardBackward(t.Context(), data, ppo)
		if err == nil {
			err = here.ForwardBackward(t.Context(), data, slopesOf(t, func(i int, _ float64) float64 { return -[]float64{0, .25, .25, .25, .25}[i] }))
		}
		if err != nil {
			t.Fatal(err)
		}
		want, err := here.Step(t.Context(), "p", adam)
		if err != nil {
			t.Fatal(err)
		}
		if norm := got["metrics"].(map[string]any)["grad_norm"].(float64); norm != want.GradNorm {
			t.Errorf("the gradient has the norm %g, here %g", norm, want.GradNorm)
		}
	}
	out, err := here.Forward(t.Context(), []engine.Datum{{Policy: "p", Tokens: tokens, ScoreFrom: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if got := c.scores(m, next()); !slices.Equal(got, out[0].Logprobs) {
		t.Errorf("log-probabilities %v, here %v", got, out[0].Logprobs)
	}
	drawn := c.draw(c.sampler(m, next(), 0), 0, object{"max_tokens": 8, "seed": uint64(1<<64 - 1), "stop": []int{}})
	for i, s := range []uint64{1<<64 - 1, 0} {
		want, err := here.Sample(t.Context(), []engine.SampleRequest{{Policy: "p", Prompt: []int{1, 2, 3}, MaxTokens: 8, Seed: s, Sampling: engine.Sampling{Temperature: 1}}})
		if err != nil {
			t.Fatal(err)
		}
		if q := drawn.Sequences[i]; !slices.Equal(q.Tokens, want[0].Tokens) || !slices.Equal(q.Logprobs, want[0].Logprobs) {
			t.Errorf("seed %d: %v, here %v", s, q.Tokens, want[0].Tokens)
		}
	}
}

// TestLogprobs: those of samples are of temperature 1 over the whole vocabulary, however the tokens were drawn.
func TestLogprobs(t *testing.T) {
	_, c := startServer(t, folder(t), quick())
	c = c.begin()
	m := c.model(0, 1)
	c.pass(wire.Pass{Model: m, Seq: 1, Loss: "cross_entropy", Data: []wire.Datum{text(1)}})
	c.step(m, 2, object{"learning_rate": 0.05})
	sampler := c.sampler(m, 3, 0)
	for i, params := range []object{{}, {"temperature": 0.5}, {"temperature": 0}, {"top_k": 3}, {"top_p": 0.4}} {
		params["max_tokens"], params["seed"], params["stop"] = 6, 3, []int{}
		q := c.draw(sampler, i, params).Sequences[1]
		tokens, targets := []int32{1, 2, 3}, []int64{2, 3}
		for _, id := range q.Tokens {
			targets = append(targets, int64(id))
			tokens = append(tokens, int32(id))
		}
		o := c.pass(wire.Pass{Model: m, Seq: 4 + i, Loss: "cross_entropy", ForwardOnly: true, Data: []wire.Datum{datum(tokens[:len(targets)], targets, nil)}})
		if want := o.Data[0]["logprobs"].Floats[2:]; !slices.Equal(q.Logprobs, want) {
			t.Errorf("%v: %v, a pass says %v", params, q.Logprobs, want)
		}
	}
}

// TestSeveralTargets: a place with several targets has the log-probability of each, and the gradient of all.
func TestSeveralTargets(t *testing.T) {
	_, c := startServer(t, folder(t), quick())
	c = c.begin()
	a, b := c.model(0, 1), c.model(1, 1)
	tokens, first, second := []int32{1, 2, 3}, []int64{2, 3, 4}, []int64{7, 8, 9}
	both := wire.Datum{Tokens: tokens, Inputs: map[string]wire.Tensor{
		"target_tokens": {DType: wire.Int64, Ints: []int64{2, 7, 3, 8, 4, 9}, Shape: []int64{3, 2}},
		"weights":       {DType: wire.Float32, Floats: []float32{1, -0.5, 1, -0.5, 1, -0.5}, Shape: []int64{3, 2}},
	}}
	o := c.pass(wire.Pass{Model: a, Seq: 1, Loss: "cross_entropy", Data: []wire.Datum{both, text(1)}})
	p := c.pass(wire.Pass{Model: b, Seq: 1, Loss: "cross_entropy", Data: []wire.Datum{
		datum(tokens, first, map[string][]float32{"weights": {1, 1, 1}}), datum(tokens, second, map[string][]float32{"weights": {-0.5, -0.5, -0.5}}), text(1),
	}})
	got := o.Data[0]["logprobs"]
	if !slices.Equal(got.Shape, []int64{3, 2}) || len(o.Data) != 2 {
		t.Fatalf("%v, %d data", got.Shape, len(o.Data))
	}
	for i := range tokens {
		if got.Floats[2*i] != p.Data[0]["logprobs"].Floats[i] || got.Floats[2*i+1] != p.Data[1]["logprobs"].Floats[i] {
			t.Errorf("place %d: %v, one by one %v and %v", i, got.Floats[2*i:2*i+2], p.Data[0]["logprobs"].Floats[i], p.Data[1]["logprobs"].Floats[i])
		}
	}
	if math.Abs(o.Metrics["loss:sum"]-p.Metrics["loss:sum"]) > 1e-5 {
		t.Errorf("loss %g, one by one %g", o.Metrics["loss:sum"], p.Metrics["loss:sum"])
	}
	x, y := c.step(a, 2, object{"learning_rate": 1e-2}), c.step(b, 2, object{"learning_rate": 1e-2})
	nx, ny := x["metrics"].(map[string]any)["grad_norm"].(float64), y["metrics"].(map[string]any)["grad_norm"].(float64)
	if math.Abs(nx-ny) > 1e-5*ny {
		t.Errorf("gradients of the norms %g and %g", nx, ny)
	}
}
