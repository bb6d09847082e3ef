package score

import (
	"strings"
	"testing"

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
		r, err := lang.Load("magrpo-tiny", strings.Fields(sets))
		if err != nil {
			t.Fatal(err)
		}
		s := &Scorer{recipe: r}
		if r.Reward.OfTask() {
			s.joint = struct{ task.JointScorer }{}
		} else {
			s.user = new(user.Reward)
		}
		if got := s.Streams(); got != want {
			t.Errorf("%q: %v, want %v", sets, got, want)
		}
		s.model = struct{ JointModel }{}
		if s.Streams() {
			t.Errorf("%q: a reward model is asked while the engines sample", sets)
		}
	}
}
