package service

import (
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// starter runs functions on a thread that never ends: a child gets the signal of its parent's death when the thread ends that has started it.
var starter = sync.OnceValue(func() chan func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range work {
			f()
		}
	}()
	return work
})

// startGroup starts the leader of a group, which ends when parley does.
func startGroup(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	done := make(chan error)
	starter() <- func() { done <- cmd.Start() }
	return <-done
}
