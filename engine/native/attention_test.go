package native

import (
	"fmt"
	"slices"
	"testing"

	"parley/engine"
	"parley/engine/native/kernel"
	"parley/model/config"
)

// long are prompts that share more than a view of keys, and go on for more than another.
func long(policies []engine.Policy, vocab int) []engine.SampleRequest {
	var reqs []engine.SampleRequest
	for i, p := range policies {
		for _, own := range []int{3, 600} {
			prompt := make([]int, 700+own+i)
			for j := range prompt {
				prompt[j] = (j*j + 3*j) % vocab
				if j >= 700 {
					prompt[j] = (j*7 + i + own) % vocab
				}
			}
			reqs = append(reqs, engine.SampleRequest{Policy: p, Prompt: prompt, MaxTokens: 20, Sampling: samplings[1], Seed: uint64(i)})
		}
	}
	return reqs
}

// Keys that take several views, with a window and without, on every set: what is sampled row by row is what is scored in blocks,
// and what is scored alone; gradients do not depend on threads.
func TestAttentionInViews(t *testing.T) {
	sets := kernel.Available()
	attentionInViews(t, sets[len(sets)-1:], engine.F32, engine.BF16) // TestLongAttention has the others
}

func attentionInViews(t *testing.T, sets []string, formats ...engine.Format) {
	t.Helper()
	plain, window := tiny, tiny
	plain.Context = 2048
	window.ModelType, window.Context, window.Window = "ministral", 2048, []int{530, 0}
	for _, set := range sets {
		for name, c := range map[string]config.Config{"plain": plain, "window": window} {
			for _, f := range formats {
				t.Run(fmt.Sprintf("%s/%s/%v", set, name, f), func(t *testing.T) { longAttention(t, c, engine.Options{Kernels: set, Format: f}) })
			}
		}
	}
}

func longAttention(t *testing.T, c config.Config, o engine.Options) {
	wide, narrow := o, o
	wide.Threads, narrow.Threads, narrow.BatchTokens = 2, 1, 333
	e, other := openTiny(t, c, wide), openTiny(t, c, narrow)
	reqs := long(lively(t, e)[:3], c.Vocab)
	lively(t, other)
	data := longData(t, e, reqs)
	for _, x := range []*Engine{e, other} {
		checkScores(t, x, data)
	}
	trained := []engine.Datum{data[2], data[4]}
	sameBits(t, "threads", gradients(t, other, trained, len(trained)), gradients(t, e, trained, len(trained)))
}

// longData samples requests and returns what they became, scored with the bits that it was drawn with.
func longData(t *testing.T, e *Engine, reqs []engine.SampleRequest) []engine.Datum {
	t.Helper()
	samples, err := e.Sample(t.Context(), reqs)
	if err != nil {
		t.Fatal(err)
	}
	var data []engine.Datum
	for i, s := range samples {
		d := engine.Datum{
			Policy: reqs[i].Policy, Tokens: slices.Concat(reqs[i].Prompt, s.Tokens), ScoreFrom: len(reqs[i].Prompt),
			Sampling: reqs[i].Sampling,
		}
		o, err := e.Forward(t.Context(), []engine.Datum{d})
		if err != nil || !slices.Equal(bits(o[0].Logprobs), bits(s.Logprobs)) {
			t.Fatalf("request %d, error %v: drawn with %v, scored %v", i, err, s.Logprobs, o)
		}
		data = append(data, d)
	}
	return data
}

// checkScores compares what data get together with what each gets alone.
func checkScores(t *testing.T, e *Engine, data []engine.Datum) {
	t.Helper()
	together, err := e.Forward(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range data {
		alone, err := e.Forward(t.Context(), []engine.Datum{d})
		if err != nil || !slices.Equal(bits(alone[0].Logprobs), bits(together[i].Logprobs)) {
			t.Errorf("datum %d, error %v: alone %v, together %v", i, err, alone, together[i].Logprobs)
		}
	}
}
