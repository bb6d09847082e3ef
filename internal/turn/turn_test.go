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

// Tests have a sixth of a list by themselves, and the step long has all of it, in turns or at once.
func TestShare(t *testing.T) {
	count := func(whole, mine string) (n int) {
		t.Setenv(Whole, whole)
		t.Setenv(Variable, mine)
		for i := range 60 {
			if Share(i) {
				n++
			}
		}
		return n
	}
	all := 0
	for turn := range turns {
		all += count("1", fmt.Sprint(turn))
	}
	if all != 60 || count("1", "") != 60 || count("", "") != 10 || count("", "3") != 10 || !Share(0) {
		t.Errorf("%d in turns, %d at once, %d by themselves", all, count("1", ""), count("", ""))
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
