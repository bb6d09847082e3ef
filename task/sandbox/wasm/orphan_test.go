package wasm

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"parley/task/sandbox"
)

// runForever says which child it has, and gives it programs that do not end.
func runForever(source string) {
	b, err := open(context.Background(), "", sandbox.Options{Workers: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(childOf(&sandbox.Pool{Backend: b}).cmd.Process.Pid)
	forever := sandbox.Program{Source: source, Limits: sandbox.Limits{Wall: time.Hour}}
	_, err = b.(*machine).Join(context.Background(), forever, forever)
	fmt.Println(err)
}

// TestKilledParent kills the process that has a child, which ends whatever it is at.
func TestKilledParent(t *testing.T) {
	tinyChildren(t, "walls")
	killParent(t, "loop", 300*time.Millisecond)
}

// killParent kills a process whose child runs two of the programs for so long.
func killParent(t *testing.T, source string, after time.Duration) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	parent := exec.Command(self)
	parent.Env = append(os.Environ(), parentVariable+"="+source)
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
	time.Sleep(after) // both programs run
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
