//go:build unix && !linux

package service

import (
	"os/exec"
	"syscall"
)

// startGroup starts the leader of a group. Nothing tells it of parley's death here.
func startGroup(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd.Start()
}

func interruptGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

func goesOn(cmd *exec.Cmd, _ <-chan struct{}) bool { return syscall.Kill(-cmd.Process.Pid, 0) == nil }
