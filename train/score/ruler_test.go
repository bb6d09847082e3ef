package score

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/recipe"
	"parley/recipe/keys"
	"parley/task"
)

// TestFingerprint: other problems, or another order of them, have another one.
func TestFingerprint(t *testing.T) {
	a, b := task.Problem{ID: "1", Question: "1+1?", Truth: "2"}, task.Problem{ID: "1", Question: "1+2?", Truth: "2"}
	seen := map[string]bool{}
	for _, list := range [][]task.Problem{{a, b}, {b, a}, {a}, {a, a}} {
		seen[Fingerprint(list)] = true
	}
	if len(seen) != 4 {
		t.Errorf("fingerprints %v", seen)
	}
}

// TestRuler: what decides a score changes the ruler, what does not leaves it alone. A program of the user's counts by its content.
func TestRuler(t *testing.T) {
	file := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	as := keys.EvalTask{Name: "same"}
	user := func(python string, most float64) *recipe.Recipe {
		return &recipe.Recipe{Reward: keys.Reward{Source: "user", User: keys.User{Python: python, Max: most}}, Eval: keys.Eval{Task: as}}
	}
	label := func(invalid string) *recipe.Recipe {
		return &recipe.Recipe{Reward: keys.Reward{Source: "label", Gamma: 0.5}, Eval: keys.Eval{Invalid: invalid, Task: as}}
	}
	scored := func(by string) *recipe.Recipe {
		return &recipe.Recipe{Reward: keys.Reward{Source: "joint"}, Eval: keys.Eval{Task: as}, Task: keys.Task{Settings: &struct {
			Scorer string `yaml:"scorer" scores:"yes"`
			Path   string `yaml:"path"`
		}{by, by}}}
	}
	if a, b := Ruler(user(file("a.py", "x"), 1)), Ruler(user(file("b.py", "x"), 1)); a != b {
		t.Errorf("one program under two names: %q and %q", a, b)
	}
	if r := Ruler(scored("robust")); r != "joint reward; task.scorer robust" {
		t.Errorf("ruler %q", r)
	}
	if r := Ruler(user("gone.py", 1)); !strings.HasSuffix(r, "reward.user.python gone.py") {
		t.Errorf("ruler of a file that is gone: %q", r)
	}
	seen := map[string]bool{}
	for _, r := range []*recipe.Recipe{user(file("a.py", "x"), 1), user(file("a.py", "y"), 1), user(file("a.py", "x"), 2), label("vote"), label("abstain"), scored("standard"), scored("compat")} {
		seen[Ruler(r)] = true
	}
	if len(seen) != 7 {
		t.Errorf("rulers %v", seen)
	}
}
