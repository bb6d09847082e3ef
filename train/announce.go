package train

import (
	"fmt"
	"slices"

	"parley/engine"
	"parley/task"
)

// announce says what became of the records of a data set, and of problems that are too long, and that the processor is one that computes
// slowly.
func (s *session) announce(observe func(Event)) {
	for _, one := range distinct([]task.Task{s.task, s.measured}) {
		if t, ok := one.(interface{ Account() string }); ok {
			observe(Event{Kind: Note, Message: fmt.Sprintf("task %s: %s", one.Name(), t.Account())})
		}
	}
	if most := s.recipe.Task.MaxQuestionTokens; most > 0 {
		observe(Event{Kind: Note, Message: fmt.Sprintf("task %s: %d of %d training problems have questions of more than %d tokens and are left out", s.task.Name(), s.long, s.long+len(s.order.problems), most)})
	}
	if _, why := s.backend.Kernels(engineOptions(s.recipe.Engine)); why != "" {
		observe(Event{Kind: Note, Message: why})
	}
}

// tell passes on what engines have done in another way than they were asked to, because memory was short.
func (s *session) tell(observe func(Event)) {
	for _, b := range s.bases {
		noter, ok := b.engine.(engine.Noter)
		if !ok {
			continue
		}
		for _, note := range noter.Notes() {
			if len(s.bases) > 1 {
				note = fmt.Sprintf("model %s: %s", b.name, note)
			}
			observe(Event{Kind: Note, Message: note})
		}
	}
}

func distinct[T comparable](list []T) []T {
	var out []T
	for _, s := range list {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
