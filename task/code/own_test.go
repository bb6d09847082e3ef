//go:build sandbox

package code

import (
	"slices"
	"testing"

	"parley/task"
)

// TestOwnTests: right programs pass tests as people write them: asserts that share what the program changes, and results of Python's library. A
// result that cannot cross between sandboxes is named, and counts for nobody where the solution's is such a one too. Of a program only its function counts, so that
// imports stand in it.
func TestOwnTests(t *testing.T) {
	const check = "def check(candidate):\n    "
	for _, c := range []struct {
		main, tests   string
		passed, total int
	}{
		{"def f(a):\n    for i in range(len(a)): a[i] *= a[i]\n    return a", check + "a = [1, 2]\n    assert candidate(a) == [1, 4]\n    assert a == [1, 4]", 2, 2},
		{"def f(n):\n    for i in range(n): yield i", check + "assert list(candidate(3)) == [0, 1, 2]", 1, 1},
		{"def f(n):\n    return range(n)", check + "assert candidate(3) == range(3)", 1, 1},
		{"def f(n):\n    from decimal import Decimal\n    return Decimal(n) / 2", "from decimal import Decimal\n" + check + "assert candidate(3) == Decimal('1.5')", 1, 1},
		{"def f(d):\n    import datetime\n    return d + datetime.timedelta(1)", "import datetime\n" + check + "assert candidate(datetime.date(2024, 2, 28)) == datetime.date(2024, 2, 29)", 1, 1},
		{"def f(n):\n    return n + 1", check + "assert candidate(3) == 3\n    assert candidate(2) == 3", 1, 2},
	} {
		for _, scorer := range []task.RewardVariant{task.Standard, task.Robust} {
			r, err := Scorer{Sandboxes: sandboxes(t), Variant: scorer}.Score(t.Context(), Submission{Entry: "f", Tests: c.tests, Main: c.main})
			if err != nil || r.Passed != c.passed || r.Total != c.total || len(r.Foreign) > 0 {
				t.Errorf("%s, %s: %d of %d, %v, %v", c.main, scorer, r.Passed, r.Total, r.Foreign, err)
			}
		}
	}
	const point = "def f(n):\n    class P: pass\n    return P()"
	for solution, total := range map[string]int{"": 2, point: 1} {
		s := Submission{Entry: "f", Tests: check + "assert candidate(3) is not None\n    assert 1 + len([candidate]) == 2", Main: point, Solution: solution}
		r, err := Scorer{Sandboxes: sandboxes(t), Variant: task.Robust}.Score(t.Context(), s)
		if err != nil || r.Passed != 1 || r.Total != total || len(r.Foreign) != 1 || !slices.Contains(r.Flags(), "not_comparable") {
			t.Errorf("solution %q: %d of %d, %v, %v", solution, r.Passed, r.Total, r.Foreign, err)
		}
	}
}
