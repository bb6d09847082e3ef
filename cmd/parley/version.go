package main

import (
	"parley/cmd/parley/internal/cli"
)

// versionCmd is the verb version.
type versionCmd struct {
	JSON bool `name:"json" help:"Print one JSON object {\"version\",\"commit\",\"go\"}."`
}

func (versionCmd) Help() string {
	return `Example:

    parley version --json

Exit codes: 0 printed.`
}

func (c *versionCmd) Run(a *cli.App) error {
	b := cli.ThisBuild()
	if c.JSON {
		return a.PrintJSON(b)
	}
	return a.Printf("parley %s\ncommit %s\n%s\n", b.Version, b.Commit, b.Go)
}
