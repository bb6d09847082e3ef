package train

import (
	"testing"

	"parley/recipe"
)

// TestSoloTexts: the shipped recipe of one model that writes both summaries asks as the pair's baseline does.
func TestSoloTexts(t *testing.T) {
	for _, r := range recipe.Shipped() {
		if r.Name == "single-smollm-tldr" {
			if r.Team.Prompts.First != soloTexts["tldr"] {
				t.Errorf("it asks\n%s\nthe baseline\n%s", r.Team.Prompts.First, soloTexts["tldr"])
			}
			return
		}
	}
	t.Error("the recipe is not shipped")
}
