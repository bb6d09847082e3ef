package labelled

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"parley/task"
)

// TestIndex: a large data set is gone through once; what is kept gives the same problems, and a changed file is noticed.
func TestIndex(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	path := filepath.Join(t.TempDir(), "big.jsonl")
	var b strings.Builder
	b.WriteString("\ufeff\n")
	for i := 0; b.Len() < leastIndexed; i++ {
		fmt.Fprintf(&b, "  {\"question\":\"How many %d? é\",\"answer\":\"#### %d\",\"pad\":%q}\r\n\n", i, i, strings.Repeat("x", 4000))
	}
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(b.String())
	open := func() (*Task, []task.Problem) {
		opened, err := Open(t.Context(), GSM8K, Settings{Path: path}, false, task.Environment{})
		if err != nil {
			t.Fatal(err)
		}
		list, err := opened.Problems(task.Train, 50)
		if err != nil {
			t.Fatal(err)
		}
		return opened, list
	}
	indexes := func() int {
		list, err := os.ReadDir(filepath.Join(cache, "parley", "data"))
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	first, problems := open()
	second, again := open()
	if !reflect.DeepEqual(problems, again) || first.Account() != second.Account() || first.Count(task.Test) != second.Count(task.Test) || len(problems) != 50 || indexes() != 1 {
		t.Errorf("%d problems, %q and %q, %d indexes", len(problems), first.Account(), second.Account(), indexes())
	}
	write(b.String() + `{"question":"One more?","answer":"#### 1"}` + "\n")
	if _, err := second.Problems(task.Train, 1); err == nil || !strings.Contains(err.Error(), "big.jsonl") || !strings.Contains(err.Error(), "has changed since") {
		t.Errorf("a changed file: %v", err)
	}
	third, _ := open()
	if n := third.Count(task.Train) + third.Count(task.Test); n != first.Count(task.Train)+first.Count(task.Test)+1 || indexes() != 2 {
		t.Errorf("%d problems, %d indexes", n, indexes())
	}
}
