//go:build !unix

package traincmd

import (
	"os"
	"os/exec"
)

// apart does nothing: ^C in a console reaches a run too, once.
func apart(*exec.Cmd) {}

// interrupt leaves a run to the console's ^C. A run that does not react is killed after a while; it can be resumed from its last
// checkpoint.
func interrupt(*os.Process) error { return nil }

// signalGroup ends a process.
func signalGroup(pid int, _ bool) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return p.Kill()
}
