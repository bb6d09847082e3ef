package model_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/model"
	"parley/model/chat"
	"parley/model/weights"
	"parley/model/weights/peft"
	"parley/model/weights/safetensors"
)

// TestExport: an exported model is the same model: weights, tokenizer, template, end tokens.
func TestExport(t *testing.T) {
	gguf := baseMeta().withTokenizer(t).write(t, filepath.Join(t.TempDir(), "a.gguf"))
	for _, name := range []string{model.Shipped, tinyBase, gguf} {
		m, dir := openModel(t, name), t.TempDir()
		if err := m.Export(dir, m.Source, "F32"); err != nil {
			t.Fatal(err)
		}
		out := openModel(t, dir)
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
	}
}

// TestExportMerged: with an adapter merged, its projection has scale·B·A on top and everything else is as before.
func TestExportMerged(t *testing.T) {
	const module, rank, alpha = "model.layers.1.self_attn.v_proj", 2, 6
	m := openModel(t, tinyBase)
	a, b := []float32{}, []float32{}
	for i := range rank * 32 {
		a = append(a, float32(i%5)-2)
	}
	for i := range 16 * rank {
		b = append(b, float32(i%3)/4)
	}
	adapter := t.TempDir()
	writeFile(t, filepath.Join(adapter, "adapter_config.json"), marshal(t, map[string]any{
		"peft_type": "LORA", "task_type": "CAUSAL_LM",
		"r": rank, "lora_alpha": alpha, "target_modules": []string{module}, "base_model_name_or_path": "tiny", "bias": "none",
	}))
	if err := safetensors.Write(filepath.Join(adapter, "adapter_model.safetensors"), []safetensors.Output{
		{Tensor: safetensors.Tensor{Name: "base_model.model." + module + ".lora_A.weight", Shape: []int{rank, 32}, DType: "F32"}, Data: a},
		{Tensor: safetensors.Tensor{Name: "base_model.model." + module + ".lora_B.weight", Shape: []int{16, rank}, DType: "F32"}, Data: b},
	}, nil); err != nil {
		t.Fatal(err)
	}
	opened, err := peft.Open(adapter)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	merged, err := peft.Merge(m.Source, opened)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := m.Export(dir, merged, "F32"); err != nil {
		t.Fatal(err)
	}
	sameTensors(t, openModel(t, dir).Source, m.Source, func(name string, i int) float32 {
		if name != module+".weight" {
			return 0
		}
		sum := float32(0)
		for r := range rank {
			sum += b[i/32*rank+r] * a[r*32+i%32]
		}
		return alpha / float32(rank) * sum
	})
}

// sameTensors compares two checkpoints, the second with what plus says on top of each element; nil: nothing.
func sameTensors(t *testing.T, got, want weights.Source, plus func(name string, i int) float32) {
	t.Helper()
	if len(got.Tensors()) != len(want.Tensors()) {
		t.Fatalf("%d tensors, want %d", len(got.Tensors()), len(want.Tensors()))
	}
	for _, tensor := range want.Tensors() {
		n := 1
		for _, d := range tensor.Shape {
			n *= d
		}
		x, y := make([]float32, n), make([]float32, n)
		if err := got.Float32(tensor.Name, x); err != nil {
			t.Fatal(err)
		}
		if err := want.Float32(tensor.Name, y); err != nil {
			t.Fatal(err)
		}
		for i := range y {
			on := float32(0)
			if plus != nil {
				on = plus(tensor.Name, i)
			}
			if d := x[i] - (y[i] + on); d > 1e-5 || d < -1e-5 {
				t.Fatalf("%s: element %d is %g, want %g + %g", tensor.Name, i, x[i], y[i], on)
			}
		}
	}
}

// TestExportCompanions: settings of a folder go along as they are, byte for byte; what does not belong to a model does not.
func TestExportCompanions(t *testing.T) {
	m, dir := openModel(t, tinyBase), t.TempDir()
	if err := m.Export(dir, m.Source, "BF16"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"generation_config.json", "tokenizer.json", "tokenizer_config.json"} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		want, err2 := os.ReadFile(filepath.Join(tinyBase, name))
		if err != nil || err2 != nil || string(got) != string(want) {
			t.Errorf("%s differs: %v %v", name, err, err2)
		}
	}
	var config struct {
		DType string `json:"torch_dtype"`
	}
	text, err := os.ReadFile(filepath.Join(dir, "config.json"))
	if err == nil {
		err = json.Unmarshal(text, &config)
	}
	if err != nil || config.DType != "bfloat16" {
		t.Errorf("config.json says %q, %v", config.DType, err)
	}
}

// TestExportErrors: the error says what cannot be written and what to use instead.
func TestExportErrors(t *testing.T) {
	m := openModel(t, tinyBase)
	if err := m.Export(t.TempDir(), m.Source, "f8"); err == nil || !strings.Contains(err.Error(), "f8") || !strings.Contains(err.Error(), tinyBase) {
		t.Errorf("an unknown dtype: %v", err)
	}
	sentencePiece := baseMeta()
	tokens, scores := make([]string, 320), make([]float32, 320)
	for i := range tokens {
		tokens[i], scores[i] = "<"+strings.Repeat("x", i+1)+">", float32(-i)
	}
	sentencePiece["tokenizer.ggml.model"], sentencePiece["tokenizer.ggml.tokens"], sentencePiece["tokenizer.ggml.scores"] = "llama", tokens, scores
	g := openModel(t, sentencePiece.write(t, filepath.Join(t.TempDir(), "sp.gguf")))
	if err := g.Export(t.TempDir(), g.Source, "F32"); err == nil || !strings.Contains(err.Error(), "Hugging Face folder") {
		t.Errorf("a tokenizer that cannot be translated: %v", err)
	}
}

// TestNamedTemplatesAreExported: a model that has a template of its own for tools has it after every export, from a folder and from a GGUF file.
func TestNamedTemplatesAreExported(t *testing.T) {
	dir := copyBase(t, "config.json", "generation_config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json")
	writeFile(t, filepath.Join(dir, "chat_template.jinja"), []byte("plain"))
	if err := os.Mkdir(filepath.Join(dir, "additional_chat_templates"), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "additional_chat_templates", "tool_use.jinja"), []byte("with tools"))
	check := func(name string) {
		t.Helper()
		template, err := model.OpenTemplate(name)
		if err != nil {
			t.Fatal(err)
		}
		for want, tools := range map[string][]any{"plain": nil, "with tools": {}} {
			if got, err := template.Render(chat.Input{Messages: []chat.Message{chat.NewMessage("user", "Hi")}, Tools: tools}); err != nil || got != want {
				t.Errorf("%s renders %q, %v, want %q", filepath.Base(name), got, err, want)
			}
		}
	}
	check(dir)
	m, folder, file, back := openModel(t, dir), t.TempDir(), filepath.Join(t.TempDir(), "a.gguf"), t.TempDir()
	if err := m.Export(folder, m.Source, "F32"); err != nil {
		t.Fatal(err)
	}
	check(folder)
	if _, err := m.ExportGGUF(file, m.Source, "F32"); err != nil {
		t.Fatal(err)
	}
	check(file)
	g := openModel(t, file)
	if err := g.Export(back, g.Source, "F32"); err != nil {
		t.Fatal(err)
	}
	check(back)
}
