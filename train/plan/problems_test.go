package plan

import (
	"reflect"
	"testing"

	"parley/task"
)

// TestOrder: every epoch deals every problem once, in another order, the same for the same seed.
func TestOrder(t *testing.T) {
	problems := make([]task.Problem, 10)
	for i := range problems {
		problems[i].ID = string(rune('a' + i))
	}
	o := &ProblemSampler{Problems: problems, PerUpdate: 4, Seed: 3}
	var dealt []string
	for u := range 5 {
		for _, p := range o.Batch(u) {
			dealt = append(dealt, p.ID)
		}
	}
	for epoch := range 2 {
		seen := map[string]bool{}
		for _, id := range dealt[epoch*10 : epoch*10+10] {
			seen[id] = true
		}
		if len(seen) != 10 {
			t.Errorf("epoch %d deals %v", epoch, dealt[epoch*10:epoch*10+10])
		}
	}
	if reflect.DeepEqual(dealt[:10], dealt[10:]) {
		t.Error("two epochs have one order")
	}
	again := &ProblemSampler{Problems: problems, PerUpdate: 4, Seed: 3}
	if got := again.Batch(3); got[0].ID != dealt[12] {
		t.Error("a batch depends on the batches before")
	}
}
