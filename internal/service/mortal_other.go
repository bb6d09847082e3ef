//go:build unix && !linux

package service

import "os/exec"

// startMortal starts a program. Nothing tells it of parley's death here.
func startMortal(cmd *exec.Cmd) error { return cmd.Start() }
