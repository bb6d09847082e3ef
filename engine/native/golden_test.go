package native

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/engine"
	"parley/model/weights"
	"parley/model/weights/safetensors"
)

// goldens is the folder of the reference's numbers.
func goldens(t *testing.T) string {
	if dir := os.Getenv("PARLEY_GOLDENS"); dir != "" {
		return dir
	}
	return filepath.Join("testdata", "goldens")
}

// names lists the entries of a folder of goldens, without suffix; none is a failure.
func names(t *testing.T, dir, suffix string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(goldens(t), dir))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), suffix); ok {
			all = append(all, name)
		}
	}
	if len(all) == 0 {
		t.Fatalf("no goldens in %s", dir)
	}
	return all
}

// openGolden opens a checkpoint of the goldens.
func openGolden(t *testing.T, model string, opt engine.Options) *Engine {
	t.Helper()
	src, err := weights.Open(filepath.Join(goldens(t), model))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	e, err := Open(src, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func readJSON(t *testing.T, path string, to any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(goldens(t), path))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, to); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// arrays reads tensors of one safetensors file as float32 or int.
type arrays struct {
	t *testing.T
	*safetensors.File
}

func openArrays(t *testing.T, path string) arrays {
	t.Helper()
	f, err := safetensors.Open(filepath.Join(goldens(t), path))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return arrays{t, f}
}

func (a arrays) floats(name string) []float32 {
	a.t.Helper()
	x, err := a.Read(name)
	if err != nil {
		a.t.Fatal(err)
	}
	return x
}

func (a arrays) ints(name string) []int {
	var all []int
	for _, x := range a.floats(name) {
		all = append(all, int(x))
	}
	return all
}

// sequences cuts the packed input_ids into data that ask for every token.
func (a arrays) sequences(p engine.Policy, s engine.Sampling) []engine.Datum {
	ids, cu := a.ints("input_ids"), a.ints("cu_seqlens")
	var data []engine.Datum
	for i := 1; i < len(cu); i++ {
		data = append(data, engine.Datum{Policy: p, Tokens: ids[cu[i-1]:cu[i]], ScoreFrom: 1, Sampling: s})
	}
	return data
}

// near fails where got and want differ by more than limit.
func near(t *testing.T, what string, got, want []float32, limit float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	worst, at := -1.0, 0
	for i := range got {
		if d := math.Abs(float64(got[i]) - float64(want[i])); !(d <= worst) {
			worst, at = d, i
		}
	}
	if len(got) > 0 && !(worst <= limit) {
		t.Errorf("%s: [%d] is %v, want %v: difference %.3g, allowed %.3g", what, at, got[at], want[at], worst, limit)
	}
}

// packedLogprobs lays outputs out as the goldens do: at each position that of the next token, 0 at the end of a sequence.
func packedLogprobs(outputs []engine.Output) []float32 {
	var all []float32
	for _, o := range outputs {
		all = append(append(all, o.Logprobs...), 0)
	}
	return all
}

func TestGoldensForward(t *testing.T) {
	for _, name := range names(t, "forward", ".safetensors") {
		t.Run(name, func(t *testing.T) {
			e := openGolden(t, filepath.Join("models", name), engine.Options{})
			a := openArrays(t, "forward/"+name+".safetensors")
			for _, c := range []struct {
				array       string
				temperature float64
			}{{"logprob_f64", 1}, {"logprob_t07_f64", 0.7}} {
				out, err := e.Forward(t.Context(), a.sequences(engine.Base, engine.Sampling{Temperature: c.temperature}))
				if err != nil {
					t.Fatal(err)
				}
				near(t, c.array, packedLogprobs(out), a.floats(c.array), 1e-4)
			}
			hidden, logits := e.states(t, a.sequences(engine.Base, engine.Sampling{}))
			near(t, "hidden_f64", hidden, a.floats("hidden_f64"), 1e-4)
			near(t, "logits_f64", logits, a.floats("logits_f64"), 2e-4)
		})
	}
}

// states runs each sequence of data alone and returns the hidden states and logits of all tokens.
func (e *Engine) states(t *testing.T, data []engine.Datum) (hidden, logits []float32) {
	for _, d := range data {
		e.arena.reset()
		var f forest
		p := e.policies[d.Policy]
		f.insert(p, d.Tokens, e.shape.Rope.Variant(len(d.Tokens)))
		c := e.computation(p.net, f.packed(p.net), false)
		c.forward()
		hidden = append(hidden, c.hidden...)
		z := make([]float32, c.pass.rows()*e.shape.Vocab)
		e.k.Mul(z, c.hidden, c.pass.rows(), p.net.head.matrix, false)
		c.finishLogits(z)
		logits = append(logits, z...)
	}
	return hidden, logits
}

func TestGoldensGreedy(t *testing.T) {
	for _, name := range names(t, "forward", ".safetensors") {
		t.Run(name, func(t *testing.T) {
			e := openGolden(t, filepath.Join("models", name), engine.Options{})
			var g struct {
				Greedy []struct {
					Prompt   []int
					Tokens   []int     `json:"new_tokens"`
					Logprobs []float32 `json:"logprobs"`
				}
			}
			readJSON(t, "forward/"+name+".json", &g)
			var reqs []engine.SampleRequest
			for _, c := range g.Greedy {
				reqs = append(reqs, engine.SampleRequest{Prompt: c.Prompt, MaxTokens: len(c.Tokens)})
			}
			samples, err := e.Sample(t.Context(), reqs)
			if err != nil {
				t.Fatal(err)
			}
			if len(samples) == 0 {
				t.Fatal("no greedy prompts")
			}
			for i, s := range samples {
				if !slices.Equal(s.Tokens, g.Greedy[i].Tokens) {
					t.Errorf("prompt %d: tokens %v, want %v", i, s.Tokens, g.Greedy[i].Tokens)
					continue
				}
				near(t, "logprobs", s.Logprobs, g.Greedy[i].Logprobs, 1e-4)
			}
		})
	}
}

// An adapter over the base gives the logits of the model that it was merged into, and its weights add up to that model's.
func TestGoldensMerge(t *testing.T) {
	for _, name := range names(t, "merge", ".safetensors") {
		t.Run(name, func(t *testing.T) {
			var g trainGolden
			readJSON(t, "train/"+name+"/golden.json", &g)
			e := openGolden(t, g.Checkpoint, engine.Options{})
			a := openArrays(t, "merge/"+name+".safetensors")
			if err := e.Load(t.Context(), "p", filepath.Join(goldens(t), "train", name)); err != nil {
				t.Fatal(err)
			}
			ids := a.ints("input_ids")
			_, logits := e.states(t, []engine.Datum{{Policy: "p", Tokens: ids}})
			near(t, "logits_f64", logits, a.floats("logits_f64"), 2e-4)
			_, logits = e.states(t, []engine.Datum{{Tokens: ids}})
			near(t, "base_logits_f64", logits, a.floats("base_logits_f64"), 2e-4)
		})
	}
}

// A GGUF file gives the logits of its dequantised weights.
func TestGoldensGGUF(t *testing.T) {
	for _, name := range names(t, "gguf", ".gguf") {
		t.Run(name, func(t *testing.T) {
			e := openGolden(t, filepath.Join("gguf", name+".gguf"), engine.Options{})
			a := openArrays(t, "gguf/golden.safetensors")
			_, logits := e.states(t, []engine.Datum{{Tokens: a.ints("input_ids")}})
			near(t, name, logits, a.floats(name+".logits_f64"), 2e-4)
		})
	}
}
