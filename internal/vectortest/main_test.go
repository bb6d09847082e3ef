package vectortest

import (
	"os"
	"testing"

	"parley/task/sandbox/wasm"
)

// TestMain lets the code sections run in the portable sandbox too, whose children are copies of this process.
func TestMain(m *testing.M) {
	wasm.ServeIfChild()
	os.Exit(m.Run())
}
