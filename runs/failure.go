package runs

import (
	"encoding/json"
	"fmt"

	"parley/internal/folder"
)

// failureFile says why the last process of a run ended, where that was an error.
const failureFile = "failure.json"

// A failure is what is in it.
type failure struct {
	Error string `json:"error"`
}

// longestFailure bounds the message: what a program or a server said may be of any length.
const longestFailure = 4 << 10

// Fail records that the run ended with an error.
func (r *Run) Fail(cause error) error {
	text := cause.Error()
	if len(text) > longestFailure {
		text = text[:longestFailure] + "…"
	}
	return r.WriteJSON(failureFile, failure{Error: text})
}

// Retry forgets how the run ended before: it goes on.
func (r *Run) Retry() error {
	if err := r.Folder.Remove(failureFile); err != nil {
		return fmt.Errorf("go on with the run: %w", err)
	}
	return nil
}

// readFailure returns how the last process of the run in dir ended, where that was an error.
func readFailure(dir string) (f failure, failed bool) {
	data, err := folder.ReadFile(dir, failureFile)
	return f, err == nil && json.Unmarshal(data, &f) == nil
}
