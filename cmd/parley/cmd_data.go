package main

import "parley/model/hub"

type dataCmd struct {
	Pull    dataPullCmd    `cmd:"" help:"Download a data set from the Hugging Face Hub."`
	Prepare dataPrepareCmd `cmd:"" help:"Run the programs of TinyGSM in the sandbox and keep their answers."`
}

type dataPullCmd struct {
	Name     string   `arg:"" help:"A data set on the Hugging Face Hub, such as openai/gsm8k."`
	Revision string   `default:"main" help:"Branch, tag or commit."`
	File     []string `sep:"none" placeholder:"PATTERN" help:"Pull the files that match, instead of all parquet files or else all JSON lines; repeatable."`
	JSON     bool     `name:"json" help:"Print one JSON object {\"name\",\"revision\",\"commit\",\"path\",\"files\"}."`
}

func (dataPullCmd) Help() string {
	return "Files go to the Hugging Face cache (under HF_HOME where that is set); task.path of a recipe may then be the name. A pull that was cut goes on where it stopped; every file is verified. " +
		"HF_TOKEN is the token for private and gated data sets, HF_ENDPOINT another server.\n\nExample:\n\n    parley data pull openai/gsm8k\n\n" +
		"Exit codes: 0 the data set is in the cache; 1 the server or the disk refused; 2 the name or a setting is wrong; 130 interrupted, what arrived is kept."
}

func (c *dataPullCmd) Run(a *app) error {
	r, err := a.pull(c.Name, hub.Options{Dataset: true, Revision: c.Revision, Files: c.File})
	if err != nil {
		return err
	}
	if c.JSON {
		return a.printJSON(r)
	}
	return a.printf("%s is in %s\n", r.Name, r.Path)
}
