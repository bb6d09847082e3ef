package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// planLines is the most lines that a plan may take.
const planLines = 3

var (
	functionText = regexp.MustCompile(`(?m)((?:^//.*\n)*)^TEXT ·(\w+)\(SB\).*\n((?:.*\n)*?)(?:\n|\z)`)
	registerName = regexp.MustCompile(`\b(AX|BX|CX|DX|SI|DI|(?:R|X|Y|Z|V|F|K|TMM)\d+)\b`)
	registerSpan = regexp.MustCompile(`\b(R|Y|Z|V|K|TMM)(\d+) to (?:R|Y|Z|V|K|TMM)(\d+)\b`)
)

// TestPlans: the register plan of a function names all registers that its code uses, and no other.
func TestPlans(t *testing.T) {
	for file, text := range files() {
		if strings.HasSuffix(file, ".go") {
			continue
		}
		found := functionText.FindAllStringSubmatch(text, -1)
		if want := strings.Count(text, "\nTEXT "); len(found) != want || want == 0 {
			t.Errorf("%s: %d functions read of %d", file, len(found), want)
		}
		for _, f := range found {
			doc, plan, _ := strings.Cut(f[1], "//\n")
			name, code := f[2], f[3]
			if !strings.HasPrefix(doc, "// "+name+": ") || !strings.HasPrefix(plan, "// Registers: ") {
				t.Errorf("%s: %s has no comment with its register plan", file, name)
				continue
			}
			if lines := strings.Count(plan, "\n"); lines > planLines {
				t.Errorf("%s: the register plan of %s takes %d lines", file, name, lines)
			}
			planned, used := plannedRegisters(plan), usedRegisters(code)
			if missing := without(used, planned); len(missing) > 0 {
				t.Errorf("%s: %s uses %v, which its plan does not name", file, name, missing)
			}
			if unused := without(planned, used); len(unused) > 0 {
				t.Errorf("%s: %s does not use %v of its plan", file, name, unused)
			}
		}
	}
}

// usedRegisters are those of all instructions; for those written as bytes their comments say which.
func usedRegisters(code string) map[string]bool {
	used := map[string]bool{}
	for line := range strings.Lines(code) {
		if instruction := strings.TrimSpace(line); !strings.HasPrefix(instruction, "//") {
			addRegisters(used, instruction)
		}
	}
	return used
}

func plannedRegisters(plan string) map[string]bool {
	planned := map[string]bool{}
	plan = strings.ReplaceAll(plan, "\n//", "")
	addRegisters(planned, plan)
	for _, s := range registerSpan.FindAllStringSubmatch(plan, -1) {
		for n := register("_" + s[2]); n <= register("_"+s[3]); n++ {
			addRegisters(planned, fmt.Sprintf("%s%d", s[1], n))
		}
	}
	return planned
}

// addRegisters adds the registers of a text. Those that are parts of one count as one: X3, Y3 and Z3, or F3 and V3.
func addRegisters(to map[string]bool, text string) {
	whole := strings.NewReplacer("X", "Z", "Y", "Z", "F", "V")
	for _, name := range registerName.FindAllString(text, -1) {
		if name[1] != 'X' {
			name = whole.Replace(name)
		}
		to[name] = true
	}
}

func without(a, b map[string]bool) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if !b[name] {
			names = append(names, name)
		}
	}
	return names
}
