package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestGenerated: what is in the package is what this program writes.
func TestGenerated(t *testing.T) {
	for name, want := range files() {
		got, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%s differs from what gen writes: run go generate in engine/native/kernel", name)
		}
	}
}
