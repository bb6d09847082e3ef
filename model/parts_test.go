package model_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/model"
	"parley/model/chat"
	"parley/model/shipped"
)

// copyBase writes files of the shipped model into a new folder.
func copyBase(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		data, err := fs.ReadFile(shipped.FS(shipped.Sums), name)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestOpenIncomplete(t *testing.T) {
	for name, c := range map[string]struct {
		files               []string
		tokenizer, template bool
		stop                bool
	}{
		"whole":           {[]string{"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "generation_config.json"}, true, true, true},
		"no tokenizer":    {[]string{"config.json", "model.safetensors", "tokenizer_config.json", "generation_config.json"}, false, true, true},
		"no template":     {[]string{"config.json", "model.safetensors", "tokenizer.json"}, true, false, true},
		"weights and ids": {[]string{"config.json", "model.safetensors"}, false, false, true},
	} {
		m, err := model.OpenIncomplete(copyBase(t, c.files...))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if (m.Tokenizer != nil) != c.tokenizer || (m.Template() != nil) != c.template || (len(m.Stop()) > 0) != c.stop {
			t.Errorf("%s: tokenizer %v, template %v, stop %v", name, m.Tokenizer != nil, m.Template() != nil, m.Stop())
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestOpenIncompleteErrors(t *testing.T) {
	broken := copyBase(t, "config.json", "model.safetensors")
	if err := os.WriteFile(filepath.Join(broken, "tokenizer.json"), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{
		broken:                     "tokenizer.json",
		copyBase(t, "config.json"): "safetensors",
		"no-such-model":            "no model",
	} {
		if _, err := model.OpenIncomplete(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", dir, err, want)
		}
	}
}

// TestParts opens tokenizer and template from folders without weights, from files, and from the binary.
func TestParts(t *testing.T) {
	const text = "Ana has 23 pens."
	folder := copyBase(t, "tokenizer.json", "tokenizer_config.json")
	for _, name := range []string{model.Shipped, folder, filepath.Join(folder, "tokenizer.json")} {
		tok, err := model.OpenTokenizer(name)
		if err != nil {
			t.Fatal(err)
		}
		ids, err := tok.Encode(text, false)
		if got := tok.Decode(ids, false); err != nil || got != text {
			t.Errorf("%s: %q became %q", name, text, got)
		}
	}
	file := filepath.Join(t.TempDir(), "chat_template.jinja")
	if err := os.WriteFile(file, []byte("{{ messages[0].content }}"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{model.Shipped, folder, file} {
		template, err := model.OpenTemplate(name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := template.Text([]chat.Turn{{Role: "user", Content: text}}, true)
		if err != nil || !strings.Contains(got, text) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestPartsErrors(t *testing.T) {
	folder := copyBase(t, "config.json")
	if _, err := model.OpenTokenizer(folder); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "tokenizer.json") {
		t.Errorf("tokenizer: %v", err)
	}
	if _, err := model.OpenTemplate(folder); !errors.Is(err, chat.ErrNoTemplate) {
		t.Errorf("template: %v", err)
	}
	for _, name := range []string{"no-such-model", filepath.Join(folder, "no.gguf")} {
		if _, err := model.OpenTokenizer(name); err == nil {
			t.Errorf("%s has a tokenizer", name)
		}
	}
	notGGUF := filepath.Join(folder, "a.gguf")
	if err := os.WriteFile(notGGUF, []byte("GGUF"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := model.OpenTemplate(notGGUF); err == nil || !strings.Contains(err.Error(), "a.gguf") {
		t.Errorf("broken file: %v", err)
	}
}

// TestCacheRoot: the first of these variables that is set says where the cache is, as in huggingface_hub.
func TestCacheRoot(t *testing.T) {
	for _, c := range []struct{ hub, home, xdg, user, want string }{
		{"/hub", "/home", "/xdg", "/user", "/hub"},
		{"", "/home", "/xdg", "/user", "/home/hub"},
		{"", "", "/xdg", "/user", "/xdg/huggingface/hub"},
		{"", "", "", "/user", "/user/.cache/huggingface/hub"},
	} {
		t.Setenv("HF_HUB_CACHE", c.hub)
		t.Setenv("HF_HOME", c.home)
		t.Setenv("XDG_CACHE_HOME", c.xdg)
		t.Setenv("HOME", c.user)
		if got := filepath.ToSlash(model.CacheRoot()); got != c.want {
			t.Errorf("cache %q, want %q", got, c.want)
		}
	}
}
