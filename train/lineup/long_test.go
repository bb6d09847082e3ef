//go:build long

package lineup_test

import (
	"strings"
	"testing"

	"parley/recipe"
)

// TestLongApartIsTogether: as TestApartIsTogether, in the team of every shipped recipe over the shipped base.
func TestLongApartIsTogether(t *testing.T) {
	played := 0
	for _, name := range recipe.Names() {
		if tiny := strings.HasSuffix(name, "-tiny") && !strings.Contains(name, "smollm"); !tiny {
			continue
		}
		played++
		apartIsTogether(t, name)
	}
	if played < 39 {
		t.Errorf("%d teams play", played)
	}
}
