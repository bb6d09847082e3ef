package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// program reads the program that the command line names, or builds the one of a system.
func (o options) program(system string) (*program, error) {
	if o.binary != "" {
		return read(o.binary)
	}
	dir, err := os.MkdirTemp("", "parley-release-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	built := filepath.Join(dir, "parley")
	if err := build(system, built); err != nil {
		return nil, fmt.Errorf("build for %s: %w", system, err)
	}
	return read(built)
}

// build makes the program of a system. What the environment says of builds does not count. Version control does: it has the version.
func build(system, to string) error {
	goos, goarch, _ := strings.Cut(system, "/")
	c := exec.Command("go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w", "-o", to, "./cmd/parley")
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch, "GOFLAGS=", "GOWORK=off", "GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=")
	c.Stderr = os.Stderr
	return c.Run()
}
