package traincmd

import (
	"context"
	"os"
	"slices"

	"parley/cmd/parley/internal/cli"
	"parley/engine"
	"parley/internal/sysmem"
	"parley/recipe"
	"parley/rl/enginebench"
	"parley/train/progress"
)

// Sizes of the work that --bench measures: a group of answers to one prompt, as parley model bench group does.
const (
	benchPrompt  = 128 // tokens
	benchSamples = 8
	benchNew     = 32 // tokens, or what an answer may have
)

// benchSpeed measures the embedded engine over the largest base of a recipe.
func benchSpeed(ctx context.Context, r *recipe.Recipe) (*progress.Speed, error) {
	if r.Engine.Tinker.URL != "" {
		return nil, cli.Usagef("--bench measures this machine, and the recipe runs on the server of engine.tinker: say its speed in a price list")
	}
	tokens := min(benchNew, r.Sampling.MaxTokens)
	s := &progress.Speed{Source: "measured here"}
	for i, name := range slices.Compact(slices.Sorted(slices.Values(r.Bases()))) {
		rows, err := measureGroup(ctx, name, r, tokens)
		if err != nil {
			return nil, err
		}
		generated, read, trained := rows[0].TokensPerSecond, rows[0].TokensPerSecond, rows[1].TokensPerSecond
		read = max(read, 3*trained) // a way forward is a third of forward and back
		if i == 0 || generated < s.Generated {
			s.Generated, s.Read, s.Trained = generated, read, trained
		}
	}
	return s, nil
}

// measureGroup measures sampling and training over one base.
func measureGroup(ctx context.Context, name string, r *recipe.Recipe, tokens int) ([]bench.Row, error) {
	o := engine.Options{Kernels: os.Getenv("PARLEY_CPU"), Threads: r.Engine.Threads, Available: sysmem.Available}
	b, err := bench.Open(name, r.Engine.DType, o)
	if err != nil {
		return nil, cli.Usagef("%v", err)
	}
	defer b.Close()
	_, _, limits, err := bench.Machine(o)
	if err != nil {
		return nil, err
	}
	b.Limits, b.Runs = limits, bench.Runs{Warmup: 1, Count: 3}
	return b.Group(ctx, bench.Group{Samples: benchSamples, Prompt: benchPrompt, New: bench.Span{From: tokens, To: tokens}, Rank: max(1, r.Policies.Rank)})
}
