package runcmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/cmd/parley/internal/cli"
	"parley/engine"
	"parley/internal/atomicdir"
	"parley/learn"
	"parley/runs"
	"parley/runs/policies"
)

type runExportCmd struct {
	Run_   string `arg:"" name:"run" help:"Folder of a run, or its name in the runs folder."`
	Out    string `placeholder:"DIR" help:"New folder, with one folder per policy. Default: RUN-adapters or RUN-merged."`
	Policy string `placeholder:"NAME" help:"Export only this policy."`
	Saved  int    `name:"checkpoint" placeholder:"N" help:"Export the policies after update N, of which the run has a checkpoint. Default: the newest ones."`
	Merged bool   `help:"Write full checkpoints in Hugging Face layout: the adapter is merged into the weights of the base."`
	DType  string `name:"dtype" enum:"base,f32,bf16,f16" default:"base" help:"Data type of a merged checkpoint: base (each tensor keeps the type that it has in the base), f32, bf16 or f16."`
	Base   string `placeholder:"MODEL" help:"The base model to merge into. Default: the one that the recipe names."`
	JSON   bool   `name:"json" help:"Print one JSON object {\"out\":…,\"policies\":[…],\"update\":…}, or what was written where."`

	Tracked tracked `embed:""`
}

func (runExportCmd) Help() string {
	return `Writes a folder DIR/POLICY for every trained policy, of the newest checkpoint or of the one that --checkpoint names, and says which. It holds adapter_config.json and adapter_model.safetensors, which Python's peft loads.

With --merged the folder is a full checkpoint, which transformers loads: config.json, safetensors in shards of 5 GB, the tokenizer, the chat template and the generation settings. A base in a .gguf file becomes a Hugging Face folder too, with its quantized tensors as f32. If the file lacks a part of such a folder, the error names that part.

DIR appears complete or not at all. Value heads and the optimizer's state are not exported.

With --tensorboard DIR holds a folder with an event file for the run, or for each run of an experiment. With --mlflow what was measured is sent to an MLflow server instead; a run that is sent twice is one run there.

Examples:

    parley run export debate-sums-s1 --out adapters
    parley run export debate-sums-s1 --checkpoint 29 --out earlier
    parley run export debate-sums-s1 --merged --policy policy-turn2 --dtype bf16
    parley run export debate-sums-s1 --tensorboard --out events
    parley run export debate-sums-s1 --mlflow http://127.0.0.1:5000 --experiment debates

Exit codes: 0 exported; 1 could not be written; 2 there is no such run or policy, it has no adapters yet, or DIR exists.`
}

func (c *runExportCmd) Run(a *cli.App) error {
	dir, err := cli.FindRun(c.Run_)
	if err != nil {
		return err
	}
	if c.Tracked.asked() {
		return c.track(a, dir)
	}
	x, err := c.plan(a, dir)
	if err != nil {
		return err
	}
	if err := atomicdir.Folder(x.out, func(tmp string) error { return x.write(a.Ctx, tmp) }); err != nil {
		return fmt.Errorf("export to %s: %w", x.out, err)
	}
	if c.JSON {
		return a.PrintJSON(map[string]any{"out": x.out, "policies": x.policies, "update": x.from.Update})
	}
	fmt.Fprintf(a.Stderr, "exported the policies after update %d\n", x.from.Update)
	for _, p := range x.policies {
		if err := a.Printf("%s\n", filepath.Join(x.out, p)); err != nil {
			return err
		}
	}
	return nil
}

// An export is what `run export` is going to write.
type export struct {
	from     policies.Saved // the policies
	out      string
	policies []string
	base     func(policy string) string // name of the policy's base model
	merged   bool
	dtype    string // as package weights has it; empty: the base's own
}

// plan finds out what to export and refuses what cannot be.
func (c *runExportCmd) plan(a *cli.App, dir string) (*export, error) {
	x := &export{out: c.Out, merged: c.Merged, dtype: map[string]string{"f32": "F32", "bf16": "BF16", "f16": "F16"}[c.DType]}
	if !c.Merged && (c.DType != "base" || c.Base != "") {
		return nil, cli.Usagef("export: --dtype and --base are for --merged")
	}
	if x.out == "" {
		x.out = filepath.Base(dir) + map[bool]string{true: "-merged", false: "-adapters"}[c.Merged]
	}
	if _, err := os.Lstat(x.out); err == nil {
		return nil, cli.Usagef("export: %s exists already: choose another --out", x.out)
	}
	var err error
	if x.from, err = policies.Of(dir, c.Saved); err != nil {
		return nil, unsaved(dir, err)
	}
	for _, note := range x.from.Notes {
		fmt.Fprintln(a.Stderr, note)
	}
	if x.policies, err = policiesOf(dir, x.from, c.Policy); err != nil {
		return nil, err
	}
	x.base, err = basesOf(a, dir, c.Base)
	return x, err
}

// unsaved is the error for a run without the policies that are asked for.
func unsaved(dir string, err error) error {
	var none *policies.NoCheckpointError
	switch {
	case !errors.As(err, &none):
		return fmt.Errorf("export: %w", err)
	case none.Update == 0:
		return cli.Usagef("export: %s has no checkpoint yet; %s", dir, runs.Again(dir))
	}
	return cli.Usagef("export: %v", err)
}

// policiesOf lists the trained policies that were saved, or the one that was asked for. Critics are of no use outside training, and what
// policies were before is not what is asked for.
func policiesOf(dir string, from policies.Saved, asked string) ([]string, error) {
	meta, err := runs.Read(dir)
	if err != nil {
		return nil, err
	}
	var trained []string
	for _, b := range meta.Bases {
		trained = append(trained, b.Policies...)
	}
	var list []string
	for _, name := range from.Policies {
		if !learn.IsCritic(engine.Policy(name)) && (len(trained) == 0 || slices.Contains(trained, name)) {
			list = append(list, name)
		}
	}
	switch {
	case asked == "":
		return list, nil
	case !slices.Contains(list, asked):
		return nil, cli.Usagef("export: the run has no policy %q; it has %s", asked, strings.Join(list, ", "))
	}
	return []string{asked}, nil
}

// basesOf says which base each policy of a run was trained over.
func basesOf(a *cli.App, dir, given string) (func(policy string) string, error) {
	meta, err := runs.Read(dir)
	if err != nil {
		return nil, err
	}
	name := meta.Base
	if name == "" && meta.Recipe != "" {
		r, err := a.Language.Parse("run.json", []byte(meta.Recipe), nil)
		if err != nil {
			return nil, fmt.Errorf("recipe of %s: %w", dir, err)
		}
		name = r.Model
	}
	return func(policy string) string {
		if given != "" {
			return given
		}
		for _, b := range meta.Bases {
			if slices.Contains(b.Policies, policy) {
				return b.Name
			}
		}
		return name
	}, nil
}
