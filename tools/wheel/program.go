package main

import (
	"bytes"
	"cmp"
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"time"
)

// A program is one that is built, and what it says about itself: also a program of another system.
type program struct {
	*debug.BuildInfo
	data    []byte
	system  string // such as linux/amd64
	version string // as Python writes versions
	tagged  bool   // it is that of a release
	changed time.Time
}

func (p *program) windows() bool { return strings.HasPrefix(p.system, "windows/") }

// name is that of the program's file.
func (p *program) name() string {
	if p.windows() {
		return "parley.exe"
	}
	return "parley"
}

func read(file string) (*program, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	info, err := buildinfo.Read(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	p, err := said(info, data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return p, nil
}

// said is what a program says about itself. Its files are those of its commit's time; a zip archive can say none before 1980.
func said(info *debug.BuildInfo, data []byte) (*program, error) {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	p := &program{BuildInfo: info, data: data, system: settings["GOOS"] + "/" + settings["GOARCH"], changed: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}
	if settings["CGO_ENABLED"] != "0" {
		return nil, fmt.Errorf("it may need libraries of this machine: build it with CGO_ENABLED=0")
	}
	if at := settings["vcs.time"]; at != "" {
		committed, err := time.Parse(time.RFC3339, at)
		if err != nil {
			return nil, fmt.Errorf("the time of its commit: %w", err)
		}
		if committed.After(p.changed) {
			p.changed = committed.UTC()
		}
	}
	p.version, p.tagged = python(info.Main.Version)
	if !p.tagged || settings["vcs.modified"] == "true" {
		commit := settings["vcs.revision"]
		p.version, p.tagged = strings.TrimSuffix("0.0.0.dev0+g"+commit[:min(12, len(commit))], "+g"), false
	}
	return p, nil
}

var released = regexp.MustCompile(`^v(\d+\.\d+\.\d+)(?:-(alpha|beta|rc)\.?(\d+))?$`)

// python writes the version of a release as PEP 440 does. Whatever else Go writes is none: (devel), +dirty, the version of a commit without a tag.
func python(version string) (string, bool) {
	m := released.FindStringSubmatch(version)
	if m == nil {
		return "", false
	}
	return m[1] + cmp.Or(map[string]string{"alpha": "a", "beta": "b"}[m[2]], m[2]) + m[3], true
}

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
