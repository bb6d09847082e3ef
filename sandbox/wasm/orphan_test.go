//go:build portable

package wasm

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"parley/sandbox"
)

// parentVariable marks a process that TestKilledParent started.
const parentVariable = "PARLEY_TEST_PARENT"

// runForever says which child it has, and gives it programs that do not end.
func runForever() {
	p, err := sandbox.Open(context.Background(), sandbox.Options{Workers: 1, Backend: Name})
	if err != nil {
		fmt.Println(err)
		return
	}
	m := p.Backend.(*machine)
	child := <-m.slots
	m.slots <- child
	fmt.Println(child.cmd.Process.Pid)
	forever := sandbox.Program{Source: "while True: pass", Limits: sandbox.Limits{Wall: time.Hour}}
	_, err = m.Join(context.Background(), forever, forever)
	fmt.Println(err)
}

// TestKilledParent kills the process that has a child, which ends whatever it is at.
func TestKilledParent(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	parent := exec.Command(self)
	parent.Env = append(os.Environ(), parentVariable+"=1")
	stdout, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	var child int
	if _, err := fmt.Fscan(stdout, &child); err != nil {
		t.Fatalf("no child: %v", err)
	}
	time.Sleep(2 * time.Second) // both programs run
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait() // it was killed
	for range 100 {
		if data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", child)); err != nil || ended(data) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("child %d outlives its parent", child)
	if process, err := os.FindProcess(child); err == nil {
		_ = process.Kill()
	}
}

// ended reports whether a process waits for nothing but to be noticed, where nobody does.
func ended(stat []byte) bool {
	var pid int
	var name, state string
	_, err := fmt.Sscan(string(stat), &pid, &name, &state)
	return err == nil && state == "Z"
}
