package runs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"parley/runs/store"
)

// costsFile of a checkpoint has the costs of its update: timing.jsonl and trace.json get those when the checkpoint is written, and a process may
// end in between.
const costsFile = "costs.json"

// Costs are a line of timing.jsonl and the events of trace.json.
type costs struct {
	Timing json.RawMessage `json:"timing"`
	Trace  json.RawMessage `json:"trace"`
}

// Cost notes what an update has cost so far, for the next checkpoint.
func (r *Run) Cost(timing, events any) (err error) {
	var c costs
	if c.Timing, err = json.Marshal(timing); err != nil {
		return fmt.Errorf("timing: %w", err)
	}
	if c.Trace, err = json.Marshal(events); err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	r.costs, err = json.Marshal(c)
	return err
}

// cutCosts drops the costs of updates after most, fills in what the checkpoint knows of its own, and says which are missing.
func (r *Run) cutCosts(most int) (notes []string, err error) {
	for _, file := range []interface {
		Salvage(most int) (string, error)
		Cut(most int) error
	}{r.timing, r.trace} {
		note, err := file.Salvage(most)
		if note != "" {
			notes = append(notes, note)
		}
		if err == nil {
			err = file.Cut(most)
		}
		if err != nil {
			return notes, err
		}
	}
	if err := r.fillCosts(most); err != nil {
		return notes, err
	}
	note, err := r.missingCosts(most)
	if note != "" {
		notes = append(notes, note)
	}
	return notes, err
}

// fillCosts adds the costs of an update from its checkpoint, where its process ended right after that.
func (r *Run) fillCosts(update int) error {
	data, err := r.Folder.ReadFile(inCheckpoints(checkpointName(update) + "/" + costsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var c costs
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	if err != nil {
		return fmt.Errorf("read costs: %w", err)
	}
	if n, ok := UpdateOf(c.Timing); !ok || n != update {
		return nil // of a checkpoint that was written without
	}
	if r.timing.Last < update {
		if err := r.timing.Append(store.Line{Update: update, Data: append(c.Timing, '\n')}); err != nil {
			return err
		}
	}
	traced, err := r.trace.Updates()
	if err != nil || traced[update] {
		return err
	}
	var events []json.RawMessage
	if err := json.Unmarshal(c.Trace, &events); err != nil {
		return fmt.Errorf("read costs: %w", err)
	}
	return r.trace.Append(events)
}

// missingCosts says of which updates timing.jsonl or trace.json have nothing.
func (r *Run) missingCosts(most int) (note string, err error) {
	data, err := r.timing.Content()
	if err != nil {
		return "", err
	}
	timed := store.Updates(data)
	traced, err := r.trace.Updates()
	if err != nil {
		return "", err
	}
	var parts []string
	if list := store.Absent(timed, most); list != "" {
		parts = append(parts, "timing.jsonl has nothing of updates "+list+", whose seconds are not in the report")
	}
	if list := store.Absent(traced, most); list != "" && len(traced) > 0 {
		parts = append(parts, "trace.json has nothing of updates "+list)
	}
	return strings.Join(parts, "; "), nil
}

// AppendTrace adds the events of an update to trace.json. Each must have the update in its field "args.update", and updates do
// not decrease.
func (r *Run) AppendTrace(update int, events any) error {
	data, err := json.Marshal(events)
	if err != nil {
		return fmt.Errorf("trace of update %d: %w", update, err)
	}
	var list []json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil {
		return fmt.Errorf("trace of update %d: %w", update, err)
	}
	return r.trace.Append(list)
}
