package wasm

import (
	"context"
	"fmt"
	"os"
	"testing"

	"parley/task/sandbox"
)

const (
	// tinyVariable marks children that run a program of these tests in Python's place: that of [tiny] by its name.
	tinyVariable = "PARLEY_TEST_TINY"
	// parentVariable marks a process that is to be killed with a child at work. It holds the source of programs that do not end.
	parentVariable = "PARLEY_TEST_PARENT"
)

// TestMain serves as a child, or as a parent to be killed, where a test started this process as one.
func TestMain(m *testing.M) {
	if name := os.Getenv(tinyVariable); name != "" && os.Getenv(childVariable) != "" {
		load := func() (string, []byte, error) { return name, tiny(name), nil }
		if err := serve(context.Background(), os.Stdin, os.Stdout, load); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	ServeIfChild()
	if source := os.Getenv(parentVariable); source != "" {
		runForever(source)
		return
	}
	os.Exit(m.Run())
}

// openTiny opens a pool whose programs are run by the tiny program.
func openTiny(t *testing.T, workers int) *sandbox.Pool {
	t.Helper()
	tinyChildren(t, "walls")
	b, err := open(t.Context(), "tiny", sandbox.Options{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return &sandbox.Pool{Backend: b, Name: Name}
}

// tinyChildren makes children of this test run one of the tiny programs.
func tinyChildren(t *testing.T, name string) {
	t.Helper()
	t.Setenv(tinyVariable, name)
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // compiled code is none of the user's
}

// childOf is the only child of a pool of one worker.
func childOf(p *sandbox.Pool) *process {
	m := p.Backend.(*machine)
	child := <-m.slots
	m.slots <- child
	return child
}
