package train

import (
	"encoding/json"
	"fmt"

	"parley/diagnose"
	"parley/learn"
)

// saved is the state of a loop in a checkpoint, beside the policies.
type saved struct {
	Updates int               `json:"updates"`
	Tokens  int               `json:"generated_tokens"`
	Steps   learn.StepCounts  `json:"steps"`
	Watch   *diagnose.State   `json:"watch,omitempty"`
	Held    []learn.SampleRef `json:"held,omitempty"` // by buffers
}

// readState reads the state of a checkpoint. What it refers to is looked up by those who use it.
func readState(data []byte) (saved, error) {
	var st saved
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
