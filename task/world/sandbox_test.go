//go:build sandbox

package world

import (
	"testing"
	"time"
)

// TestIsolated is a Python file of which every call runs in a sandbox.
func TestIsolated(t *testing.T) {
	e := open(t, External{Python: file(t, count), Isolated: true, Deadline: 5 * time.Second})
	play(t, e, map[string]string{
		"loop": "No answer before the deadline", "nan": "step returned nan at rewards, expected a finite number", "inside": "step returned -inf at state.a[1], expected a finite number", "exit": "it left the interpreter with exit code 3", "set": "not JSON serializable",
		"list": "step returned [1], expected a dict", "many": "invalid literal for int()", "flood": "its answer is longer than", "grow": "MemoryError",
	})
}

// TestStatefulIsolated is a Python file with a sandbox for each episode.
func TestStatefulIsolated(t *testing.T) {
	e := openStateful(t, External{Python: file(t, counter), Isolated: true, Deadline: 5 * time.Second})
	playStateful(t, e, map[string]string{"loop": "No answer before the deadline", "exit": "it left the interpreter with exit code 3", "raise": "ValueError: no more", "flood": "its answer is longer than"})
}
