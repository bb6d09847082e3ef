// Package versioncmd is the verb version: which release and commit this program was made from, and with which Go.
package versioncmd

import (
	"parley/cmd/parley/internal/cli"
)

// Cmd is the verb version.
type Cmd struct {
	JSON bool `name:"json" help:"Print one JSON object {\"version\",\"commit\",\"go\"}."`
}

func (Cmd) Help() string {
	return `Example:

    parley version --json

Exit codes: 0 printed.`
}

func (c *Cmd) Run(a *cli.App) error {
	b := cli.ThisBuild()
	if c.JSON {
		return a.PrintJSON(b)
	}
	return a.Printf("parley %s\ncommit %s\n%s\n", b.Version, b.Commit, b.Go)
}
