package train

import (
	"strings"
	"testing"

	"parley/recipe"
	"parley/task"
	"parley/task/user"
)

// TestEarly: only what waits for something else than the processor is judged early, and nothing that an engine or a program with a
// memory has a part in.
func TestEarly(t *testing.T) {
	for sets, want := range map[string]bool{
		"": false,
		"reward.source=user reward.user.url=http://127.0.0.1:1":                 true,
		"reward.source=user reward.user.python=a.py":                            true,
		"reward.source=user reward.user.python=a.py reward.user.isolated=false": false,
		"reward.source=user reward.user.command=[a]":                            false,
		"reward.source=user reward.user.expression=1":                           false,
		"task.name=mbpp": true,
	} {
		r, err := recipe.Load("magrpo-tiny", strings.Fields(sets))
		if err != nil {
			t.Fatal(err)
		}
		j := &judge{recipe: r}
		if r.Reward.OfTask() {
			j.joint = struct{ task.JointScorer }{}
		} else {
			j.user = new(user.Reward)
		}
		if got := j.Streams(); got != want {
			t.Errorf("%q: %v, want %v", sets, got, want)
		}
		j.model = new(rewardModel)
		if j.Streams() {
			t.Errorf("%q: a reward model is asked while the engines sample", sets)
		}
	}
}
