//go:build unix

package traincmd

import (
	"os"
	"os/exec"
	"syscall"
)

// apart keeps a terminal's ^C from a run: it would be the first of two, and a second one ends a run before it has saved its state.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// interrupt asks a run to save its state and end.
func interrupt(p *os.Process) error { return p.Signal(os.Interrupt) }

// signalGroup asks a process and those of its group to end, or ends them.
func signalGroup(pid int, now bool) error {
	signal := syscall.SIGTERM
	if now {
		signal = syscall.SIGKILL
	}
	if err := syscall.Kill(-pid, signal); err != nil && err != syscall.ESRCH {
		return err
	}
	return nil
}
