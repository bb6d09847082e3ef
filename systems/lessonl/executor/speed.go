package executor

import (
	"context"
	"fmt"
	"math"
	"slices"

	"parley/systems/lessonl/bank"
)

// A SpeedJob is a program that is to do what a source does, faster.
type SpeedJob struct {
	Program string `json:"program"` // as an agent wrote it
	Source  string `json:"source"`
	Entry   string `json:"entry"`  // the name of the function
	Inputs  string `json:"inputs"` // Python with def inputs(), which returns a list of arguments; random numbers have a seed
}

// How a speed is measured: source and program in turn, in processes of their own, so many times. The time of a process is the median of so many
// repeats, each of as many calls as take a while; the speed-up is the ratio of the medians over the processes. Processor time is measured, not
// wall time.
const (
	pairs   = 5
	repeats = 7
)

// Measured is how a program did beside its source.
type Measured struct {
	Class   bank.Class
	Speedup float64 // credit: 0 where it is wrong
	Detail  string  // why, where it is wrong
}

// Speed measures a program. Times are never the same twice, so neither is a speed-up: it is a measurement, not a function of the program.
func (e *Executor) Speed(ctx context.Context, job SpeedJob) (Measured, error) {
	select {
	case e.clock <- struct{}{}:
	case <-ctx.Done():
		return Measured{}, ctx.Err()
	}
	defer func() { <-e.clock }()
	var sources, programs []float64
	for range pairs {
		before, ended, err := e.time(ctx, job, job.Source)
		if err != nil {
			return Measured{}, err
		}
		if ended != "" || before.Stage != "measured" {
			return Measured{}, fmt.Errorf("the source cannot be measured: %s%s", ended, before.Error)
		}
		after, ended, err := e.time(ctx, job, job.Program)
		if err != nil {
			return Measured{}, err
		}
		if class, detail := wrong(before, after, ended); detail != "" {
			return Measured{Class: class, Detail: detail}, nil
		}
		sources, programs = append(sources, before.Seconds), append(programs, after.Seconds)
	}
	class, credit := bank.Classify(true, true, max(median(sources), tick)/max(median(programs), tick))
	return Measured{Class: class, Speedup: credit}, nil
}

func median(seconds []float64) float64 {
	slices.Sort(seconds)
	return seconds[len(seconds)/2]
}

// tick is the least time that counts, in seconds: a clock cannot tell less.
const tick = 1e-6

func (e *Executor) time(ctx context.Context, job SpeedJob, program string) (v verdict, ended string, err error) {
	ended, err = e.run(ctx, "measure", map[string]any{"program": program, "entry": job.Entry, "inputs": job.Inputs, "repeats": repeats}, &v)
	return v, ended, err
}

// wrong says what is wrong with a program; no detail: nothing is.
func wrong(source, program verdict, ended string) (bank.Class, string) {
	switch {
	case program.Stage == "define":
		return bank.NotCompilable, program.Error
	case ended != "" || program.Stage != "measured":
		return bank.NotEquivalent, ended + program.Error
	}
	for i, want := range source.Outputs {
		if i >= len(program.Outputs) || !same(want, program.Outputs[i]) {
			return bank.NotEquivalent, fmt.Sprintf("its result for input %d is another", i+1)
		}
	}
	return "", ""
}

// near is how far numbers may be apart, relative to the greater: other orders of a sum round in other ways.
const near = 1e-6

// same compares two results.
func same(a, b any) bool {
	switch x := a.(type) {
	case float64:
		y, ok := b.(float64)
		return ok && math.Abs(x-y) <= near*max(1, math.Abs(x), math.Abs(y))
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, same)
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for key := range x {
			if other, has := y[key]; !has || !same(x[key], other) {
				return false
			}
		}
		return true
	}
	return a == b
}

// String is the report: such as much_faster 2.31, or not_equivalent 0: its result for input 2 is another.
func (m Measured) String() string {
	if m.Detail != "" {
		return fmt.Sprintf("%s 0: %s", m.Class, m.Detail)
	}
	return fmt.Sprintf("%s %.2f", m.Class, m.Speedup)
}
