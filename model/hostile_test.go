package model

import (
	"os"
	"path/filepath"
	"testing"

	"parley/team"
)

// described are the small files of a model's folder.
var described = []string{
	"config.json", "generation_config.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json", "chat_template.jinja", "model.safetensors.index.json",
}

// FuzzFolder: whatever is in one of the small files of a model's folder, the model is refused, or it opens and can be asked.
func FuzzFolder(f *testing.F) {
	const base = "../train/testdata/tiny-base"
	dir := f.TempDir()
	if err := os.CopyFS(dir, os.DirFS(base)); err != nil {
		f.Fatal(err)
	}
	for i, name := range described {
		for _, text := range []string{"", "{}", "[]", "null"} {
			f.Add(uint8(i), []byte(text))
		}
		if data, err := os.ReadFile(filepath.Join(base, name)); err == nil {
			f.Add(uint8(i), data)
		}
	}
	for _, text := range []string{
		`{"eos_token_id":[0,1]}`, `{"eos_token_id":-5}`, `{"eos_token_id":1e99}`, `{"eos_token_id":[[0]]}`,
		`{"eos_token":{"content":"<|end|>"},"added_tokens_decoder":{"7":{"content":"x","special":true}},"chat_template":[{"name":"default","template":"{{ messages }}"}]}`,
		`{"chat_template":"{% for m in messages %}{{ m.content }}{% endfor %}","bos_token":null,"additional_special_tokens":["a",{"content":"b"}]}`,
	} {
		for i := range described {
			f.Add(uint8(i), []byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		name := filepath.Join(dir, described[int(which)%len(described)])
		before, err := os.ReadFile(name)
		if err == nil {
			defer os.WriteFile(name, before, 0o644)
		} else {
			defer os.Remove(name)
		}
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
		m, err := Open(dir)
		if err != nil {
			return
		}
		defer m.Close()
		m.Stop()
		m.Unused()
		if ids, err := m.Encode("2 + 3 = 5<|im_end|>"); err == nil {
			m.Text(ids)
		}
		_, _ = m.Prompt([]team.Message{{Role: team.User, Content: "What is 2 + 3?"}})
	})
}
