package modelcmd

import (
	"runtime"

	"parley/cmd/parley/internal/cli"
	"parley/internal/sysmem"
	"parley/rl/enginebench"
)

type modelBenchGemmCmd struct {
	benchInput
	M int `default:"512" help:"Rows of the left operand: tokens of a pass, or samples of a decoding step."`
	N int `help:"Outputs of one matrix, with --k. Default: all matrices of the model."`
	K int `help:"Inputs of that matrix."`
}

func (modelBenchGemmCmd) Help() string {
	return benchHelp + `Without --n and --k, all projections and the head of the model are multiplied, layer by layer. Each has its own weights, so a step of few rows reads them from memory. The last row of the table is the whole model. Above 32 rows the products of the backward pass, with the transposed matrix, are measured too.

Example:

    parley model bench gemm random:smollm2-135m --m 1 --dtype bf16

` + benchExits
}

func (c *modelBenchGemmCmd) Run(a *cli.App) error {
	if c.Memory != 0 {
		return cli.Usagef("--memory is for the activations of a pass, which products do not have: leave it out")
	}
	work := bench.Products{M: c.M, N: c.N, K: c.K}
	r, err := c.report("gemm", work)
	if err != nil {
		return err
	}
	runtime.GC()
	sysmem.ResetPeak()
	if r.Rows, r.Predicted, err = work.Measure(a.Ctx, c.Model, c.DType, c.options(), r.Limits, c.runs()); err != nil {
		return benchError(err)
	}
	return printBench(a, r, c.JSON)
}

type modelBenchTrainCmd struct {
	benchInput
	Batch  int        `default:"8" help:"Sequences."`
	Length bench.Span `default:"512" help:"Tokens of each sequence, or a range such as 64-512 that the lengths are spread over."`
	Ragged bool       `help:"Spread the lengths from an eighth of --length to all of it."`
	Rank   int        `default:"8" help:"Rank of the adapter, which is on all projections."`
}

func (modelBenchTrainCmd) Help() string {
	return benchHelp + `A run is a forward and a backward pass with a loss on every token, and a step of AdamW.

Example:

    parley model bench train random:smollm2-135m --dtype bf16 --batch 8 --length 512

` + benchExits
}

func (c *modelBenchTrainCmd) Run(a *cli.App) error {
	w := bench.Training{Batch: c.Batch, Length: c.Length, Rank: c.Rank}
	if c.Ragged {
		w.Length.From = max(2, w.Length.To/8)
	}
	return c.bench(a, "train", w, func(b *bench.Bench) ([]bench.Row, error) { return b.Train(a.Ctx, w) })
}

type modelBenchGenerateCmd struct {
	benchInput
	Batch  []int `default:"1,8,32" help:"Samples at once. Each number is measured."`
	Prompt int   `default:"128" help:"Tokens of each prompt."`
	New    int   `default:"128" help:"Tokens of each sample."`
}

func (modelBenchGenerateCmd) Help() string {
	return benchHelp + `Each batch has three rows: the whole work, the prompts with the first token, and their difference, which is decoding.

Example:

    parley model bench generate random:smollm2-135m --batch 1,8,32

` + benchExits
}

func (c *modelBenchGenerateCmd) Run(a *cli.App) error {
	work := map[string]any{"batch": c.Batch, "prompt": c.Prompt, "new": c.New}
	return c.bench(a, "generate", work,
		func(b *bench.Bench) ([]bench.Row, error) { return b.Generate(a.Ctx, c.Batch, c.Prompt, c.New) })
}

type modelBenchGroupCmd struct {
	benchInput
	Prompt  int        `default:"256" help:"Tokens of the prompt."`
	New     bench.Span `default:"128" help:"Tokens of each completion, or a range such as 64-256 that the lengths are spread over."`
	Samples int        `default:"8" help:"Completions."`
	Rank    int        `default:"8" help:"Rank of the trained adapter."`
}

func (modelBenchGroupCmd) Help() string {
	return benchHelp + `The table has two rows: sampling the completions with their prompt, and training with the loss on the completions. In training the tokens of the prompt count once for each completion.

Example:

    parley model bench group random:smollm2-135m --samples 16

` + benchExits
}

func (c *modelBenchGroupCmd) Run(a *cli.App) error {
	w := bench.Group{Samples: c.Samples, Prompt: c.Prompt, New: c.New, Rank: c.Rank}
	return c.bench(a, "group", w, func(b *bench.Bench) ([]bench.Row, error) { return b.Group(a.Ctx, w) })
}

type modelBenchStepCmd struct {
	benchInput
	Agents int `default:"2" help:"Agents, each with its own adapter and prompt."`
	Group  int `default:"4" help:"Completions per agent."`
	Prompt int `default:"128" help:"Tokens of each prompt."`
	New    int `default:"128" help:"Tokens of each completion."`
	Rank   int `default:"8" help:"Rank of the adapters."`
}

func (modelBenchStepCmd) Help() string {
	return benchHelp + `A run samples all completions, gives each an advantage, and makes a gradient and a step of AdamW for every agent. Scoring is left out. The tokens that count are the generated ones.

Example:

    parley model bench step random:smollm2-135m --agents 2 --group 4

` + benchExits
}

func (c *modelBenchStepCmd) Run(a *cli.App) error {
	w := bench.Step{Agents: c.Agents, Group: c.Group, Prompt: c.Prompt, New: c.New, Rank: c.Rank}
	return c.bench(a, "step", w, func(b *bench.Bench) ([]bench.Row, error) { return b.Step(a.Ctx, w) })
}

type modelBenchAdaptersCmd struct {
	benchInput
	Adapters []int `default:"1,4,16" help:"Numbers of adapters. The others are compared with the first."`
	Batch    int   `default:"32" help:"Samples at once, and training sequences."`
	Prompt   int   `default:"64" help:"Tokens of each prompt."`
	New      int   `default:"64" help:"Tokens of each sample."`
	Length   int   `default:"128" help:"Tokens of each training sequence."`
}

func (modelBenchAdaptersCmd) Help() string {
	return benchHelp + `Each number of adapters has a row for sampling and one for training. The last column compares its time with that of the first number.

Example:

    parley model bench adapters random:smollm2-135m --adapters 1,4,16

` + benchExits
}

func (c *modelBenchAdaptersCmd) Run(a *cli.App) error {
	w := bench.Adapters{
		Counts: c.Adapters, Sampling: bench.Sampling{Batch: c.Batch, Prompt: c.Prompt, New: c.New},
		Training: bench.Training{Batch: c.Batch, Length: bench.Span{From: c.Length, To: c.Length}, Rank: bench.AdapterRank},
	}
	return c.bench(a, "adapters", w, func(b *bench.Bench) ([]bench.Row, error) { return b.Adapters(a.Ctx, w) })
}
