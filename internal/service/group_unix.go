//go:build unix

package service

import (
	"os/exec"
	"syscall"
)

// startGroup starts the leader of a group.
func startGroup(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return startMortal(cmd)
}

// interruptGroup asks all of a group to end.
func interruptGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

// killGroup ends all of a group.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// goesOn says whether somebody of a group is there, its leader or another.
func goesOn(cmd *exec.Cmd, _ <-chan struct{}) bool { return syscall.Kill(-cmd.Process.Pid, 0) == nil }
