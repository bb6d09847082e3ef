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
	commit := ""
	if b.Commit != "" {
		commit = "commit " + b.Commit + "\n"
	}
	return a.Printf("parley %s\n%s%s\n", b.Version, commit, b.Go)
}
