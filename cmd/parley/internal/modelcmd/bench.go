package modelcmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"parley/cmd/parley/internal/cli"
	"parley/engine"
	"parley/internal/sysmem"
	"parley/rl/enginebench"
)

type modelBenchCmd struct {
	Gemm     modelBenchGemmCmd     `cmd:"" help:"Measure matrix products: those of a model, or one of a given shape."`
	Train    modelBenchTrainCmd    `cmd:"" help:"Measure LoRA training on packed sequences."`
	Generate modelBenchGenerateCmd `cmd:"" help:"Measure sampling from distinct prompts."`
	Group    modelBenchGroupCmd    `cmd:"" help:"Measure sampling and training on many completions of one prompt."`
	Step     modelBenchStepCmd     `cmd:"" help:"Measure a whole MAGRPO step of a team."`
	Adapters modelBenchAdaptersCmd `cmd:"" help:"Measure the same work with more and more adapters."`
}

// benchInput is what all kinds of work take.
type benchInput struct {
	Model   string `arg:"" help:"Name of a model, a folder in Hugging Face layout, a .gguf file, or random weights: random:qwen2.5-0.5b, random:smollm2-135m, random:tiny."`
	DType   string `name:"dtype" enum:"f32,bf16,int8,nf4" default:"f32" help:"Data type of the frozen base in memory: f32, bf16, int8 or nf4."`
	Runs    int    `default:"5" help:"Measured runs; figures are of the median run."`
	Warmup  int    `default:"1" help:"Runs before the measured ones."`
	Threads int    `placeholder:"N" help:"Threads of the engine. Default: all that the process may use."`
	Memory  int64  `placeholder:"MIB" help:"Limit of the activations of a pass, in MiB. Activations that do not fit are computed again. Default: the engine chooses."`
	JSON    bool   `name:"json" help:"Print one JSON object."`
}

const benchHelp = "Every run has new random data without padding. The figures are those of the median run. " +
	"\"of peak\" compares with multiply-adds in registers, measured before each run. \"of read\" compares with a loop that reads memory, measured at the start. " +
	"Peak memory is that of the whole process during the runs. PARLEY_CPU selects the kernel set. docs/performance.md explains the columns.\n\n"

const benchExits = "Exit codes: 0 measured; 1 the work failed; 2 there is no such model, a shape is wrong, or memory is short; 130 interrupted."

// A benchReport is what `model bench` prints.
type benchReport struct {
	What        string       `json:"what"`
	Model       string       `json:"model"`
	DType       string       `json:"dtype"`
	Kernels     string       `json:"kernels"`
	Threads     int          `json:"threads"`
	Runs        int          `json:"runs"`
	Warmup      int          `json:"warmup"`
	Work        any          `json:"work"` // the shape of the work
	Limits      bench.Limits `json:"limits"`
	LoadSeconds float64      `json:"load_seconds,omitempty"`
	LoadPeak    int64        `json:"load_peak_bytes,omitempty"`        // most memory while the model was loaded
	PeakMemory  int64        `json:"peak_memory_bytes"`                // most memory while the runs lasted
	Predicted   int64        `json:"predicted_memory_bytes,omitempty"` // what the engine, or the products, were expected to need
	Notes       []string     `json:"notes,omitempty"`                  // what the engine did in another way, because memory was short
	Rows        []bench.Row  `json:"rows"`
}

func (i *benchInput) options() engine.Options {
	return engine.Options{Kernels: os.Getenv("PARLEY_CPU"), Threads: i.Threads, ActivationMemory: i.Memory << 20, Available: sysmem.Available}
}

// mostThreads is what recipes allow too.
const mostThreads = 1024

func (i *benchInput) runs() bench.Runs { return bench.Runs{Warmup: i.Warmup, Count: i.Runs} }

func (i *benchInput) report(what string, work any) (*benchReport, error) {
	if i.Runs < 1 || i.Warmup < 0 || i.Memory < 0 {
		return nil, cli.Usagef("--runs %d, --warmup %d and --memory %d must be at least 1, 0 and 0", i.Runs, i.Warmup, i.Memory)
	}
	if i.Threads > mostThreads {
		return nil, cli.Usagef("--threads is %d; at most %d", i.Threads, mostThreads)
	}
	kernels, threads, limits, err := bench.Machine(i.options())
	if err != nil {
		return nil, cli.Usagef("%v", err)
	}
	return &benchReport{
		What: what, Model: i.Model, DType: i.DType, Kernels: kernels, Threads: threads, Runs: i.Runs, Warmup: i.Warmup,
		Work: work, Limits: limits,
	}, nil
}

// bench loads the model, measures, and prints.
func (i *benchInput) bench(a *cli.App, what string, work any, measure func(*bench.Bench) ([]bench.Row, error)) error {
	r, err := i.report(what, work)
	if err != nil {
		return err
	}
	sysmem.ResetPeak()
	began := time.Now()
	b, err := bench.Open(i.Model, i.DType, i.options())
	if err != nil {
		return cli.Usagef("%v", err)
	}
	defer b.Close()
	a.NoteSlow()
	b.Limits, b.Runs = r.Limits, i.runs()
	r.LoadSeconds, r.LoadPeak = time.Since(began).Seconds(), sysmem.Peak()
	runtime.GC()
	sysmem.ResetPeak()
	if r.Rows, err = measure(b); err != nil {
		return benchError(err)
	}
	r.Notes = b.Engine.Notes()
	for _, note := range r.Notes {
		a.Say("note:", note)
	}
	r.Predicted = b.Predicted
	return printBench(a, r, i.JSON)
}

// benchError makes a shape that does not fit the model a mistake of the command line.
func benchError(err error) error {
	if _, ok := errors.AsType[*bench.ShapeError](err); ok {
		return cli.Usagef("%v", err)
	}
	return err
}

func printBench(a *cli.App, r *benchReport, asJSON bool) error {
	r.PeakMemory = sysmem.Peak()
	if asJSON {
		return a.PrintJSON(r)
	}
	a.Printf("%s of %s in %s, %s kernels, %d threads, median of %d runs\n", r.What, r.Model, r.DType, r.Kernels, r.Threads, r.Runs)
	a.Printf("this processor at best: %s\n\n", describeLimits(r.Limits))
	err := a.Table(func(w io.Writer) {
		cli.Row(w, "work", "seconds", "tokens/s", "GFLOP/s", "of peak", "GB/s", "of read", "of roofline", "allocated", "against first")
		for _, x := range r.Rows {
			cli.Row(w, x.Name, fmt.Sprintf("%.4f", x.Seconds), number("%.1f", x.TokensPerSecond), number("%.1f", x.GFLOPs),
				percent(x.PeakShare), number("%.1f", x.GBs), percent(x.ReadShare), percent(x.Roofline), cli.Mebibytes(x.Allocated), number("%.3f", x.Ratio))
		}
	})
	if err != nil {
		return err
	}
	if err := a.Printf("\npeak memory %s", cli.Mebibytes(r.PeakMemory)); err != nil {
		return err
	}
	if r.Predicted > 0 {
		return a.Printf(", predicted %s\n", cli.Mebibytes(r.Predicted))
	}
	return a.Printf("\n")
}

func describeLimits(l bench.Limits) string {
	parts := []string{number("%.0f GFLOP/s f32", l.F32GFLOPs), number("%.0f GFLOP/s bf16", l.BF16GFLOPs), number("%.1f GB/s read", l.ReadGBs)}
	text := strings.Join(parts, ", ")
	if l.Busy() {
		text += "; something else is running: figures are too low"
	}
	return text
}

// number formats a figure; 0 stands for one that was not measured.
func number(format string, x float64) string {
	if x == 0 {
		return "-"
	}
	return fmt.Sprintf(format, x)
}

func percent(x float64) string { return number("%.1f %%", 100*x) }
