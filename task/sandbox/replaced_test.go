//go:build sandbox

package sandbox

import "testing"

// TestOneProgramAWorker is TestWalls where workers may not make namespaces, as on a machine whose rules take capabilities from what
// bubblewrap starts.
func TestOneProgramAWorker(t *testing.T) {
	for name, test := range modes {
		t.Run(name, func(t *testing.T) { test(t, Options{Workers: 1, shared: true}) })
	}
}
