package recipecmd

import (
	"testing"

	"parley/recipe/language"
)

// TestListed: what is listed is what the recipes are once they are read.
func TestListed(t *testing.T) {
	list, err := listed()
	if err != nil {
		t.Fatal(err)
	}
	all := language.New().Shipped()
	if len(list) != len(all) {
		t.Fatalf("listed %d recipes of %d", len(list), len(all))
	}
	for i, r := range all {
		if want := (summary{r.Name, r.About, r.Minutes}); list[i] != want {
			t.Errorf("listed %+v, want %+v", list[i], want)
		}
	}
}
