package cli

import (
	"runtime"
	"runtime/debug"
	"strings"
)

// release is the version of a release: tools/release sets it when it builds one.
var release string

// A Build is what the binary knows about how it was made.
type Build struct {
	Version string `json:"version"` // of the release or the module; (devel) when built from a checkout
	Commit  string `json:"commit"`  // with + where files had been changed; unknown when built without version control, empty for a release
	Go      string `json:"go"`
}

// ThisBuild says which build this program is.
func ThisBuild() Build {
	b := Build{Version: "(devel)", Commit: "unknown", Go: runtime.Version()}
	if release != "" {
		b.Version, b.Commit = release, ""
		return b
	}
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
	return strings.TrimSpace(b.Version + " " + b.Commit)
}
