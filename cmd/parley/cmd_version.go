package main

import (
	"runtime"
	"runtime/debug"
)

type versionCmd struct {
	JSON bool `name:"json" help:"Print one JSON object {\"version\",\"commit\",\"go\"}."`
}

func (versionCmd) Help() string {
	return `Example:

    parley version --json

Exit codes: 0 printed.`
}

// A build is what the binary knows about how it was made.
type build struct {
	Version string `json:"version"` // of the module; (devel) when built from a checkout
	Commit  string `json:"commit"`  // with + where files had been changed; unknown when built without version control
	Go      string `json:"go"`
}

func (c *versionCmd) Run(a *app) error {
	b := thisBuild()
	if c.JSON {
		return a.printJSON(b)
	}
	return a.printf("parley %s\ncommit %s\n%s\n", b.Version, b.Commit, b.Go)
}

func thisBuild() build {
	b := build{Version: "(devel)", Commit: "unknown", Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	}
	changed := ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			b.Commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+"
		}
	}
	b.Commit += changed
	return b
}

// versionString is what a run records.
func versionString() string {
	b := thisBuild()
	return b.Version + " " + b.Commit
}
