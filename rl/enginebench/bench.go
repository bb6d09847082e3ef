package bench

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"parley/engine"
	"parley/engine/native"
	"parley/engine/native/kernel"
	"parley/internal/seed"
	"parley/model"
	"parley/model/config"
	"parley/model/weights"
)

// A Bench is a loaded model to measure.
type Bench struct {
	Engine *native.Engine
	Limits Limits
	Runs   Runs
	// Predicted is how many bytes the engine says that the work needs which was measured last.
	Predicted int64

	config  config.Config
	options engine.Options
	kernels *kernel.Kernels     // for the peak: the engine keeps its own to itself
	specs   []engine.PolicySpec // of the policies that were added
	shape   shape
	source  weights.Source
}

// Open loads a model by name; names that begin with [RandomPrefix] have random weights. Format is how the frozen base is held.
func Open(name, format string, options engine.Options) (*Bench, error) {
	src, err := source(name)
	if err != nil {
		return nil, err
	}
	b := &Bench{source: src, options: options}
	if err := b.open(format); err != nil {
		src.Close()
		return nil, fmt.Errorf("model %s: %w", name, err)
	}
	return b, nil
}

func (b *Bench) open(format string) (err error) {
	if b.options.Format, err = engine.ParseFormat(format); err != nil {
		return err
	}
	if err = b.baseFitsMemory(); err != nil {
		return err
	}
	if b.Engine, err = native.Open(b.source, b.options); err != nil {
		return err
	}
	b.config = b.Engine.Config()
	b.shape = shapeOf(b.config)
	if b.kernels, err = kernel.New(b.options.Kernels, b.options.Threads); err != nil {
		b.Engine.Close()
	}
	return err
}

func source(name string) (weights.Source, error) {
	if strings.HasPrefix(name, RandomPrefix) {
		return OpenRandom(name)
	}
	m, err := model.OpenIncomplete(name)
	if err != nil {
		return nil, err
	}
	return m.Source, nil
}

// Close stops the engine and closes the model.
func (b *Bench) Close() error {
	b.kernels.Close()
	b.Engine.Close()
	return b.source.Close()
}

// series is how the bench measures.
func (b *Bench) series() series { return series{b.Runs, b.Limits, peakOf(b.kernels, b.options.Format)} }

// policyName is the adapter that is trained, or the i-th of several.
func policyName(i int) engine.Policy { return engine.Policy(fmt.Sprintf("adapter%d", i)) }

// mostAdapters is more than a team has agents.
const mostAdapters = 1 << 16

// adapters adds policies with adapters of a rank on all projections, unless they and a load are more than the system has memory for.
func (b *Bench) adapters(ctx context.Context, n, rank int, l load) error {
	if n > mostAdapters {
		return shapef("%d adapters are too many: at most %d", n, mostAdapters)
	}
	for i := range n {
		b.specs = append(b.specs, engine.PolicySpec{Rank: rank, Alpha: float64(2 * rank), Seed: uint64(i)})
	}
	if err := b.fitsMemory(l); err != nil {
		return err
	}
	for i, spec := range b.specs {
		if err := b.Engine.NewPolicy(ctx, policyName(i), spec); err != nil {
			return cmp.Or(ctx.Err(), shapef("%v", err)) // a rank that the model cannot have, unless it was interrupted
		}
	}
	return nil
}

// adam is the optimizer of all measured steps.
var adam = engine.Adam{LR: 1e-5, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, WeightDecay: 0.01, ClipNorm: 1}

// tokens draws n ids. Sequences of one run that have different numbers begin with different tokens: they share nothing.
func (b *Bench) tokens(stream *rand.Rand, number, n int) []int {
	ids := make([]int, n)
	for i := range ids {
		ids[i] = stream.IntN(b.config.Vocab)
	}
	if n > 0 {
		ids[0] = number % b.config.Vocab
	}
	return ids
}

// stream is the randomness of one run of a piece of work.
func stream(what string, run int) *rand.Rand { return seed.Stream(seed.Derive(1, what, run)) }

// meanLoss is the mean of -log-probability over n tokens: its gradient needs no knowledge of the outputs.
func meanLoss(n int) engine.Loss {
	return func(_ int, outputs []engine.Output) ([]engine.Gradient, error) {
		g := make([]engine.Gradient, len(outputs))
		for i, o := range outputs {
			g[i].Logprobs = make([]float32, len(o.Logprobs))
			for j := range o.Logprobs {
				g[i].Logprobs[j] = -1 / float32(n)
			}
		}
		return g, nil
	}
}

// weightBytes is what the weights that a token passes take, as they are held.
func (b *Bench) weightBytes() float64 {
	total := 0
	for _, p := range projectionsOf(b.config, b.options.Format) {
		total += p.count * kernel.MatrixBytes(p.format, p.out, p.in)
	}
	return float64(total)
}
