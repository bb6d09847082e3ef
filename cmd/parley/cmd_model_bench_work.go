package main

import (
	"runtime"

	"parley/engine/native/bench"
	"parley/internal/sysmem"
)

type modelBenchGemmCmd struct {
	benchInput
	M int `default:"512" help:"Rows of the left operand: tokens of a pass, or samples of a decoding step."`
	N int `help:"Outputs of the matrix; with --k instead of the model's matrices."`
	K int `help:"Inputs of the matrix."`
}

func (modelBenchGemmCmd) Help() string {
	return benchHelp + "Without --n and --k all projections and the head of the model are multiplied, layer by layer, each with weights of its own, so that a step of few rows " +
		"reads them from memory; the last row is the whole model. Above 32 rows products with the transposed matrix, as the backward pass has them, are measured too.\n\n" + benchExits
}

func (c *modelBenchGemmCmd) Run(a *app) error {
	if c.Memory != 0 {
		return usagef("--memory is for the activations of a pass, which products do not have: leave it out")
	}
	work := bench.Products{M: c.M, N: c.N, K: c.K}
	r, err := c.report("gemm", work)
	if err != nil {
		return err
	}
	runtime.GC()
	sysmem.ResetPeak()
	if r.Rows, r.Predicted, err = work.Measure(a.ctx, c.Model, c.DType, c.options(), r.Limits, c.runs()); err != nil {
		return benchError(err)
	}
	return a.printBench(r, c.JSON)
}

type modelBenchTrainCmd struct {
	benchInput
	Batch  int        `default:"8" help:"Sequences."`
	Length bench.Span `default:"512" help:"Tokens of each, or a range such as 64-512 that they are spread over."`
	Ragged bool       `help:"Spread the lengths from an eighth of --length to all of it."`
	Rank   int        `default:"8" help:"Rank of the adapter, which is on all projections."`
}

func (modelBenchTrainCmd) Help() string {
	return benchHelp + "A run is a forward and a backward pass with a loss on every token, and a step of AdamW.\n\n" + benchExits
}

func (c *modelBenchTrainCmd) Run(a *app) error {
	w := bench.Training{Batch: c.Batch, Length: c.Length, Rank: c.Rank}
	if c.Ragged {
		w.Length.From = max(2, w.Length.To/8)
	}
	return c.bench(a, "train", w, func(b *bench.Bench) ([]bench.Row, error) { return b.Train(a.ctx, w) })
}

type modelBenchGenerateCmd struct {
	benchInput
	Batch  []int `default:"1,8,32" help:"Samples at once; a list measures each."`
	Prompt int   `default:"128" help:"Tokens of each prompt."`
	New    int   `default:"128" help:"Tokens of each sample."`
}

func (modelBenchGenerateCmd) Help() string {
	return benchHelp + "Each batch has three rows: all of it, the prompts and the first token alone, and the difference: decoding.\n\n" + benchExits
}

func (c *modelBenchGenerateCmd) Run(a *app) error {
	work := map[string]any{"batch": c.Batch, "prompt": c.Prompt, "new": c.New}
	return c.bench(a, "generate", work,
		func(b *bench.Bench) ([]bench.Row, error) { return b.Generate(a.ctx, c.Batch, c.Prompt, c.New) })
}

type modelBenchGroupCmd struct {
	benchInput
	Prompt  int        `default:"256" help:"Tokens of the prompt."`
	New     bench.Span `default:"128" help:"Tokens of each completion, or a range such as 64-256 that they are spread over."`
	Samples int        `default:"8" help:"Completions."`
	Rank    int        `default:"8" help:"Rank of the adapter that is trained."`
}

func (modelBenchGroupCmd) Help() string {
	return benchHelp + "Two rows: sampling the completions, the prompt included, and training on them with the loss on the completions alone. " +
		"In training the prompt counts as tokens once for every completion.\n\n" + benchExits
}

func (c *modelBenchGroupCmd) Run(a *app) error {
	w := bench.Group{Samples: c.Samples, Prompt: c.Prompt, New: c.New, Rank: c.Rank}
	return c.bench(a, "group", w, func(b *bench.Bench) ([]bench.Row, error) { return b.Group(a.ctx, w) })
}

type modelBenchStepCmd struct {
	benchInput
	Agents int `default:"2" help:"Agents, each with an adapter and a prompt of its own."`
	Group  int `default:"4" help:"Completions of an agent."`
	Prompt int `default:"128" help:"Tokens of each prompt."`
	New    int `default:"128" help:"Tokens of each completion."`
	Rank   int `default:"8" help:"Rank of the adapters."`
}

func (modelBenchStepCmd) Help() string {
	return benchHelp + "A run samples all completions, gives each an advantage, and takes a gradient and a step of AdamW for every agent. Scoring is left out. Tokens are the generated ones.\n\n" + benchExits
}

func (c *modelBenchStepCmd) Run(a *app) error {
	w := bench.Step{Agents: c.Agents, Group: c.Group, Prompt: c.Prompt, New: c.New, Rank: c.Rank}
	return c.bench(a, "step", w, func(b *bench.Bench) ([]bench.Row, error) { return b.Step(a.ctx, w) })
}

type modelBenchAdaptersCmd struct {
	benchInput
	Adapters []int `default:"1,4,16" help:"Numbers of adapters; the first is what the others are compared with."`
	Batch    int   `default:"32" help:"Samples at once, and sequences to train on."`
	Prompt   int   `default:"64" help:"Tokens of each prompt."`
	New      int   `default:"64" help:"Tokens of each sample."`
	Length   int   `default:"128" help:"Tokens of each sequence to train on."`
}

func (modelBenchAdaptersCmd) Help() string {
	return benchHelp + "For every number of adapters there is a row of sampling and one of training; the last column is its time against that of the first number.\n\n" + benchExits
}

func (c *modelBenchAdaptersCmd) Run(a *app) error {
	w := bench.Adapters{Counts: c.Adapters, Sampling: bench.Sampling{Batch: c.Batch, Prompt: c.Prompt, New: c.New},
		Training: bench.Training{Batch: c.Batch, Length: bench.Span{From: c.Length, To: c.Length}, Rank: bench.AdapterRank}}
	return c.bench(a, "adapters", w, func(b *bench.Bench) ([]bench.Row, error) { return b.Adapters(a.ctx, w) })
}
