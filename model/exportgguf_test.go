package model_test

import (
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/engine/native"
	"parley/model"
	"parley/model/config"
	"parley/model/gguf"
	"parley/model/modeltest"
	"parley/model/weights"
	"parley/model/weights/peft"
	"parley/model/weights/safetensors"
)

// TestExportGGUF: a model in a GGUF file is the same model: weights, tokenizer, template, end tokens.
func TestExportGGUF(t *testing.T) {
	own := baseMeta().withTokenizer(t).write(t, filepath.Join(t.TempDir(), "a.gguf"))
	for _, name := range []string{model.Shipped, tinyBase, own} {
		m, path := openModel(t, name), filepath.Join(t.TempDir(), "b.gguf")
		if notes, err := m.ExportGGUF(path, m.Source, "F32"); err != nil || len(notes) > 0 {
			t.Fatal(notes, err)
		}
		out := openModel(t, path)
		sameTensors(t, out.Source, m.Source, nil)
		if !slices.Equal(out.Stop(), m.Stop()) {
			t.Errorf("%s: answers end with %v, want %v", name, out.Stop(), m.Stop())
		}
		got, err := out.Prompt(dialogue)
		want, err2 := m.Prompt(dialogue)
		if err != nil || err2 != nil || !slices.Equal(got, want) {
			t.Errorf("%s: prompt %v %v, want %v %v", name, got, err, want, err2)
		}
		for _, text := range []string{"x = 12345; don't\n\n  stop", "é 漢 <|end|>"} {
			if got, want := encoded(t, out, text), encoded(t, m, text); !slices.Equal(got, want) {
				t.Errorf("%s: %q is %v, want %v", name, text, got, want)
			}
		}
		if _, err := m.ExportGGUF(path, m.Source, "F32"); !os.IsExist(err) && (err == nil || !strings.Contains(err.Error(), "exists")) {
			t.Errorf("a file that is there: %v", err)
		}
	}
}

// withoutPlace are shapes that no GGUF file can hold as llama.cpp reads it, and what the error names.
var withoutPlace = map[string]string{
	"window": "ministral", "nope": "no_rope_layers", "dynamic": "dynamic", "gemma3": "layer_types",
	"gemma2": "query_pre_attn_scalar", "olmo2": "head_dim", "olmo2, tied": "tie_word_embeddings", "yarn": "truncate",
	"gemma2 without a cap": "attn_logit_softcapping", "gemma3, yarn": "attention_factor", "yarn with its own band": "beta_fast",
}

// ggufShapes are the shapes of the tests, those with llama.cpp's constants where it has some, and others that it would compute as another model.
func ggufShapes() map[string]config.Config {
	all := modeltest.Shapes()
	gemma := all["gemma3"]
	gemma.QueryScalar, gemma.Window = float64(gemma.HeadDim), []int{5, 5}
	all["gemma3 of llama.cpp"] = gemma
	gemma.Rope = config.Rope{Theta: 1000, Type: "yarn", Factor: 4, Original: 12, AttentionFactor: 1 + 0.1*math.Log(4), BetaFast: 32, BetaSlow: 1}
	all["gemma3 of llama.cpp, yarn"] = gemma
	gemma.Rope.AttentionFactor = 1.2
	all["gemma3, yarn"] = gemma
	gemma2, olmo2, yarn := all["gemma2"], all["olmo2"], all["yarn"]
	gemma2.QueryScalar = float64(gemma2.HeadDim)
	all["gemma2 of llama.cpp"] = gemma2
	gemma2.Caps.Attention = 0
	all["gemma2 without a cap"] = gemma2
	olmo2.HeadDim = olmo2.Hidden / olmo2.Heads
	all["olmo2 of llama.cpp"] = olmo2
	olmo2.Tied = true
	all["olmo2, tied"] = olmo2
	yarn.Rope.Smooth = false
	all["yarn with its own band"] = yarn
	yarn.Rope.BetaFast, yarn.Rope.BetaSlow = 32, 1
	for _, of := range []string{"llama", "granite", "olmo2 of llama.cpp"} {
		c := all[of]
		c.HeadDim, c.Rope = c.Hidden/c.Heads, yarn.Rope
		all[of+", yarn"] = c
	}
	return all
}

// TestExportGGUFShapes: the tensors of every family come back, in float32 to the bit; what a file cannot hold is named.
func TestExportGGUFShapes(t *testing.T) {
	for name, c := range ggufShapes() {
		dir := t.TempDir()
		if err := weights.Write(dir, native.Random(c, 3), "F32"); err != nil {
			t.Fatal(err)
		}
		m, err := model.OpenIncomplete(dir)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "a.gguf")
		_, err = m.ExportGGUF(path, m.Source, "F32")
		if want := withoutPlace[name]; err != nil || want != "" {
			if want == "" || err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v, want one about %q", name, err, want)
			}
			continue
		}
		g, err := weights.OpenGGUF(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, tensor := range m.Source.Tensors() {
			if got, want := values(t, g, tensor), values(t, m.Source, tensor); !close32(got, want, 1e-7) {
				t.Errorf("%s: %s is %v, want %v", name, tensor.Name, got[:4], want[:4])
			}
		}
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func values(t *testing.T, src weights.Source, tensor weights.Tensor) []float32 {
	t.Helper()
	n := 1
	for _, d := range tensor.Shape {
		n *= d
	}
	x := make([]float32, n)
	if err := src.Float32(tensor.Name, x); err != nil {
		t.Fatal(err)
	}
	return x
}

func close32(got, want []float32, tolerance float64) bool {
	return slices.EqualFunc(got, want, func(a, b float32) bool { return math.Abs(float64(a)-float64(b)) <= tolerance })
}

// TestExportGGUFTypes: matrices are stored in the type that is asked for, as near as it can be, vectors always in float32.
func TestExportGGUFTypes(t *testing.T) {
	m := openModel(t, model.Shipped)
	for dtype, near := range map[string]float64{"": 0, "F32": 0, "F16": 1. / 2048, "BF16": 1. / 256, "Q8_0": 1. / 200} {
		path := filepath.Join(t.TempDir(), "a.gguf")
		if _, err := m.ExportGGUF(path, m.Source, dtype); err != nil {
			t.Fatal(err)
		}
		g, err := weights.OpenGGUF(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, tensor := range g.Tensors() {
			want := dtype
			if len(tensor.Shape) == 1 {
				want = "F32"
			} else if dtype == "" {
				want = m.Source.Tensors()[i].DType
			}
			if tensor.DType != want {
				t.Errorf("%s as %q is stored as %s", tensor.Name, dtype, tensor.DType)
			}
			was := values(t, m.Source, tensor)
			most := float64(slices.Max(was))
			if !close32(values(t, g, tensor), was, near*math.Max(most, -float64(slices.Min(was)))) {
				t.Errorf("%s as %q has other values", tensor.Name, dtype)
			}
		}
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestGGUFAdapter: what an adapter adds to a stored weight is what the merged weight has more, in the order in which it is stored.
func TestGGUFAdapter(t *testing.T) {
	m := openModel(t, model.Shipped)
	layout, err := weights.LayoutGGUF(m.Source.Config())
	if err != nil {
		t.Fatal(err)
	}
	a := randomAdapter(t, m, `"use_rslora":true,"rank_pattern":{"q_proj":3},"alpha_pattern":{"v_proj":5}`, map[string]int{"q_proj": 3, "k_proj": 2, "v_proj": 2, "down_proj": 2})
	f, err := gguf.Adapter(a, peft.Modules(m.Source), layout)
	if err != nil {
		t.Fatal(err)
	}
	merged, err := peft.Merge(m.Source, a)
	if err != nil {
		t.Fatal(err)
	}
	alpha := float64(f.Metadata["adapter.lora.alpha"].(float32))
	if len(f.Tensors) != 2*4*4 || f.Metadata["general.type"] != "adapter" || f.Metadata["adapter.type"] != "lora" || f.Metadata["general.architecture"] != "llama" {
		t.Fatalf("%d tensors, %v", len(f.Tensors), f.Metadata)
	}
	for _, tensor := range m.Source.Tensors() {
		name, err := layout.Name(tensor.Name)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(f.Tensors, func(x gguf.Tensor) bool { return x.Name == name+".lora_a" })
		if i < 0 {
			continue
		}
		low, high := f.Tensors[i], f.Tensors[i+1]
		rank, in := low.Shape[0], low.Shape[1]
		x, y := make([]float32, rank*in), make([]float32, high.Shape[0]*rank)
		was, now := values(t, m.Source, tensor), values(t, merged, tensor)
		for _, err := range []error{low.Read(x), high.Read(y), layout.Store(tensor.Name, tensor.Shape[0], was), layout.Store(tensor.Name, tensor.Shape[0], now)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		for at := range was {
			sum := 0.0
			for r := range rank {
				sum += float64(y[at/in*rank+r]) * float64(x[r*in+at%in])
			}
			if d := float64(was[at]) + alpha/float64(rank)*sum - float64(now[at]); math.Abs(d) > 1e-5 {
				t.Fatalf("%s[%d] is off by %g", name, at, d)
			}
		}
	}
}

// TestModelfile: ollama's template writes what the model's own does, and answers end where they should.
func TestModelfile(t *testing.T) {
	f := openModel(t, model.Shipped).Modelfile()
	want := `{{ if .System }}<|user|>{{ .System }}<|end|>{{ else }}{{ end }}{{ range .Messages }}{{ if eq .Role "user" }}<|user|>{{ .Content }}<|end|>` +
		`{{ else if eq .Role "assistant" }}<|assistant|>{{ .Content }}<|end|>{{ end }}{{ end }}<|assistant|>`
	if f.Template != want || !slices.Equal(f.Stop, []string{"<|end|>"}) {
		t.Errorf("%+v", f)
	}
}

// randomAdapter is an adapter of small numbers over modules of a model, with ranks by their targets.
func randomAdapter(t *testing.T, m *model.Model, fields string, ranks map[string]int) *peft.Adapter {
	t.Helper()
	dir := t.TempDir()
	targets := strings.Join(slices.Sorted(maps.Keys(ranks)), `","`)
	writeFile(t, filepath.Join(dir, peft.ConfigFile), []byte(`{"peft_type":"LORA","r":2,"lora_alpha":6,`+fields+`,"target_modules":["`+targets+`"]}`))
	random := rand.New(rand.NewPCG(1, 2))
	var tensors []safetensors.Output
	add := func(name string, shape ...int) {
		x := make([]float32, shape[0]*shape[1])
		for i := range x {
			x[i] = float32(random.NormFloat64() / 10)
		}
		tensors = append(tensors, safetensors.Output{Tensor: safetensors.Tensor{Name: name, Shape: shape, DType: "F32"}, Data: x})
	}
	for _, module := range peft.Modules(m.Source) {
		if rank := ranks[module.Name[strings.LastIndexByte(module.Name, '.')+1:]]; rank > 0 {
			add(module.A(), rank, module.In)
			add(module.B(), module.Out, rank)
		}
	}
	if err := safetensors.Write(filepath.Join(dir, peft.WeightsFile), tensors, nil); err != nil {
		t.Fatal(err)
	}
	a, err := peft.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}
