package executor

import (
	"encoding/json"
	"testing"

	"parley/systems/lessonl/bank"
)

// TestReports: a report begins with what programs read.
func TestReports(t *testing.T) {
	for want, got := range map[string]interface{ String() string }{
		"passed 2 of 2":                 Tested{Passed: 2, Tests: 2},
		"passed 1 of 2: assert f(2)":    Tested{Passed: 1, Tests: 2, First: "assert f(2)"},
		"much_faster 2.31":              Measured{Class: bank.MuchFaster, Speedup: 2.312},
		"not_compilable 0: SyntaxError": Measured{Class: bank.NotCompilable, Detail: "SyntaxError"},
	} {
		if got.String() != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestSame: numbers may differ in how they were rounded, and in nothing else.
func TestSame(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"[1, 2.5]", "[1.0, 2.5000001]", true},
		{"[1000000]", "[1000000.5]", true},
		{"[1, 2]", "[1, 2.1]", false},
		{"[1, 2]", "[1]", false},
		{"[1]", `["1"]`, false},
		{"true", "1", false},
		{`"a"`, `"a"`, true},
		{`{"a": [1]}`, `{"a": [1]}`, true},
		{`{"a": 1}`, `{"b": 1}`, false},
		{`{"a": 1}`, `{"a": 1, "b": 1}`, false},
		{"null", "[]", false},
	} {
		var a, b any
		if json.Unmarshal([]byte(c.a), &a) != nil || json.Unmarshal([]byte(c.b), &b) != nil {
			t.Fatal(c)
		}
		if same(a, b) != c.same || same(b, a) != c.same {
			t.Errorf("%s and %s: %v", c.a, c.b, !c.same)
		}
	}
}
