package task_test

import (
	"testing"

	"parley/task"
)

func TestRewardVariants(t *testing.T) {
	for _, v := range []task.RewardVariant{task.Standard, task.Robust, task.Compat} {
		if err := v.Check(); err != nil {
			t.Error(err)
		}
	}
	if task.RewardVariant("strict").Check() == nil {
		t.Error("variant strict is known")
	}
}
