package dataset

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"parley/task"
)

// TestHashed: however many problems there are, both parts have some, none is in both, about one in five is held out, and the same ones in
// whatever order they come.
func TestHashed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 60).Draw(t, "n")
		from := rapid.IntRange(0, 1000).Draw(t, "from")
		var all []task.Problem
		for i := range n {
			all = append(all, task.Problem{Question: fmt.Sprint("question ", from+i)})
		}
		train, held := Hashed(all)
		if len(train) == 0 || len(held) == 0 || len(train)+len(held) != n {
			t.Fatalf("%d and %d of %d", len(train), len(held), n)
		}
		shuffled := rapid.Permutation(all).Draw(t, "order")
		_, again := Hashed(shuffled)
		if _, overlap := task.Apart(again, held); overlap != len(held) || len(again) != len(held) {
			t.Fatalf("other problems in another order: %v, %v", held, again)
		}
	})
	var many []task.Problem
	for i := range 2000 {
		many = append(many, task.Problem{Question: fmt.Sprint("question ", i)})
	}
	if _, held := Hashed(many); len(held) < 350 || len(held) > 450 {
		t.Errorf("%d of 2000 are held out", len(held))
	}
}
