// Package bench measures the embedded engine on work of a given shape: how many tokens a second it trains on and samples, how
// much of what the processor can do that is, and what memory it takes.
//
// [Open] loads a model, also one with random weights ([OpenRandom]). Each kind of work is a type with its shape as fields and a
// method that runs it:
//
//	gemm.go      products: the matrices of a model, or one of a given shape
//	train.go     LoRA training on packed sequences, of one length or ragged
//	sample.go    sampling from distinct prompts
//	group.go     many completions of one prompt: sampled, and trained on
//	step.go      a whole MAGRPO step of a team
//	adapters.go  the same rows spread over more and more adapters
//
// A [Row] is what one piece of work took. Tokens are real ones: nothing is padded, and tokens that sequences share count in every
// sequence, because that is the work that a user asked for. Floating-point operations are those that the work needs at least
// (cost.go); what the engine computes twice, to save memory, does not count.
//
// Every run has data of its own, so that nothing an engine remembers from the run before makes it faster.
package bench

import (
	"context"
	"slices"
	"time"
)

// Runs says how often work is repeated.
type Runs struct {
	Warmup int // runs before those that count
	Count  int // runs that count, at least 1
}

// A Row is the result of one piece of work, of the median run by time where not said otherwise.
type Row struct {
	Name    string    `json:"name"`
	Seconds float64   `json:"seconds"`
	All     []float64 `json:"all_seconds"` // of every run that counts, in order
	Peaks   []float64 `json:"all_peaks"`   // GFLOP/s of the register-only loop, right before each of them

	Tokens          int     `json:"tokens,omitempty"`   // real tokens of one run
	Computed        int     `json:"computed,omitempty"` // tokens that went through the net, shared prefixes once
	TokensPerSecond float64 `json:"tokens_per_second,omitempty"`

	Passes    int     `json:"passes,omitempty"` // how often a run reads the weights, where they are what limits it
	GFLOPs    float64 `json:"gflops_per_second,omitempty"`
	Peak      float64 `json:"peak_gflops_per_second,omitempty"` // of the register-only loop of the same instruction, median
	PeakShare float64 `json:"peak_share,omitempty"`             // of that
	GBs       float64 `json:"gb_per_second,omitempty"`
	ReadShare float64 `json:"read_share,omitempty"` // of the read loop
	Roofline  float64 `json:"roofline_share,omitempty"`

	Allocations int64 `json:"allocations"`     // of the last run
	Allocated   int64 `json:"allocated_bytes"` // of the last run

	Ratio float64 `json:"ratio,omitempty"` // time per token against the first row of its kind
}

// A cost is what a piece of work needs at least.
type cost struct {
	tokens   int     // real tokens
	computed int     // tokens that go through the net
	flops    float64 //
	bytes    float64 // of weights that must be read; 0: they are no limit
	passes   int     // how often the weights are read; roofline is told where it is above 0
}

// A task is one piece of work: prepare makes the data of a run, outside its time, and the function that it returns is timed.
type task struct {
	name    string
	cost    cost
	prepare func(run int) func(context.Context) error
}

// A series is how tasks are measured.
type series struct {
	runs   Runs
	limits Limits
	peak   func(time.Duration) float64 // GFLOP/s of the register-only loop over a time
}

// measure runs the tasks in turns, so that a slow minute of the machine hits all of them, and returns a row for each. Before
// each run comes the register-only loop, for about as long: what others take from the machine, they take from both.
func (s series) measure(ctx context.Context, tasks []task) ([]Row, error) {
	rows := make([]Row, len(tasks))
	last := make([]time.Duration, len(tasks))
	for i, t := range tasks {
		rows[i].Name = t.name
	}
	for run := range s.runs.all() {
		for i, t := range tasks {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			f := t.prepare(run)
			time.Sleep(settling)
			peak := s.peak(min(max(last[i], shortestPeak), longestPeak))
			before := allocations()
			began := time.Now()
			if err := f(ctx); err != nil {
				return nil, err
			}
			last[i] = time.Since(began)
			rows[i].Allocations, rows[i].Allocated = allocations().since(before)
			if run >= s.runs.Warmup {
				rows[i].All = append(rows[i].All, last[i].Seconds())
				rows[i].Peaks = append(rows[i].Peaks, peak)
			}
		}
	}
	for i, t := range tasks {
		rows[i].rate(t.cost, s.limits.ReadGBs)
	}
	return rows, nil
}

const (
	settling     = 2 * time.Millisecond // after which threads that waited for more work sleep
	shortestPeak = 20 * time.Millisecond
	longestPeak  = 200 * time.Millisecond
)

// rate turns the times of a row into rates, of what was measured beside them and of reading read GB/s.
func (r *Row) rate(c cost, read float64) {
	r.Seconds, r.Peak = median(r.All), median(r.Peaks)
	r.Tokens, r.Computed = c.tokens, c.computed
	r.TokensPerSecond = float64(c.tokens) / r.Seconds
	r.GFLOPs = c.flops / r.Seconds / 1e9
	if r.Peak > 0 {
		r.PeakShare = r.GFLOPs / r.Peak
	}
	if c.passes == 0 {
		return
	}
	r.Passes = c.passes
	r.GBs = c.bytes * float64(c.passes) / r.Seconds / 1e9
	if read > 0 && r.Peak > 0 {
		r.ReadShare = r.GBs / read
		atBest := max(c.flops/float64(c.passes)/r.Peak, c.bytes/read) / 1e9 * float64(c.passes)
		r.Roofline = atBest / r.Seconds
	}
}

// median returns the middle value, the mean of the two middle ones where there are two.
func median(x []float64) float64 {
	s := slices.Sorted(slices.Values(x))
	n := len(s)
	if n == 0 {
		return 0
	}
	return (s[(n-1)/2] + s[n/2]) / 2
}
