package launch

import (
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"parley/internal/usererror"
)

// TestHostileTexts: whatever a commit, a base, a frozen model or a kind of GPU is called, each that reads the files finds that very name.
func TestHostileTexts(t *testing.T) {
	t.Setenv("HF_HOME", t.TempDir())
	dollars := strings.NewReplacer("$", "$$").Replace
	for _, name := range []string{"v1", "it's", `"q"`, "a\nb", "\n", " a", "a: b", "a #b", "$HOME", "$(touch x)", "$$", "`id`", "{{.Name}}", "{{", "}}", "\t", "\x1b", "no", "é", "%s"} {
		j := job(t, "Qwen/Qwen2.5-7B-Instruct", "H100", 2)
		j.SkyRL, j.GPU.Name, j.Base, j.Frozen = name, name, name, []Frozen{{Model: name, Port: 8001, GPUs: 1}}
		l, q := laidOut(t, j), usererror.Quote(name)
		commit, base, model := "git -C SkyRL checkout --quiet --detach "+q+"\n", " --base-model "+q+" --backend", "vllm serve "+q+" --served-model-name "+q+" --host"
		arguments := dollars("\x00" + name + "\x00--served-model-name\x00" + name + "\x00--host\x00")
		for kind, wants := range map[string][]string{
			"skypilot": {commit, base, model, "\x00" + name + ":2\x00", "\x00" + name + ":1\x00"},
			"slurm":    {commit, base, model},
			"compose":  {dollars(commit), dollars(base), arguments},
			"kuberay":  {dollars(commit), strings.ReplaceAll(base, "'", `'\''`), arguments}, // the base is in a script that is a word of its own
		} {
			read := "\x00" + strings.Join(texts(t, l, kind), "\x00") + "\x00"
			for _, want := range wants {
				if !strings.Contains(read, want) {
					t.Errorf("%s for %q has no %q:\n%q", kind, name, want, read)
				}
			}
		}
	}
}

// TestNamesAreNotTruths: a job called true has as many texts as one that is not.
func TestNamesAreNotTruths(t *testing.T) {
	t.Setenv("HF_HOME", t.TempDir())
	j := job(t, "Qwen/Qwen3-1.7B", "H100", 1)
	for _, kind := range Kinds() {
		j.Name = "pair"
		want := len(texts(t, laidOut(t, j), kind))
		j.Name = "true"
		if got := len(texts(t, laidOut(t, j), kind)); got != want {
			t.Errorf("%s: %d texts, want %d", kind, got, want)
		}
	}
}

// texts are the strings in the files of a kind, as their reader has them.
func texts(t *testing.T, l *Layout, kind string) (out []string) {
	t.Helper()
	files, err := l.Files(kind)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if kind == "slurm" || kind == "process" {
			out = append(out, f.Text)
			continue
		}
		for _, part := range strings.Split(f.Text, "\n---\n") {
			var value any
			if err := yaml.Unmarshal([]byte(part), &value); err != nil {
				t.Fatalf("%s: %v\n%s", kind, err, part)
			}
			out = append(out, within(value)...)
		}
	}
	return out
}

func within(value any) (out []string) {
	switch v := value.(type) {
	case string:
		return []string{v}
	case []any:
		for _, item := range v {
			out = append(out, within(item)...)
		}
	case map[string]any:
		for _, item := range v {
			out = append(out, within(item)...)
		}
	}
	return out
}
