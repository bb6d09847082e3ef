package recipecmd

import (
	"slices"
	"testing"

	"parley/recipe"
)

// TestNamesAreShipped: no system promises a recipe that is not in the binary, and every one says what is not reproduced.
func TestNamesAreShipped(t *testing.T) {
	shipped := recipe.Names()
	seen := map[string]bool{}
	for _, s := range relatedSystems() {
		for _, name := range slices.Concat(s.Recipes, s.Twins) {
			if !slices.Contains(shipped, name) {
				t.Errorf("%s names the recipe %s, which is not shipped", s.Name, name)
			}
			if seen[name] {
				t.Errorf("%s is named twice", name)
			}
			seen[name] = true
		}
		if s.Trains == "" || s.Exchange == "" || s.Evidence == "" || s.Missing == "" || s.Paper == "" {
			t.Errorf("%s leaves a column empty: %+v", s.Name, s)
		}
	}
	if n := len(relatedSystems()); n != 11 {
		t.Errorf("%d systems, want the nine related ones and the two papers", n)
	}
}
