package world

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/task"
)

// TestItems: reset gets all of a row with its own id, the truth included; no prompt sees the truth; splits share no item.
func TestItems(t *testing.T) {
	path := filepath.Join(t.TempDir(), "items.jsonl")
	text := `{"id":"first","question":"Go.","walls":[1,2],"answer":7}` + "\n" + `{"question":"Go.","walls":[3]}` + "\n" + `{"walls":[4]}` + "\n" + `{"walls":[4]}`
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	w := &Task{}
	items, err := w.load(t.Context(), path, "")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(w.Account(), "left out: 1 that say what another item says") {
		t.Errorf("the account %q does not say that an item stands twice", w.Account())
	}
	all := append(w.splits[task.Train], w.splits[task.Test]...)
	if len(all) != 3 || len(items) != 3 {
		t.Fatalf("%v, %s", all, items)
	}
	if got := string(itemOf(items)(task.Problem{ID: "first"})); got != `{"answer":7,"id":"first","question":"Go.","walls":[1,2]}` {
		t.Errorf("reset gets %s", got)
	}
	for _, p := range all {
		var item struct{ ID string }
		if json.Unmarshal(items[p.ID], &item) != nil || item.ID != p.ID {
			t.Errorf("%s: the item is %s", p.ID, items[p.ID])
		}
		if p.ID == "first" && (p.Truth != "7" || p.Fields["answer"] != "" || p.Fields["walls"] != "[1,2]" || p.Question != "Go.") {
			t.Errorf("%+v", p)
		}
	}
}

// TestCheck: exactly one source; a game has its own items and its own number of agents; a user's environment needs items and a range.
func TestCheck(t *testing.T) {
	for want, s := range map[string]Settings{
		"":                           {Environment: Source{Name: "path", Isolated: true}},
		"without environment.python": {Environment: Source{Command: []string{"x"}}, Path: "x", MaxReward: 1},
		"without environment.url":    {Environment: Source{Python: "x.py", KeyEnv: "KEY"}, Path: "x", MaxReward: 1},
		"has 0 of name":              {},
		"has 2 of name":              {Environment: Source{Name: "path", URL: "http://x"}},
		`is "chess"`:                 {Environment: Source{Name: "chess"}},
		"names items":                {Environment: Source{Name: "kuhn"}, Path: "x"},
		"is empty":                   {Environment: Source{Python: "x.py"}, MaxReward: 1},
		"is a pure function":         {Environment: Source{Name: "path", Stateful: true}},
		"cannot branch":              {Environment: Source{Python: "x.py", Stateful: true}, Path: "x", MaxReward: 1},
		"expected more than min":     {Environment: Source{Python: "x.py"}, Path: "x"},
	} {
		faults := s.check(task.Team{Agents: 2})
		if want == "" && len(faults) > 0 || want != "" && (len(faults) != 1 || !strings.Contains(faults[0].Message, want)) {
			t.Errorf("%+v: %v, want %q", s, faults, want)
		}
	}
	stateful := Settings{Environment: Source{Python: "x.py", Stateful: true}, Path: "x", MaxReward: 1}
	if faults := stateful.check(task.Team{Agents: 2, Episodes: true}); len(faults) > 0 {
		t.Errorf("whole episodes: %v", faults)
	}
	if faults := (Settings{Environment: Source{Name: "path"}}).check(task.Team{Agents: 3}); len(faults) != 1 {
		t.Errorf("three agents: %v", faults)
	}
}

// TestSeeds: items that differ by their ids alone are different items, on both sides; items that say the same twice are one.
func TestSeeds(t *testing.T) {
	var b strings.Builder
	for i := range 40 {
		b.WriteString(`{"id":"` + strings.Repeat("s", i+1) + `","question":"Play."}` + "\n")
	}
	b.WriteString(`{"id":"s","question":"Play."}` + "\n")
	path := filepath.Join(t.TempDir(), "seeds.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	w := &Task{}
	items, err := w.load(t.Context(), path, "")
	if err != nil {
		t.Fatal(err)
	}
	if n, m := len(w.splits[task.Train]), len(w.splits[task.Test]); len(items) != 40 || n+m != 40 || m < 2 || !strings.Contains(w.Account(), "left out: 1 that say") {
		t.Errorf("%d items, %d training and %d held out: %s", len(items), n, m, w.Account())
	}
}
