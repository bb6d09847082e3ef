// Package datacmd is the verb data: data sets are looked at, downloaded and prepared.
package datacmd

import (
	"parley/cmd/parley/internal/cli"
	"parley/cmd/parley/internal/live"
	"parley/model/hub"
)

// Data is the verb data.
type Data struct {
	Show    dataShowCmd    `cmd:"" help:"Look at a data set: columns, splits, lengths, duplicates, and prompts."`
	Pull    dataPullCmd    `cmd:"" help:"Download a data set from the Hugging Face Hub."`
	Prepare dataPrepareCmd `cmd:"" help:"Convert TinyGSM: run its programs in the sandbox and keep their answers."`
}

type dataPullCmd struct {
	Name     string   `arg:"" help:"Name of a data set on the Hugging Face Hub, such as openai/gsm8k."`
	Revision string   `default:"main" help:"Branch, tag or commit."`
	File     []string `sep:"none" placeholder:"PATTERN" help:"Pull only files that match. Repeatable. Default: all parquet files, or else all JSON lines, CSV and TSV, or JSON."`
	JSON     bool     `name:"json" help:"Print one JSON object {\"name\",\"revision\",\"commit\",\"path\",\"files\"}."`
}

func (dataPullCmd) Help() string {
	return `Downloads a data set into the Hugging Face cache. task.path of a recipe can then be its name. HF_HOME changes where the cache is. An interrupted pull continues where it stopped. Every file is verified. HF_TOKEN is the token for private and gated data sets. HF_ENDPOINT names another server.

Example:

    parley data pull openai/gsm8k

Exit codes: 0 the data set is in the cache; 1 the server or the disk failed; 2 the name or a setting is wrong; 130 interrupted, and what arrived is kept.`
}

func (c *dataPullCmd) Run(a *cli.App) error {
	r, err := live.Pull(a, c.Name, hub.Options{Dataset: true, Revision: c.Revision, Files: c.File})
	if err != nil {
		return err
	}
	if c.JSON {
		return a.PrintJSON(r)
	}
	return a.Printf("%s is in %s\n", r.Name, r.Path)
}
