package native

import (
	"testing"

	"parley/engine"
	"parley/model/config"
)

// small is the shape of the model that the default recipe trains.
var small = config.Config{
	ModelType: "llama", Vocab: 400, Hidden: 128, Intermediate: 384, Layers: 5, Heads: 4, KVHeads: 2, HeadDim: 32,
	Context: 256, NormEps: 1e-5, Rope: config.Rope{Theta: 10000}, Tied: true,
}

// sequences makes n data of 100 tokens, in groups of eight that share their first 30.
func sequences(p engine.Policy, n int) []engine.Datum {
	data := make([]engine.Datum, n)
	for i := range data {
		ids := make([]int, 100)
		for j := range ids {
			ids[j] = (j*31 + i/8*7 + 3) % small.Vocab
			if j >= 30 {
				ids[j] = (j*j*17 + i*13) % small.Vocab
			}
		}
		data[i] = engine.Datum{Policy: p, Tokens: ids, ScoreFrom: 30}
	}
	return data
}

func ones(_ int, outputs []engine.Output) ([]engine.Gradient, error) {
	g := make([]engine.Gradient, len(outputs))
	for i, o := range outputs {
		g[i].Logprobs = make([]float32, len(o.Logprobs))
		for j := range g[i].Logprobs {
			g[i].Logprobs[j] = -1
		}
	}
	return g, nil
}

func benchTrain(b *testing.B, spec engine.PolicySpec) {
	e := openTiny(b, small, engine.Options{})
	if err := e.NewPolicy(b.Context(), "p", spec); err != nil {
		b.Fatal(err)
	}
	data := sequences("p", 64)
	b.ReportAllocs()
	for b.Loop() {
		if err := e.ForwardBackward(b.Context(), data, ones); err != nil {
			b.Fatal(err)
		}
		if _, err := e.Step(b.Context(), "p", engine.Adam{LR: 1e-3, Beta1: 0.9, Beta2: 0.95, Eps: 1e-8}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(64*100*b.N)/b.Elapsed().Seconds(), "tokens/s")
}

func BenchmarkTrainFull(b *testing.B) { benchTrain(b, engine.PolicySpec{Full: true}) }
func BenchmarkTrainLora(b *testing.B) { benchTrain(b, engine.PolicySpec{Rank: 8, Alpha: 16}) }

func BenchmarkForward(b *testing.B) {
	e := openTiny(b, small, engine.Options{})
	data := sequences(engine.Base, 64)
	for b.Loop() {
		if _, err := e.Forward(b.Context(), data); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(64*100*b.N)/b.Elapsed().Seconds(), "tokens/s")
}

func BenchmarkSample(b *testing.B) {
	e := openTiny(b, small, engine.Options{})
	var reqs []engine.SampleRequest
	for i, d := range sequences(engine.Base, 128) {
		reqs = append(reqs, engine.SampleRequest{
			Prompt: d.Tokens[:30], MaxTokens: 60, Seed: uint64(i),
			Sampling: engine.Sampling{Temperature: 1},
		})
	}
	for b.Loop() {
		if _, err := e.Sample(b.Context(), reqs); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(128*60*b.N)/b.Elapsed().Seconds(), "tokens/s")
}

// A step of an adapter over all projections of a model as large as SmolLM2-135M: AdamW on values that lie in panels.
func BenchmarkAdapterStep(b *testing.B) {
	c := deep
	c.Hidden, c.Intermediate, c.Heads, c.KVHeads, c.HeadDim, c.Layers = 576, 1536, 9, 3, 64, 30
	e := openTiny(b, c, engine.Options{})
	if err := e.NewPolicy(b.Context(), "p", engine.PolicySpec{Rank: 8, Alpha: 16}); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.Step(b.Context(), "p", testAdam); err != nil {
			b.Fatal(err)
		}
	}
}
