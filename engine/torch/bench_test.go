//go:build torch

package torch

import (
	"cmp"
	"os"
	"strconv"
	"testing"

	"parley/engine"
	"parley/model/modeltest"
)

// size reads a number that bench/torch/gpu.sh gives.
func size(b *testing.B, name string, usual int) int {
	text := os.Getenv(name)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// openBench opens what bench/torch/gpu.sh names, with one policy p.
func openBench(b *testing.B) *Engine {
	b.Helper()
	folder := os.Getenv("PARLEY_TORCH_MODEL")
	if folder == "" {
		c := modeltest.Tiny()
		c.Context = 4096
		folder = writeModel(b, c)
	}
	o := Options{Python: python(b), Model: folder, Device: cmp.Or(os.Getenv("PARLEY_TORCH_DEVICE"), "cpu"), DType: os.Getenv("PARLEY_TORCH_DTYPE")}
	e := openFolder(b, o)
	if err := e.NewPolicy(b.Context(), "p", engine.PolicySpec{Rank: 16, Alpha: 32, Seed: 1}); err != nil {
		b.Fatal(err)
	}
	return e
}

func (e *Engine) prompt(i, n int) []int {
	ids := make([]int, n)
	for j := range ids {
		ids[j] = (i*31 + j*17 + 5) % e.info.Vocab
	}
	return ids
}

// BenchmarkSample decodes groups of eight completions of each prompt, and trains on them once for the gap.
func BenchmarkSample(b *testing.B) {
	e := openBench(b)
	rows, long := size(b, "PARLEY_TORCH_ROWS", 16), size(b, "PARLEY_TORCH_TOKENS", 32)
	var reqs []engine.SampleRequest
	for i := range rows {
		reqs = append(reqs, engine.SampleRequest{Policy: "p", Prompt: e.prompt(i/8, long), MaxTokens: long, Seed: uint64(i), Sampling: engine.Sampling{Temperature: 1}})
	}
	tokens := 0
	var samples []engine.Sample
	for b.Loop() {
		var err error
		if samples, err = e.Sample(b.Context(), reqs); err != nil {
			b.Fatal(err)
		}
		for _, s := range samples {
			tokens += len(s.Tokens)
		}
	}
	b.ReportMetric(float64(tokens)/b.Elapsed().Seconds(), "tokens/s")
	var data []engine.Datum
	for i, r := range reqs {
		data = append(data, engine.Datum{Policy: "p", Tokens: append(r.Prompt, samples[i].Tokens...), ScoreFrom: len(r.Prompt), Sampling: r.Sampling})
	}
	if err := e.ForwardBackward(b.Context(), data, waves); err != nil {
		b.Fatal(err)
	}
	gap, _ := e.Gap()
	b.ReportMetric(gap.Mean, "gap-nats")
	b.ReportMetric(gap.Most, "gap-most-nats")
}

// BenchmarkTrain takes steps on texts of one length.
func BenchmarkTrain(b *testing.B) {
	e := openBench(b)
	rows, long := size(b, "PARLEY_TORCH_ROWS", 16), size(b, "PARLEY_TORCH_TOKENS", 32)
	var data []engine.Datum
	for i := range rows {
		data = append(data, engine.Datum{Policy: "p", Tokens: e.prompt(i, 2*long), ScoreFrom: long})
	}
	for b.Loop() {
		if err := e.ForwardBackward(b.Context(), data, waves); err != nil {
			b.Fatal(err)
		}
		if _, err := e.Step(b.Context(), "p", engine.Adam{LR: 1e-6, Beta1: 0.9, Beta2: 0.95, Eps: 1e-8}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(2*long*rows*b.N)/b.Elapsed().Seconds(), "tokens/s")
}
