//go:build !unix

package service

import (
	"os"
	"os/exec"
)

func startGroup(cmd *exec.Cmd) error { return cmd.Start() }

// Apart does nothing: ^C in a console reaches a run too, once.
func Apart(*exec.Cmd) {}

// Interrupt asks nobody: a run gets the console's ^C. One that is killed goes on from its last checkpoint when it is resumed.
func Interrupt(*os.Process) (asked bool, err error) { return false, nil }

// KeepFromChildren does nothing: a program that is started gets what it is given alone.
func KeepFromChildren(uintptr) {}

// EndGroup ends the leader alone, when it may not be asked any more: there are no groups here.
func EndGroup(pid int, now bool) error {
	p, err := os.FindProcess(pid)
	if err != nil || !now {
		return err
	}
	return p.Kill()
}

func goesOn(_ *exec.Cmd, ended <-chan struct{}) bool {
	select {
	case <-ended:
		return false
	default:
		return true
	}
}
