//go:build !unix

package service

import "os/exec"

func startGroup(cmd *exec.Cmd) error { return cmd.Start() }

// interruptGroup does nothing: nobody can be asked here.
func interruptGroup(*exec.Cmd) {}

// killGroup ends the leader alone: there are no groups here.
func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func goesOn(_ *exec.Cmd, ended <-chan struct{}) bool {
	select {
	case <-ended:
		return false
	default:
		return true
	}
}
