package learn

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestSections: sections stand in the order of what is learned from, each once; mistakes in their declarations are found before any run.
func TestSections(t *testing.T) {
	type own struct{}
	group := Section{Name: "group", Settings: Group{}}
	one, two := Section{Name: "one", Settings: own{}}, Section{Name: "two", Settings: Optimizer{}}
	var names []string
	for _, s := range Sections([]Algorithm{
		{Name: "a", Kind: Preferences, Sections: []Section{two}},
		{Name: "b", Kind: GroupRelative, Sections: []Section{group}},
		{Name: "c", Kind: ActorCritic, Sections: []Section{group, two}},
		{Name: "d", Kind: Debates, Sections: []Section{one}},
	}) {
		names = append(names, s.Name)
	}
	if want := []string{"one", "group", "two"}; !slices.Equal(names, want) {
		t.Errorf("sections %q, want %q", names, want)
	}
	for want, all := range map[string][]Algorithm{
		"section one has settings of learn.own and of learn.Optimizer": {
			{Name: "a", Kind: Debates, Sections: []Section{one, {Name: "one", Settings: Optimizer{}}}},
		},
		"algorithm b declares no section with learn.Group": {{Name: "b", Kind: GroupRelative, Sections: []Section{one}}},
	} {
		func() {
			defer func() {
				if p := recover(); !strings.Contains(fmt.Sprint(p), want) {
					t.Errorf("panic %v, want %s", p, want)
				}
			}()
			Sections(all)
		}()
	}
}

// TestCompletions: an agent says at a node one thing in debates, else as much as its group has, unless the algorithm counts itself.
func TestCompletions(t *testing.T) {
	settings := []any{Group{Size: 5}}
	for want, a := range map[int]Algorithm{1: {Kind: Debates}, 5: {Kind: GroupRelative}, 7: {Kind: Preferences, Completions: func([]any) int { return 7 }}} {
		if got := a.CompletionsUnder(settings); got != want {
			t.Errorf("%s: %d completions, want %d", a.Kind, got, want)
		}
	}
}
