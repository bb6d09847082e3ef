package recipe_test

import (
	"encoding/json"
	"testing"

	"parley/internal/turn"
	"parley/recipe"
	"parley/recipe/schema"
)

// TestJSON: every shipped recipe, as show prints it, is an object that reads as the same recipe.
func TestJSON(t *testing.T) {
	for i, name := range recipe.Names() {
		if !turn.Share(i) {
			continue
		}
		r, err := lang.Load(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		for form, text := range map[string][]byte{"all": r.YAML(), "applying": r.ApplyingYAML()} {
			values, err := schema.JSON(text)
			if err != nil || !json.Valid(values) {
				t.Errorf("%s, %s: %v", name, form, err)
				continue
			}
			again, err := lang.Parse("f", values, nil)
			if err != nil || string(again.YAML()) != string(r.YAML()) {
				t.Errorf("%s, %s: %v", name, form, err)
			}
		}
	}
	for _, text := range []string{"a: .inf", "a: [", "a: 1\n---\nb: 2"} {
		if values, err := schema.JSON([]byte(text)); err == nil {
			t.Errorf("%q is %s", text, values)
		}
	}
}
