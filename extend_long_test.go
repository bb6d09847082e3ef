//go:build long

package parley_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestLongNewAlgorithm: a folder under rl/learn and a line in its register are a new algorithm, whose settings are a section of recipes with defaults,
// ranges, help, rules and keys without effect; and a team trains by it. Nothing else of this module changes: the two are laid over it while the
// program is built.
func TestLongNewAlgorithm(t *testing.T) {
	register := filepath.Join("recipe", "language", "algorithms.go")
	source, err := os.ReadFile(register)
	if err != nil {
		t.Fatal(err)
	}
	module := modulePath(t)
	withLine := strings.Replace(string(source), "\t\tsupervised.SFT(),\n", "\t\tsupervised.SFT(),\n\t\tsign.Algorithm(),\n", 1)
	withLine = strings.Replace(withLine, "import (\n", "import (\n\t\""+module+"/rl/learn/sign\"\n", 1)
	algorithm, err := os.ReadFile(filepath.Join("testdata", "newalgorithm", "sign.go.txt"))
	if err != nil {
		t.Fatal(err)
	}
	texts, err := os.ReadFile(filepath.Join("testdata", "newalgorithm", "keys.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	overlay := map[string]map[string]string{"Replace": {}}
	folder := filepath.Join("rl", "learn", "sign")
	for name, text := range map[string]string{
		register: withLine, filepath.Join(folder, "sign.go"): strings.ReplaceAll(string(algorithm), `"parley/`, `"`+module+"/"), filepath.Join(folder, "keys.md"): string(texts),
	} {
		laid := filepath.Join(dir, filepath.Base(name))
		if err := os.WriteFile(laid, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		whole, err := filepath.Abs(name)
		if err != nil {
			t.Fatal(err)
		}
		overlay["Replace"][whole] = laid
	}
	data, err := json.Marshal(overlay)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "overlay.json"), data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "parley")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "-o", program, "./cmd/parley").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	parley := func(args ...string) string {
		out, _ := exec.CommandContext(t.Context(), program, args...).CombinedOutput() // a recipe that is refused is no success
		return string(out)
	}
	sign := func(verb string, sets ...string) []string {
		args := []string{verb}
		if verb != "train" {
			args = []string{"recipe", verb}
		}
		args = append(args, "magrpo-tiny")
		for _, set := range append([]string{"algorithm=sign", "model=" + tinyBase(t), "training.problems=2", "sampling.max_tokens=8", "eval.problems=2", "eval.baselines=[]"}, sets...) {
			args = append(args, "--set", set)
		}
		return args
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{sign("show"), "\nsign:\n  # How far a reward is from the mean of its group at least, to count. (at least 0)\n  margin: 0.25\n"},
		{sign("check", "sign.margin=-1"), "sign.margin is -1, expected at least 0"},
		{sign("check", "sign.margni=1"), `unknown key "sign.margni"; did you mean "sign.margin"?`},
		{sign("check", "sign.margin=1", "group.size=2"), "sign.margin is 1, expected less than 1 with two completions; write for example 0.5"},
		{sign("check", "team.protocol=single", "team.agents=1", "sign.weight=sum"), "sign.weight has no effect with one agent; leave it out"},
		{sign("check", "group.normalize=true"), "group.normalize has no effect with algorithm sign; leave it out"},
		{[]string{"recipe", "check", "magrpo-tiny", "--set", "sign.margin=1"}, "sign.margin has no effect with algorithm magrpo; leave it out"},
		{append(sign("train", "sign.margin=0.1"), "--out", filepath.Join(dir, "run"), "--max-updates", "2"), "2 updates"},
	} {
		if out := parley(c.args...); !strings.Contains(out, c.want) {
			t.Errorf("parley %s: printed\n%s\nwant %q", strings.Join(c.args, " "), out, c.want)
		}
	}
	if out := parley("recipe", "show", "magrpo-tiny"); strings.Contains(out, "margin:") {
		t.Errorf("another algorithm's recipe shows the section:\n%s", out)
	}
}

// TestLongNewProtocol: a folder and a line are a new protocol. It passes the conformance suite, and a team trains by it.
func TestLongNewProtocol(t *testing.T) {
	dir := scratch(t, "newprotocol")
	goIn(t, dir, "test", "./relay")
	if out := goIn(t, dir, "run", ".", "model="+tinyBase(t)); !strings.HasSuffix(out, "relay 1\n") {
		t.Errorf("it printed %q", out)
	}
}
