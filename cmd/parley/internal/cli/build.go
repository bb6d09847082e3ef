package cli

import (
	"runtime"
	"runtime/debug"
)

// api is the number of what programs read of parley: its JSON, its events and its calls. It changes where what was there has another meaning or goes.
const api = 1

// A Build is what the binary knows about how it was made.
type Build struct {
	Version string `json:"version"` // the tag of the commit, or what Go calls a commit without one; (devel) when built without version control
	Commit  string `json:"commit"`  // with + where files had been changed; unknown when built without version control
	Go      string `json:"go"`
	API     int    `json:"api"`
}

// ThisBuild says which build this program is.
func ThisBuild() Build {
	b := Build{Version: "(devel)", Commit: "unknown", Go: runtime.Version(), API: api}
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

// VersionString is what a run records.
func VersionString() string {
	b := ThisBuild()
	return b.Version + " " + b.Commit
}
