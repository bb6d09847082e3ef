package diagnose_test

import (
	"slices"
	"testing"

	"parley/runs/diagnose"
)

// TestRoundingIsNoDrop: an episode whose later turn earns as much as its first, but for rounding, did not get worse.
func TestRoundingIsNoDrop(t *testing.T) {
	a := 0.1
	a += 0.2
	if f := diagnose.CheckTurns([][]float64{{a, 0.3}, {0.5, 0.1}}, 1); !slices.Equal(f.Evidence, []int{1}) {
		t.Errorf("episodes that got worse: %v", f.Evidence)
	}
}
