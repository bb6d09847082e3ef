//go:build unix

package service

import (
	"os"
	"os/exec"
	"syscall"
)

// Apart has a command lead a group of its own: a terminal's ^C would be the first of two for a run, and a second one ends a run before it has saved its state.
func Apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// Interrupt asks a run to save its state and end. asked is false where nobody can be asked.
func Interrupt(p *os.Process) (asked bool, err error) { return true, p.Signal(os.Interrupt) }

// KeepFromChildren closes a descriptor in programs that are started.
func KeepFromChildren(fd uintptr) { syscall.CloseOnExec(int(fd)) }

// EndGroup asks all of the group of a leader to end, or ends them now.
func EndGroup(pid int, now bool) error {
	signal := syscall.SIGTERM
	if now {
		signal = syscall.SIGKILL
	}
	if err := syscall.Kill(-pid, signal); err != nil && err != syscall.ESRCH {
		return err
	}
	return nil
}

// goesOn says whether somebody of a group is there, its leader or another.
func goesOn(cmd *exec.Cmd, _ <-chan struct{}) bool { return syscall.Kill(-cmd.Process.Pid, 0) == nil }
