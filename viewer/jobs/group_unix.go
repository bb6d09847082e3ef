//go:build unix

package jobs

import (
	"os"
	"os/exec"
	"syscall"
)

// apart keeps a terminal's ^C from a job.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// interrupt asks a run to save its state and end.
func interrupt(p *os.Process) error { return p.Signal(os.Interrupt) }
