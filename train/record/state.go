package record

import (
	"encoding/json"
	"fmt"

	"parley/rl/learn"
	"parley/runs/diagnose"
)

// State is that of the loop.
type State struct {
	Updates int               `json:"updates"`
	Tokens  int               `json:"generated_tokens"`
	Steps   learn.StepCounts  `json:"steps"`
	Tops    learn.StepCounts  `json:"tops,omitempty"`
	Watch   *diagnose.State   `json:"watch,omitempty"`
	Held    []learn.SampleRef `json:"held,omitempty"` // by buffers
	// Averages are those that a learner carries from update to update.
	Averages learn.Averages `json:"averages,omitempty"`
	// Harness counts the episodes of the next update that the team's program has played already; nil: none are.
	Harness json.RawMessage `json:"harness,omitempty"`
}

// Of is the state of a learner.
func (st *State) Of(l learn.Learner) {
	if k, ok := l.(learn.Stateful); ok {
		st.Held = k.State()
	}
	if k, ok := l.(learn.Remembering); ok {
		st.Averages = k.Averages()
	}
}

// Give makes a fresh learner go on from the state.
func (st *State) Give(l learn.Learner) error {
	if k, ok := l.(learn.Remembering); ok {
		k.Remember(st.Averages)
	}
	if k, ok := l.(learn.Stateful); ok {
		return k.Restore(st.Held)
	}
	return nil
}

// ReadState reads the state of a checkpoint. Learners look up by themselves what their state refers to.
func ReadState(data []byte) (State, error) {
	var st State
	if err := json.Unmarshal(data, &st); err != nil {
		return st, err
	}
	least := min(st.Updates, st.Tokens)
	for _, counts := range []learn.StepCounts{st.Steps, st.Tops} {
		for _, n := range counts {
			least = min(least, n)
		}
	}
	for _, at := range st.Held {
		least = min(least, at.Update-1, at.Episode, at.Node, at.Agent)
	}
	for _, a := range st.Averages {
		least = min(least, a.N)
	}
	if least < 0 {
		return st, fmt.Errorf("it counts %d of something", least)
	}
	if st.Watch != nil {
		return st, st.Watch.Check()
	}
	return st, nil
}
