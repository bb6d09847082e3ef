package model_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/model"
	"parley/model/shipped"
)

func hashOf(t *testing.T, name string) string {
	t.Helper()
	sum, err := openModel(t, name).Hash()
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// TestHash: a folder's hash is that of what sha256sum prints for the files that decide what a model says, and the same wherever the
// folder lies.
func TestHash(t *testing.T) {
	names := []string{"config.json", "generation_config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"}
	dir := copyBase(t, names...)
	var lines strings.Builder
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&lines, "%x  %s\n", sha256.Sum256(data), name)
	}
	sum := sha256.Sum256([]byte(lines.String()))
	want := hex.EncodeToString(sum[:])
	if got := hashOf(t, dir); got != want {
		t.Errorf("the hash is %s, want %s", got, want)
	}
	if got := hashOf(t, model.Shipped); got != want {
		t.Errorf("the shipped model's hash is %s, that of its copy %s", got, want)
	}
	writeFile(t, filepath.Join(dir, "README.md"), []byte("a card"))
	if got := hashOf(t, dir); got != want {
		t.Error("a card changes the hash")
	}
	writeFile(t, filepath.Join(dir, "chat_template.jinja"), []byte("{{ messages[0].content }}"))
	if got := hashOf(t, dir); got == want {
		t.Error("another chat template does not change the hash")
	}
	before := hashOf(t, dir)
	if err := os.Mkdir(filepath.Join(dir, "additional_chat_templates"), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "additional_chat_templates", "tool_use.jinja"), []byte("{{ tools }}"))
	if hashOf(t, dir) == before {
		t.Error("another chat template for tools does not change the hash")
	}
}

func TestHashOfGGUF(t *testing.T) {
	file := baseMeta().withTokenizer(t).write(t, filepath.Join(t.TempDir(), "a.gguf"))
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := hashOf(t, file), fmt.Sprintf("%x", sha256.Sum256(data)); got != want {
		t.Errorf("the hash is %s, want the file's %s", got, want)
	}
}

// TestShape: the shape of a model is known from its folder, its file, or by its name alone where a recipe names it.
func TestShape(t *testing.T) {
	t.Setenv("HF_HOME", t.TempDir())
	t.Setenv("HF_HUB_CACHE", "")
	gguf := baseMeta().write(t, filepath.Join(t.TempDir(), "a.gguf"))
	for name, c := range map[string]struct {
		here   bool
		hidden int
	}{
		model.Shipped:                         {true, 128},
		shipped.Games:                         {true, 128},
		shipped.Coder:                         {true, 128},
		shipped.Writer:                        {true, 128},
		tinyBase:                              {true, 32},
		gguf:                                  {true, 32},
		"Qwen/Qwen2.5-3B-Instruct":            {false, 2048},
		"qwen3-1.7b":                          {false, 2048},
		"Qwen/Qwen3-1.7B-Instruct":            {false, 2048}, // tuned: the shape of its base
		"HuggingFaceTB/SmolLM2-135M":          {false, 576},
		"allenai/OLMo-2-0425-1B-Instruct":     {false, 2048},
		"ibm-granite/granite-3.3-2b-instruct": {false, 2048},
		"google/gemma-2-2b-it":                {false, 2304},
	} {
		text, here, err := model.Shape(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var config struct {
			Hidden int `json:"hidden_size"`
		}
		if err := json.Unmarshal(text, &config); err != nil || here != c.here || config.Hidden != c.hidden {
			t.Errorf("%s: width %d, here %v, %v: want %d, %v", name, config.Hidden, here, err, c.hidden, c.here)
		}
	}
	if _, _, err := model.Shape("org/unknown"); err == nil || !strings.Contains(err.Error(), `no model "org/unknown"`) {
		t.Errorf("unknown: %v", err)
	}
	if _, here, err := model.Shape(t.TempDir()); err == nil || !here || !strings.Contains(err.Error(), "config.json") {
		t.Errorf("an empty folder: %v, here %v", err, here)
	}
}
