package model_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/model"
	"parley/model/shipped"
	"parley/team"
)

// tinyBase is the base model of the trainer's tests, a folder in Hugging Face layout.
const tinyBase = "../train/testdata/tiny-base"

var dialogue = []team.Message{{Role: "user", Content: "Ana has 23 pens and 7 hats."}}

// pull puts files into the Hugging Face cache as a download of a repository does.
func pull(t *testing.T, repo string, from fs.FS) {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HF_HOME", home)
	t.Setenv("HF_HUB_CACHE", "")
	dir := filepath.Join(home, "hub", "models--"+strings.ReplaceAll(repo, "/", "--"), "snapshots", "abc")
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, from); err != nil {
		t.Fatal(err)
	}
}

// TestNames: the shipped model, a folder and a pulled repository are the same model by whatever name it is asked for.
func TestNames(t *testing.T) {
	folder := copyBase(t, "config.json", "generation_config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json")
	pull(t, "Org/Tiny-Base", os.DirFS(folder))
	want := prompt(t, model.Shipped)
	if len(want) < 5 {
		t.Fatalf("the shipped model's prompt is %v", want)
	}
	for _, name := range []string{folder, "Org/Tiny-Base", "org/tiny-base", "Tiny-Base", "tiny-base"} {
		if got := prompt(t, name); !slices.Equal(got, want) {
			t.Errorf("%s: prompt %v, want %v", name, got, want)
		}
	}
}

// prompt opens a model, checks what it says of itself, and renders the dialogue.
func prompt(t *testing.T, name string) []int {
	t.Helper()
	m, err := model.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if m.Name != name || (m.Path == "") != (name == model.Shipped) {
		t.Errorf("%s: it is named %q and lies in %q", name, m.Name, m.Path)
	}
	if !slices.Equal(m.Stop(), []int{0}) {
		t.Errorf("%s: answers end with %v", name, m.Stop())
	}
	tokens, err := m.Prompt(dialogue)
	if err != nil {
		t.Fatal(err)
	}
	return tokens
}

// TestGGUFNames: a .gguf file opens by its path and from the cache, with the tokenizer and template that it carries.
func TestGGUFNames(t *testing.T) {
	file := baseMeta().withTokenizer(t).write(t, filepath.Join(t.TempDir(), "tiny.GGUF"))
	single := filepath.Join(t.TempDir(), "single")
	if err := os.Mkdir(single, 0o755); err != nil {
		t.Fatal(err)
	}
	baseMeta().withTokenizer(t).write(t, filepath.Join(single, "tiny-f32.gguf"))
	pull(t, "org/tiny-gguf", os.DirFS(single))
	want := prompt(t, file)
	m, err := model.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	text, err := m.Template().Text(nil, true)
	if got := m.Tokenizer.Decode(want, true); err != nil || !strings.Contains(got, dialogue[0].Content) || !strings.HasSuffix(got, text) {
		t.Errorf("the prompt is %q, %v", got, err)
	}
	if got := prompt(t, "tiny-gguf"); !slices.Equal(got, want) {
		t.Errorf("from the cache the prompt is %v, want %v", got, want)
	}
	if len(model.Cached()) != 1 || model.Cached()[0].Name != "org/tiny-gguf" {
		t.Errorf("the cache has %v", model.Cached())
	}
}

// TestTwoGGUFFiles: a repository with several .gguf files does not say which one is meant.
func TestTwoGGUFFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.gguf", "b.gguf"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	pull(t, "org/two", os.DirFS(dir))
	if path, err := model.Find("org/two"); err == nil {
		t.Errorf("org/two is %s", path)
	}
}

// TestOpenErrors: what is missing or broken is named, and for a name that means nothing what to write instead.
func TestOpenErrors(t *testing.T) {
	t.Setenv("HF_HOME", t.TempDir())
	t.Setenv("HF_HUB_CACHE", "")
	all := []string{"config.json", "generation_config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"}
	without := func(name string) string {
		return copyBase(t, slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s == name })...)
	}
	broken := func(name, text string) string {
		dir := copyBase(t, all...)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	noEnd := copyBase(t, "model.safetensors", "tokenizer.json")
	renameTokens(t, noEnd, map[string]string{"<|end|>": "<|other|>"})
	var config map[string]any
	data, err := fs.ReadFile(shipped.FS(shipped.Sums), "config.json")
	if err != nil {
		t.Fatal(err)
	}
	unmarshal(t, data, &config)
	delete(config, "eos_token_id")
	writeFile(t, filepath.Join(noEnd, "config.json"), marshal(t, config))
	gguf := baseMeta().write(t, filepath.Join(t.TempDir(), "tensors.gguf"))
	for name, c := range map[string]struct {
		model string
		want  []string
	}{
		"no such model":         {"org/unknown", []string{`no model "org/unknown"`, "write " + model.Shipped, ".gguf", "parley model list"}},
		"no config":             {without("config.json"), []string{"config.json"}},
		"no weights":            {without("model.safetensors"), []string{"safetensors"}},
		"no tokenizer":          {without("tokenizer.json"), []string{"tokenizer.json"}},
		"broken tokenizer":      {broken("tokenizer.json", "{"), []string{"tokenizer.json"}},
		"broken generation":     {broken("generation_config.json", `{"eos_token_id": "end"}`), []string{"generation_config.json"}},
		"broken template":       {broken("chat_template.jinja", "a\n{% if %}"), []string{"chat_template.jinja", "line 2"}},
		"no end token":          {noEnd, []string{"no end token", "generation_config.json or config.json must have eos_token_id"}},
		"end token beyond":      {broken("generation_config.json", `{"eos_token_id": 624}`), []string{"generation_config.json", "end token 624"}},
		"negative end token":    {broken("generation_config.json", `{"eos_token_id": [0, -5]}`), []string{"generation_config.json", "end token -5"}},
		"refusal as generation": {broken("generation_config.json", `{"error": "Entry not found"}`), []string{"generation_config.json", "refusal of a server", "Entry not found"}},
		"pointer as template":   {broken("chat_template.jinja", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n"), []string{"chat_template.jinja", "Git-LFS pointer"}},
		"page as tokenizer":     {broken("tokenizer.json", "<!DOCTYPE html><html>"), []string{"tokenizer.json", "web page"}},
		"GGUF, no tokenizer":    {gguf, []string{gguf, "tokenizer"}},
		"GGUF that is no GGUF":  {broken("x.gguf", "{}") + "/x.gguf", []string{"x.gguf"}},
	} {
		m, err := model.Open(c.model)
		if err == nil {
			m.Close()
			t.Errorf("%s: it opens", name)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: the error is %q, want %q in it", name, err, want)
			}
		}
	}
}

// TestIncompleteGGUF: a .gguf file of tensors alone is enough to score and sample ids; one with all parts is a whole model.
func TestIncompleteGGUF(t *testing.T) {
	dir := t.TempDir()
	for name, meta := range map[string]ggufParts{"tensors.gguf": baseMeta(), "whole.gguf": baseMeta().withTokenizer(t)} {
		m, err := model.OpenIncomplete(meta.write(t, filepath.Join(dir, name)))
		if err != nil {
			t.Fatal(err)
		}
		whole := name == "whole.gguf"
		if (m.Tokenizer != nil) != whole || (m.Template() != nil) != whole || !slices.Equal(m.Stop(), []int{0}) {
			t.Errorf("%s: tokenizer %v, template %v, stop %v", name, m.Tokenizer != nil, m.Template() != nil, m.Stop())
		}
		m.Close()
	}
}

// TestGGUFParts: tokenizer and template of a .gguf file open alone, and are the file's.
func TestGGUFParts(t *testing.T) {
	file := baseMeta().withTokenizer(t).write(t, filepath.Join(t.TempDir(), "a.gguf"))
	whole, err := model.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Close()
	tok, err := model.OpenTokenizer(file)
	if err != nil {
		t.Fatal(err)
	}
	ids, err := tok.Encode(dialogue[0].Content, false)
	if want := encoded(t, whole, dialogue[0].Content); err != nil || !slices.Equal(ids, want) {
		t.Errorf("tokens %v, want %v", ids, want)
	}
	template, err := model.OpenTemplate(file)
	if err != nil {
		t.Fatal(err)
	}
	got, err := template.Text(nil, true)
	if want, _ := whole.Template().Text(nil, true); err != nil || got != want {
		t.Errorf("the template prints %q, %v, want %q", got, err, want)
	}
}
