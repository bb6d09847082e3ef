//go:build sandbox && real

package code

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/internal/turn"
	"parley/task"
)

// readReal reads a file of the data sets that are not part of the program, from the folder PARLEY_DATA.
func readReal(t *testing.T, name string) []task.Problem {
	t.Helper()
	f, err := os.Open(filepath.Join(os.Getenv("PARLEY_DATA"), name))
	if err != nil {
		t.Fatalf("set PARLEY_DATA to the folder of the data sets: %v", err)
	}
	defer f.Close()
	problems, err := Read(name, f)
	if err != nil {
		t.Fatal(err)
	}
	return problems
}

// TestRealMBPP runs the reference solutions of the whole of MBPP: once where solution and tests are the same in several files. Those of
// the file that ships are run by TestReferenceSolutions.
func TestRealMBPP(t *testing.T) {
	program := func(p task.Problem) [3]string {
		return [3]string{p.Fields[FieldEntry], p.Fields[FieldSolution], p.Fields[FieldTests]}
	}
	known := map[[3]string]bool{}
	for _, p := range shippedProblems(t, "mbpp") {
		known[program(p)] = true
	}
	for name, count := range map[string]int{"mbpp/mbpp.jsonl.gz": 974, "mbpp/sanitized.jsonl.gz": 427} {
		problems := readReal(t, name)
		var fresh []task.Problem
		for _, p := range problems {
			if key := program(p); !known[key] {
				known[key] = true
				fresh = append(fresh, p)
			}
		}
		if got := failing(t, task.Standard, fresh); len(problems) != count || len(got) > 0 {
			t.Errorf("%s: %v fail, of %d", name, got, len(problems))
		}
	}
}

// TestRealDamage runs the solutions of MBPP on the converted form of its tests: exactly the items that are known to be damaged
// fail.
func TestRealDamage(t *testing.T) {
	solutions, problems := shippedProblems(t, "mbpp"), readReal(t, "mbpp/openmlrl.jsonl.gz")
	for i, p := range problems {
		p.Fields[FieldSolution] = solutions[i].Fields[FieldSolution]
		if name := p.Fields[FieldEntry]; name == solutions[i].Fields[FieldEntry]+"_1" { // the second of its name
			p.Fields[FieldSolution] += "\n" + name + " = " + solutions[i].Fields[FieldEntry]
		}
	}
	got := failing(t, task.Standard, problems)
	for i := range got {
		got[i] = strings.TrimPrefix(got[i], "MBPP/")
	}
	slices.Sort(got)
	want := slices.DeleteFunc(slices.Sorted(maps.Keys(damage["mbpp-openmlrl"])), func(id string) bool { return !turn.Has("MBPP/" + id) })
	if !slices.Equal(got, want) {
		t.Errorf("%v fail, want %v", got, want)
	}
}
