package runcmd

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/cmd/parley/internal/cli"
	"parley/engine"
	"parley/engine/native"
	"parley/internal/usererror"
	"parley/model/gguf"
	"parley/rl/learn"
	"parley/runs"
	"parley/runs/verify"
	"parley/train/export"
	"parley/train/plan"
	"parley/train/report"
)

type runExportCmd struct {
	Run_     string   `arg:"" name:"run" help:"Folder of a run, or its name in the runs folder."`
	Out      string   `placeholder:"DIR" help:"New folder, with one folder per policy. Default: RUN-adapters, RUN-merged or RUN-gguf."`
	Policy   string   `placeholder:"NAME" help:"Export only this policy."`
	Saved    *int     `name:"checkpoint" placeholder:"N" help:"Export the policies after update N, of which the run has a checkpoint. Default: the newest ones."`
	Merged   bool     `help:"Write full checkpoints in Hugging Face layout: the adapter is merged into the weights of the base."`
	GGUF     bool     `name:"gguf" help:"Write what llama.cpp and ollama load: a merged model, the adapter alone, and a Modelfile."`
	WithBase bool     `name:"with-base" help:"With --gguf: write the untrained base too, which the adapters are for."`
	DType    string   `name:"dtype" enum:"base,f32,bf16,f16,q8_0" default:"base" help:"Data type of merged weights: base (each tensor keeps the type that it has in the base; f32 where that is quantized), f32, bf16, f16, or with --gguf q8_0."`
	Base     string   `placeholder:"MODEL" help:"The base model to merge into. Default: the one that the recipe names."`
	BaseName string   `name:"base-name" placeholder:"ID" help:"What adapters call their base, such as a model's name on the Hugging Face Hub. Default: the base's name in the recipe."`
	Answers  int      `placeholder:"N" default:"16" help:"Compare what is written with what was trained on at most N answers of each policy; 0 does not compare."`
	Most     *float64 `name:"max-difference" placeholder:"X" help:"Write nothing if a log-probability differs by more than X. Default: any difference is said, and written."`
	JSON     bool     `name:"json" help:"Print one JSON object {\"out\":…,\"policies\":[…],\"update\":…,\"differences\":[…]}, or what was written where."`

	Tracked tracked `embed:""`
}

func (runExportCmd) Help() string {
	return `Writes a folder DIR/POLICY for every trained policy, of the newest checkpoint or of the one that --checkpoint names, and says which. It holds adapter_config.json and adapter_model.safetensors, which Python's peft loads.

With --merged the folder is a full checkpoint, which transformers loads: config.json, safetensors in shards of 5 GB, the tokenizer, the chat template and the generation settings. A base in a .gguf file becomes a Hugging Face folder too, with its quantized tensors as f32. If the file lacks a part of such a folder, the error names that part.

With --gguf the folder holds model.gguf (the adapter merged into the base), adapter.gguf (the adapter alone, for a GGUF file of the base) and a Modelfile for ollama. --with-base writes DIR/base.gguf for the adapters.

The adapter is merged into the base as it was held in training, in engine.dtype. What is written is loaded again and compared with the policy on answers of the run: the greatest and the mean distance of the log-probabilities of their tokens are said. A data type of 16 bits rounds small changes away; --dtype f32 keeps them.

A policy that is a trained copy of its base (policies.full) has no adapter: --merged and --gguf write the copy.

DIR appears complete or not at all. Value heads and the optimizer's state are not exported.

With --tensorboard DIR holds a folder with an event file for the run, or for each run of an experiment. With --mlflow what was measured is sent to an MLflow server instead; a run that is sent twice is one run there.

Examples:

    parley run export debate-sums-s1 --out adapters
    parley run export debate-sums-s1 --checkpoint 29 --out earlier
    parley run export debate-sums-s1 --base-name Qwen/Qwen3-0.6B --out adapters
    parley run export debate-sums-s1 --merged --policy policy-turn2 --dtype bf16
    parley run export debate-sums-s1 --merged --max-difference 0.01
    parley run export debate-sums-s1 --gguf --dtype q8_0
    parley run export debate-sums-s1 --gguf --with-base --out gguf
    parley run export debate-sums-s1 --tensorboard --out events
    parley run export debate-sums-s1 --mlflow http://127.0.0.1:5000 --experiment debates

Exit codes: 0 exported; 1 could not be written, or differs by more than --max-difference; 2 there is no such run or policy, it has no adapters yet, or DIR exists.`
}

func (c *runExportCmd) Run(a *cli.App) error {
	dir, err := cli.FindRun(c.Run_)
	if err != nil {
		return err
	}
	if c.Tracked.asked() {
		return c.track(a, dir)
	}
	if err := cli.One(dir, "parley", "run", "export"); err != nil {
		return err
	}
	x, err := c.plan(a, dir)
	if err != nil {
		return err
	}
	found, err := x.Write(a.Ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		return a.PrintJSON(map[string]any{"out": x.Out, "policies": x.Policies, "update": x.From.Update, "differences": append([]export.Difference{}, found...)})
	}
	a.Sayf("exported the policies after update %d\n", x.From.Update)
	for _, p := range x.Policies {
		if err := a.Printf("%s\n", filepath.Join(x.Out, p)); err != nil {
			return err
		}
		if err := printDifferences(a, p, found); err != nil {
			return err
		}
	}
	return nil
}

// printDifferences says how far what was written is from a policy.
func printDifferences(a *cli.App, policy string, found []export.Difference) error {
	for _, d := range found {
		if d.Policy != policy {
			continue
		}
		if err := a.Printf("  %s against the policy: %s\n", d.Form, d); err != nil {
			return err
		}
	}
	return nil
}

// plan finds out what to export and refuses what cannot be.
func (c *runExportCmd) plan(a *cli.App, dir string) (*export.Export, error) {
	x := &export.Export{
		Run: dir, Out: c.Out, Form: export.Adapter, DType: map[string]string{"f32": "F32", "bf16": "BF16", "f16": "F16", "q8_0": "Q8_0"}[c.DType], WithBase: c.WithBase,
		BaseName: c.BaseName, Backend: native.Backend{}, Answers: c.Answers, Limit: -1, Note: func(text string) { a.Say(text) },
	}
	switch {
	case c.Merged:
		x.Form = export.Merged
	case c.GGUF:
		x.Form = export.GGUF
	}
	if err := c.check(x); err != nil {
		return nil, err
	}
	if x.Out == "" {
		x.Out = filepath.Base(dir) + map[export.Form]string{export.Adapter: "-adapters", export.Merged: "-merged", export.GGUF: "-gguf"}[x.Form]
	}
	if _, err := os.Lstat(x.Out); err == nil {
		return nil, cli.Usagef("export: %s exists already: choose another --out", x.Out)
	}
	update, err := asked("--checkpoint", c.Saved)
	if err != nil {
		return nil, err
	}
	if x.From, err = verify.PoliciesOf(dir, update); err != nil {
		return nil, unsaved(dir, err)
	}
	for _, note := range x.From.Notes {
		a.Say(note)
	}
	if x.Policies, err = policiesOf(dir, x.From, c.Policy); err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(x.Policies, x.Full); i >= 0 && x.Form == export.Adapter {
		return nil, cli.Usagef("export: policy %s is a whole trained copy of its base (policies.full) and has no adapter: add --merged for a checkpoint, or --gguf", x.Policies[i])
	}
	return x, c.trainedOver(a, dir, x)
}

// check reports flags that do not go together, and takes the limit.
func (c *runExportCmd) check(x *export.Export) error {
	switch {
	case c.Merged && c.GGUF:
		return cli.Usagef("export: choose one of --merged and --gguf")
	case x.Form == export.Adapter && (c.DType != "base" || c.Base != ""):
		return cli.Usagef("export: --dtype and --base are for --merged and --gguf")
	case x.Form != export.Adapter && c.BaseName != "":
		return cli.Usagef("export: --base-name is for PEFT adapters; neither --merged nor --gguf writes the name of a base")
	case !c.GGUF && (c.WithBase || c.DType == "q8_0"):
		return cli.Usagef("export: --with-base and --dtype q8_0 are for --gguf")
	case c.Answers < 0:
		return cli.Usagef("export: --answers %d: write a number from 0", c.Answers)
	case c.Most == nil:
		return nil
	case !(*c.Most >= 0) || c.Answers == 0:
		return cli.Usagef("export: --max-difference needs a number from 0, and --answers above 0")
	}
	x.Limit = *c.Most
	return nil
}

// unsaved is the error for a run without the policies that are asked for.
func unsaved(dir string, err error) error {
	var none *verify.NoCheckpointError
	switch {
	case !errors.As(err, &none):
		return fmt.Errorf("export: %w", err)
	case none.Update != 0:
		return cli.Usagef("export: %v", err)
	}
	if s, err := runs.Summarise(dir); err == nil && s.State == runs.Finished && s.Updates == 0 {
		return cli.Usagef("export: nothing was trained in %s: it has no policies", dir)
	}
	return cli.Usagef("export: %s has no checkpoint yet; %s", dir, runs.Again(dir))
}

// policiesOf lists the trained policies that were saved, or the one that was asked for. Critics are of no use outside training, and what
// policies were before is not what is asked for.
func policiesOf(dir string, from verify.Saved, asked string) ([]string, error) {
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

// trainedOver fills in what the policies of a run were trained over: the bases, and how the engine held them.
func (c *runExportCmd) trainedOver(a *cli.App, dir string, x *export.Export) error {
	meta, err := runs.Read(dir)
	if err != nil {
		return err
	}
	named := meta.Base
	switch r, err := a.Language.Parse("run.json", []byte(meta.Recipe), nil); {
	case err == nil:
		x.Engine, named = plan.EngineOptions(r.Engine), cmp.Or(named, r.Model)
		x.Sampling = gguf.Modelfile{Stop: r.Sampling.Stop, Temperature: r.Sampling.Temperature, TopK: r.Sampling.TopK, TopP: r.Sampling.TopP}
	case x.Limit >= 0:
		return fmt.Errorf("recipe of %s: %w", dir, err)
	default: // what a run of an earlier release has trained can be used all the same
		x.Answers = 0
		x.Note(fmt.Sprintf("the base counts as its files have it, and what is written is not compared with what was trained: the recipe of %s cannot be read: %v", dir, err))
	}
	x.Base = func(policy string) string {
		return cmp.Or(c.Base, baseOf(meta, policy).Name, named)
	}
	x.Hash = func(policy string) string {
		if c.Base != "" {
			return ""
		}
		return baseOf(meta, policy).SHA256
	}
	return nil
}

// baseOf is the base that a policy was trained over; a run of an earlier release did not record it.
func baseOf(meta runs.Meta, policy string) runs.Base {
	for _, b := range meta.Bases {
		if slices.Contains(b.Policies, policy) {
			return b
		}
	}
	return runs.Base{}
}

// latex prints the results of the run in dir as tables for a paper.
func latex(a *cli.App, dir string) error {
	r, err := runs.ReadReport(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return cli.Usagef("%s has no report yet: it is not trained to the end; %s", dir, usererror.Train("--resume", dir))
	}
	if err != nil {
		return err
	}
	return a.PrintText(report.LaTeX(r))
}
