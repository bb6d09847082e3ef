// Package state is what a checkpoint says of its training, beside the policies.
package state

import (
	"encoding/json"
	"fmt"

	"parley/diagnose"
	"parley/learn"
)

// State is that of the loop.
type State struct {
	Updates int               `json:"updates"`
	Tokens  int               `json:"generated_tokens"`
	Steps   learn.StepCounts  `json:"steps"`
	Watch   *diagnose.State   `json:"watch,omitempty"`
	Held    []learn.SampleRef `json:"held,omitempty"` // by buffers
}

// Read reads the state of a checkpoint. What it refers to is looked up by those who use it.
func Read(data []byte) (State, error) {
	var st State
	if err := json.Unmarshal(data, &st); err != nil {
		return st, err
	}
	least := min(st.Updates, st.Tokens)
	for _, n := range st.Steps {
		least = min(least, n)
	}
	for _, at := range st.Held {
		least = min(least, at.Update-1, at.Episode, at.Node, at.Agent)
	}
	if least < 0 {
		return st, fmt.Errorf("it counts %d of something", least)
	}
	if st.Watch != nil {
		return st, st.Watch.Check()
	}
	return st, nil
}
