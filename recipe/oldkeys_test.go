package recipe_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/runs"
)

// TestRecorded: recipes that earlier releases recorded are read, though they hold keys that have no effect with values that were defaults, and whatever
// they say of team.normalize_visible. Elsewhere such a key is a mistake.
func TestRecorded(t *testing.T) {
	metas, err := filepath.Glob(filepath.Join("..", "viewer", "testdata", "runs", "*", runs.MetaFile))
	if err != nil || len(metas) < 10 {
		t.Fatalf("%d runs, %v", len(metas), err)
	}
	changed := 0
	for _, file := range metas {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var meta struct{ Recipe string }
		if err := json.Unmarshal(data, &meta); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(meta.Recipe, "normalize_visible: true") {
			continue
		}
		for _, value := range []string{"true", "false"} {
			text := strings.Replace(meta.Recipe, "normalize_visible: true", "normalize_visible: "+value, 1)
			r, err := lang.Parse(file, []byte(text), nil)
			if err != nil {
				t.Errorf("%s with %s: %v", file, value, err)
				continue
			}
			if again, err := lang.Parse(file, r.YAML(), nil); err != nil || r.Team.NormalizeVisible != again.Team.NormalizeVisible {
				t.Errorf("%s with %s is printed as another: %v", file, value, err)
			}
			if _, err := lang.Parse("old.yaml", []byte(text), nil); value == "false" && !strings.Contains(text, "protocol: debate") && err == nil {
				t.Errorf("%s with %s is fine as a new recipe", file, value)
			}
			changed++
		}
	}
	if changed < 20 {
		t.Errorf("only %d recipes say it", changed)
	}
}
