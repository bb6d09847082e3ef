package train

import (
	"testing"
)

// TestSoloTexts: the shipped recipe of one model that writes both summaries asks as the pair's baseline does.
func TestSoloTexts(t *testing.T) {
	for _, r := range lang.Shipped() {
		if r.Name == "single-smollm-tldr" {
			if solo := r.TaskType().Solo; r.Team.Prompts.First != solo {
				t.Errorf("it asks\n%s\nthe baseline\n%s", r.Team.Prompts.First, solo)
			}
			return
		}
	}
	t.Error("the recipe is not shipped")
}
