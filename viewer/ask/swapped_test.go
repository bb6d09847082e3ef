package ask

import (
	"fmt"
	"sync"
	"testing"

	"parley/viewer/episodes"
)

// TestKeepOfManySwaps: results that many keep at a time all stay, and no two have the same number.
func TestKeepOfManySwaps(t *testing.T) {
	dir := t.TempDir()
	const many = 40
	told := make([]Swapped, many)
	var all sync.WaitGroup
	for i := range told {
		all.Go(func() {
			kept, err := keepSwaps(dir, Swapped{Title: fmt.Sprint("change ", i), Lines: []episodes.Line{}, Swapped: []episodes.Line{}})
			if err != nil {
				t.Error(err)
			}
			told[i] = kept
		})
	}
	all.Wait()
	list, _, err := ReadSwaps(dir)
	if err != nil || len(list) != many {
		t.Fatalf("%d results are kept of %d: %v", len(list), many, err)
	}
	for i, r := range list {
		if r.ID != i+1 {
			t.Errorf("result %d has the number %d", i+1, r.ID)
		}
	}
	for _, r := range told {
		if r.ID < 1 || r.ID > many || list[r.ID-1].Title != r.Title {
			t.Errorf("who kept %s was told the number %d", r.Title, r.ID)
		}
	}
}
