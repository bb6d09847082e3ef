//go:build !unix

package jobs

import (
	"os"
	"os/exec"
)

// apart does nothing: ^C in a console reaches a run too, once.
func apart(*exec.Cmd) {}

// interrupt ends a run, which goes on from its last checkpoint when it is resumed.
func interrupt(p *os.Process) error { return p.Kill() }
