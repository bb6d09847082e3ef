package turn

import (
	"fmt"
	"testing"
)

// Every check has one turn, each turn has its share, and without turns all have theirs.
func TestHas(t *testing.T) {
	const checks = 300
	share := map[string]int{}
	for i := range checks {
		name, had := fmt.Sprint("check ", i), 0
		for turn := range turns {
			t.Setenv(Variable, fmt.Sprint(turn))
			if Has(name) {
				had++
				share[fmt.Sprint(turn)]++
			}
		}
		if t.Setenv(Variable, ""); had != 1 || !Has(name) {
			t.Errorf("%s has %d turns", name, had)
		}
	}
	for turn, n := range share {
		if n < checks/turns*2/3 {
			t.Errorf("turn %s has %d of %d checks", turn, n, checks)
		}
	}
}

// A turn that there is not would leave everything out.
func TestNoSuchTurn(t *testing.T) {
	for _, value := range []string{"6", "-1", "all"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("turn %q is taken", value)
				}
			}()
			t.Setenv(Variable, value)
			Has("check")
		}()
	}
}
