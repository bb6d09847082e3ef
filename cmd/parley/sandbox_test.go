//go:build sandbox

package main

import "testing"

// TestSandboxScripts runs what a user could type on a machine with bubblewrap and Python.
func TestSandboxScripts(t *testing.T) { runScripts(t, "testdata/sandbox") }
