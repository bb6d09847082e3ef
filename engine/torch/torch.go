// Package torch is an engine that computes in a process of Python, with PyTorch and transformers: on CUDA, ROCm, XPU, MPS or CPUs, with any model
// that transformers opens by itself. [Open] starts the worker, which needs nothing but these two packages, no port and no daemon.
//
// It is chosen, never the default. What it cannot do is [errors.ErrUnsupported]: policies of all parameters, for one.
package torch

import (
	"context"
	"errors"
	"time"

	"parley/engine"
)

// Options say where the engine finds Python and how it computes. Zero values are right nearly always.
type Options struct {
	Python  string        // path or name; "": that of $VIRTUAL_ENV, else python3
	Model   string        // a folder that transformers opens: config.json and safetensors
	Device  string        // auto, cuda, cuda:N, xpu, mps or cpu; "" is auto: the first of cuda, xpu, mps, cpu
	Devices []string      // several, a worker each; overrides Device
	DType   string        // bf16, f32 or f16; "": bf16 on a GPU, f32 on a CPU
	Sampler string        // torch; "" is torch
	Memory  float64       // share of the device's memory that may be taken; 0: 0.9
	Compile string        // graphs of decoding: auto or off; "" is auto
	Threads int           // of PyTorch on a CPU; 0: its own choice
	Timeout time.Duration // without a sign of life from a worker; 0: ten minutes
	Worker  string        // a folder that the worker's files are written to; "": a private temporary one
}

// Info is what a worker said of itself and of its model.
type Info struct {
	Torch        string // version
	Transformers string // version
	Device       string // cpu, cuda:0
	Capability   string // sm_90, say; "": the device has none
	DType        string
	Vocab        int
	Window       int    // most tokens of a sequence
	Kind         string // of numbers: torch-2.15-cpu-f32; runs of different kinds are not equal to the bit
	WorkerHash   string // SHA-256 of the worker's files
}

// A Report says what there is for the engine on a machine, for people who look for what is missing.
type Report struct {
	Python       string // the interpreter
	Version      string // its version
	Torch        string // "": not installed
	Transformers string // "": not installed
	Devices      []Device
	Missing      []Missing // nothing: the engine can be opened
}

// A Device is one that PyTorch can compute on.
type Device struct {
	Name     string // cpu, cuda:0
	Title    string // NVIDIA H100, say
	Memory   int64  // bytes; 0: not known
	Free     int64  // bytes; 0: not known
	Products []Product
}

// A Product is a matrix product that was timed.
type Product struct {
	DType  string
	Size   int     // of three square matrices
	Flops  float64 // a second
	Failed string  // why there is none
}

// A Missing is what has to be installed, and how.
type Missing struct {
	What    string
	Command string
}

// An Engine samples from and trains adapters over one base that worker processes hold.
type Engine struct {
	info Info
}

// Open starts the workers and loads the model. The end of ctx ends the loading.
func Open(ctx context.Context, o Options) (*Engine, error) {
	return nil, errors.ErrUnsupported
}

// Info is what the workers said of themselves.
func (e *Engine) Info() Info { return e.info }

// Look tries what the engine needs without loading a model. It fails only where Python itself does not start: what else is missing is in the report.
func Look(ctx context.Context, o Options) (Report, error) {
	return Report{}, errors.ErrUnsupported
}

// NewPolicy implements [engine.Engine].
func (e *Engine) NewPolicy(ctx context.Context, name engine.Policy, spec engine.PolicySpec) error {
	return errors.ErrUnsupported
}

// Sample implements [engine.Engine].
func (e *Engine) Sample(ctx context.Context, reqs []engine.SampleRequest) ([]engine.Sample, error) {
	return nil, errors.ErrUnsupported
}

// Forward implements [engine.Engine].
func (e *Engine) Forward(ctx context.Context, data []engine.Datum) ([]engine.Output, error) {
	return nil, errors.ErrUnsupported
}

// ForwardBackward implements [engine.Engine].
func (e *Engine) ForwardBackward(ctx context.Context, data []engine.Datum, loss engine.Loss) error {
	return errors.ErrUnsupported
}

// Step implements [engine.Engine].
func (e *Engine) Step(ctx context.Context, name engine.Policy, opt engine.Adam) (engine.StepInfo, error) {
	return engine.StepInfo{}, errors.ErrUnsupported
}

// Save implements [engine.Engine].
func (e *Engine) Save(ctx context.Context, name engine.Policy, dir string) error {
	return errors.ErrUnsupported
}

// Load implements [engine.Engine].
func (e *Engine) Load(ctx context.Context, name engine.Policy, dir string) error {
	return errors.ErrUnsupported
}

// Close ends the workers.
func (e *Engine) Close() error { return nil }
