// Package modeltest makes models for tests.
package modeltest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"parley/model/shipped"
	"parley/model/weights/quant"
)

// Padded copies the shipped model to a folder of the test, without the tokens from first on and without one in their midst, gap: the embedding
// keeps their rows, as one that was padded to a round number does.
func Padded(t testing.TB, first, gap int) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, shipped.FS(shipped.Sums)); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "tokenizer.json")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var tokenizer, model map[string]json.RawMessage
	var vocabulary map[string]int
	var merges [][2]string
	read := func(data []byte, into any) {
		if err := json.Unmarshal(data, into); err != nil {
			t.Fatal(err)
		}
	}
	read(data, &tokenizer)
	read(tokenizer["model"], &model)
	read(model["vocab"], &vocabulary)
	read(model["merges"], &merges)
	gone := func(token string) bool { id, ok := vocabulary[token]; return !ok || id >= first || id == gap }
	kept, keptMerges := map[string]int{}, [][2]string{}
	for token, id := range vocabulary {
		if !gone(token) {
			kept[token] = id
		}
	}
	for _, m := range merges {
		if !gone(m[0]) && !gone(m[1]) && !gone(m[0]+m[1]) {
			keptMerges = append(keptMerges, m)
		}
	}
	model["vocab"], model["merges"] = encode(t, kept), encode(t, keptMerges)
	tokenizer["model"] = encode(t, model)
	if err := os.WriteFile(file, encode(t, tokenizer), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func encode(t testing.TB, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Dated copies the shipped model to a folder of the test, with a chat template that prints the date before each conversation.
func Dated(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, shipped.FS(shipped.Sums)); err != nil {
		t.Fatal(err)
	}
	const template = `{{ strftime_now("%d %b %Y") }}{% for m in messages %}<|{{ m.role }}|>{{ m.content }}<|end|>{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}`
	if err := os.WriteFile(filepath.Join(dir, "chat_template.jinja"), []byte(template), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// DequantizeInt8 writes the values of m to dst [Rows, Cols]: the engine multiplies codes as they are and never does so for a whole tensor.
func DequantizeInt8(dst []float32, m *quant.Int8) {
	for i := range m.Rows {
		step := m.Absmax[i] / 127
		for j, q := range m.Q[i*m.Cols : (i+1)*m.Cols] {
			dst[i*m.Cols+j] = float32(q) * step
		}
	}
}

// DequantizeNF4 writes the values of m from index at on to dst.
func DequantizeNF4(dst []float32, m *quant.NF4, at int) {
	for i := range dst {
		k := at + i
		code := m.Packed[k/2] >> (4 * (1 - k%2))
		dst[i] = quant.NF4Level(code) * m.Scale.At(k/quant.NF4Block)
	}
}
