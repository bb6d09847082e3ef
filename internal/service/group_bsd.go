//go:build unix && !linux

package service

import "os/exec"

// startGroup starts the leader of a group. Nothing tells it of parley's death here.
func startGroup(cmd *exec.Cmd) error {
	Apart(cmd)
	return cmd.Start()
}
