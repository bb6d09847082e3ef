package hub

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	for name, c := range map[string]struct {
		files, patterns, want []string
		wrong                 string
	}{
		"single file": {files: []string{"model.safetensors", "config.json", "README.md", "a.gguf"}, want: []string{"config.json", "model.safetensors"}},
		"shards": {
			files: []string{"model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors", "model.safetensors.index.json", "consolidated.safetensors"},
			want:  []string{"model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors", "model.safetensors.index.json"},
		},
		"one gguf":           {files: []string{"m.Q4_1.GGUF", "README.md", "config.json"}, want: []string{"m.Q4_1.GGUF"}},
		"many ggufs":         {files: []string{"b.gguf", "a.gguf"}, wrong: "a.gguf, b.gguf"},
		"other weights":      {files: []string{"config.json", "pytorch_model.bin"}, wrong: "neither"},
		"weights in folders": {files: []string{"old/model.safetensors", "config.json"}, wrong: "neither"},
		"pattern":            {files: []string{"b.Q4.gguf", "b.Q8.gguf", "x/c.Q4.gguf"}, patterns: []string{"*Q4*"}, want: []string{"b.Q4.gguf", "x/c.Q4.gguf"}},
		"path":               {files: []string{"x/a", "y/a"}, patterns: []string{"y/a"}, want: []string{"y/a"}},
		"overlap":            {files: []string{"a", "b"}, patterns: []string{"a", "?"}, want: []string{"a", "b"}},
		"no match":           {files: []string{"a", "b"}, patterns: []string{"a", "c*"}, wrong: `no file "c*"; it has: a, b`},
		"no pattern":         {files: []string{"a"}, patterns: []string{"["}, wrong: "no pattern"},
	} {
		got, err := choose(models, c.files, c.patterns, false)
		if (err != nil) != (c.wrong != "") || err != nil && !strings.Contains(err.Error(), c.wrong) || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, %v; want %q, error %q", name, got, err, c.want, c.wrong)
		}
	}
}

// TestChooseDescription: without weights there has to be something that says what the model is.
func TestChooseDescription(t *testing.T) {
	files := []string{"model.safetensors", "tokenizer.json", "config.json", "additional_chat_templates/tools.jinja", "a.gguf"}
	if got, err := choose(models, files, nil, true); err != nil || !slices.Equal(got, []string{"additional_chat_templates/tools.jinja", "config.json", "tokenizer.json"}) {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := choose(models, []string{"a.gguf", "tokenizer.json"}, nil, true); err == nil || !strings.Contains(err.Error(), "no config.json") {
		t.Errorf("a .gguf file alone: %v", err)
	}
}

func TestCheckName(t *testing.T) {
	for _, name := range []string{"gpt2", "HuggingFaceTB/SmolLM2-135M-Instruct", "a/b.c_d"} {
		if err := checkName(models, name, "v1.0"); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"", "a/b/c", "../a", "a/..", "a b", "a--b", "a/.b", "https://x/y", "a/b?c"} {
		if err := checkName(models, name, "main"); !errors.As(err, new(*InputError)) {
			t.Errorf("name %q: error %v", name, err)
		}
	}
	for _, revision := range []string{"..", "a/../b", "/a", "a b", "a//b", "-x"} {
		if err := checkName(models, "a/b", revision); !errors.As(err, new(*InputError)) {
			t.Errorf("revision %q: error %v", revision, err)
		}
	}
}

func FuzzSafe(f *testing.F) {
	for _, s := range []string{"a", "a/b.json", "../a", "a/../../b", "/a", `a\b`, "c:a", "", ".", "a//b", "a/.", "a\x00b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, path string) {
		if !safe(path) {
			return
		}
		for part := range strings.SplitSeq(path, "/") {
			if part == ".." || part == "." || part == "" {
				t.Errorf("%q is called safe", path)
			}
		}
		if strings.ContainsAny(path, "\\\x00:") {
			t.Errorf("%q is called safe", path)
		}
	})
}

func TestChooseRecords(t *testing.T) {
	for _, c := range []struct {
		files, patterns []string
		want            string
	}{
		{[]string{"README.md", "main/train-0.parquet", "data/train.jsonl"}, nil, "main/train-0.parquet"},
		{[]string{"b/test.jsonl.gz", "a/train.jsonl", "x.csv"}, nil, "a/train.jsonl b/test.jsonl.gz"},
		{[]string{"x.csv", "y.tsv.gz", "z.json"}, nil, "x.csv y.tsv.gz"},
		{[]string{"train.json", "dataset_infos.json"}, nil, "train.json"},
		{[]string{"x.txt", "dataset_infos.json"}, nil, "error"},
		{[]string{"x.csv"}, []string{"*.csv"}, "x.csv"},
	} {
		got, err := choose(datasets, c.files, c.patterns, false)
		text := strings.Join(got, " ")
		if err != nil {
			text = "error"
		}
		if text != c.want {
			t.Errorf("%v %v: %s (%v), want %s", c.files, c.patterns, text, err, c.want)
		}
	}
}
