// Package torch is an engine that computes in a process of Python, with PyTorch and transformers: on CUDA, ROCm, XPU, MPS or CPUs, with any model
// that transformers opens by itself. [Open] starts the worker, which needs nothing but these two packages, no port and no daemon.
//
// It is chosen, never the default. What it cannot do is [errors.ErrUnsupported]: policies of all parameters, for one.
//
// # What stands where
//
//	pipe        messages, and the process behind them: what becomes of one that dies, lies or is silent
//	policy.go   what a policy consists of and begins with; save.go its files, which are the embedded engine's
//	sample.go   completions, from bursts of tokens; score.go log-probabilities, gradients; step.go optimizer steps
//	distribution.go whole distributions
//	look.go     what there is for the engine on a machine
//	worker      the program in Python: pipe, base, adapters, cuts, score, sample, look
//
// # Who knows what
//
// The worker holds tensors and computes. Names, files, initial values, seeds and checks are this side's, and are those of the embedded engine: a policy
// that one engine saved goes on in the other, and samples of one seed are the same text up to the rounding of both.
//
// Several devices have a worker each, with the base and all policies. Data and requests are shared out; gradients are added up in the order of
// the workers, and every worker takes the same step.
package torch

import (
	"cmp"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"parley/engine"
	"parley/engine/torch/pipe"
	"parley/internal/service"
)

// Options say where the engine finds Python and how it computes. Zero values are right nearly always.
type Options struct {
	Python  string        // path or name; "": that of $PARLEY_PYTHON or $VIRTUAL_ENV, else python3
	Model   string        // a folder that transformers opens: config.json and safetensors
	Device  string        // auto, cuda, cuda:N, xpu, mps or cpu; "" is auto: the first of cuda, xpu, mps, cpu
	Devices []string      // several, a worker each; overrides Device
	DType   string        // bf16, f32, f16 or nf4; "": bf16 on a GPU, f32 on a CPU
	Memory  float64       // share of the device's memory that may be taken; 0: 0.9
	Threads int           // of PyTorch on a CPU; 0: its own choice
	Timeout time.Duration // without a sign of life from a worker; 0: ten minutes
	Worker  string        // a folder that the worker's files are written to; "": a private temporary one
}

const (
	usualTimeout = 10 * time.Minute
	usualMemory  = 0.9
)

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

// An Engine samples from and trains adapters over one base that worker processes hold.
type Engine struct {
	info    Info
	hidden  int
	modules []module
	workers []*pipe.Process
	folder  string          // of the worker's files, if it is ours
	turn    chan struct{}   // holds one token while nobody calls
	life    context.Context // of calls that have none of their own; it does not end

	mu       sync.Mutex
	policies map[engine.Policy]*policy
	computed engine.Computed
	gap      engine.GapMeter
}

var (
	_ engine.Engine         = (*Engine)(nil)
	_ engine.Contexter      = (*Engine)(nil)
	_ engine.Streamer       = (*Engine)(nil)
	_ engine.Remote         = (*Engine)(nil)
	_ engine.Gapped         = (*Engine)(nil)
	_ engine.Differentiator = (*Engine)(nil)
	_ engine.Diverger       = (*Engine)(nil)
	_ engine.Distributor    = (*Engine)(nil)
	_ engine.Distiller      = (*Engine)(nil)
	_ engine.Dropper        = (*Engine)(nil)
	_ engine.Counter        = (*Engine)(nil)
	_ io.Closer             = (*Engine)(nil)
)

//go:embed worker/*.py
var workerFiles embed.FS

// Open starts the workers and loads the model. The end of ctx ends the loading.
func Open(ctx context.Context, o Options) (*Engine, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	devices := o.Devices
	if len(devices) == 0 {
		devices = []string{o.Device}
	}
	folder, own, err := writeWorker(o.Worker)
	if err != nil {
		return nil, fmt.Errorf("write the files of the torch worker: %w", err)
	}
	var commands []*exec.Cmd
	for range devices {
		commands = append(commands, o.command(folder))
	}
	e, err := open(ctx, o, commands, devices)
	if own {
		if err != nil {
			os.RemoveAll(folder)
			return nil, err
		}
		e.folder = folder
	}
	return e, err
}

// open is Open with the commands of the workers.
func open(ctx context.Context, o Options, commands []*exec.Cmd, devices []string) (_ *Engine, err error) {
	e := &Engine{life: context.WithoutCancel(ctx), turn: make(chan struct{}, 1), policies: map[engine.Policy]*policy{}, gap: engine.NewGapMeter()}
	e.turn <- struct{}{}
	defer func() {
		if err != nil {
			e.Close()
		}
	}()
	for _, c := range commands {
		p, err := pipe.Start(c, cmp.Or(o.Timeout, usualTimeout))
		if err != nil {
			return nil, fmt.Errorf("start %s for the torch engine: %w; engine.torch.python names another interpreter", c.Path, err)
		}
		e.workers = append(e.workers, p)
	}
	if err := e.greet(ctx, o, devices); err != nil {
		return nil, err
	}
	return e, nil
}

// greet lets every worker load the model.
func (e *Engine) greet(ctx context.Context, o Options, devices []string) error {
	hellos := make([]hello, len(e.workers))
	err := engine.Together(ctx, len(e.workers), len(e.workers), func(ctx context.Context, i int) error {
		f, err := e.workers[i].Call(ctx, pipe.Request{Op: "hello", Fields: map[string]any{
			"version": pipe.Version, "model": o.Model, "device": devices[i], "dtype": o.DType, "memory": cmp.Or(o.Memory, usualMemory), "threads": o.Threads,
		}})
		if err != nil {
			return err
		}
		if err := json.Unmarshal(f.Head, &hellos[i]); err != nil {
			return e.workers[i].Fail("hello", err)
		}
		return hellos[i].check()
	})
	if err != nil {
		return fmt.Errorf("open %s with PyTorch: %w", o.Model, err)
	}
	for i, h := range hellos[1:] {
		if h.kind() != hellos[0].kind() {
			return fmt.Errorf("device %s computes as %s, device %s as %s; take devices of one kind", devices[0], hellos[0].kind(), devices[i+1], h.kind())
		}
	}
	e.accept(&hellos[0])
	return nil
}

// A hello is what a worker says of itself.
type hello struct {
	Version                                        int
	Torch, Transformers, Device, Capability, DType string
	Vocab, Window, Hidden                          int
	Modules                                        []module
}

func (h *hello) check() error {
	switch {
	case h.Version != pipe.Version:
		return fmt.Errorf("the worker speaks version %d of the pipe, not %d", h.Version, pipe.Version)
	case h.Vocab < 1 || h.Window < 1 || h.Hidden < 1:
		return fmt.Errorf("the worker reports a vocabulary of %d, a window of %d and a width of %d", h.Vocab, h.Window, h.Hidden)
	}
	return nil
}

// kind names the numbers of a worker: torch-2.15-cuda-sm_90-bf16.
func (h *hello) kind() string {
	release := strings.SplitN(h.Torch, ".", 3)
	parts := []string{"torch", strings.Join(release[:min(2, len(release))], "."), strings.SplitN(h.Device, ":", 2)[0]}
	if h.Capability != "" {
		parts = append(parts, h.Capability)
	}
	return strings.Join(append(parts, h.DType), "-")
}

func (e *Engine) accept(h *hello) {
	e.hidden, e.modules = h.Hidden, h.Modules
	e.info = Info{
		Torch: h.Torch, Transformers: h.Transformers, Device: h.Device, Capability: h.Capability, DType: h.DType,
		Vocab: h.Vocab, Window: h.Window, Kind: h.kind(), WorkerHash: workerHash(),
	}
}

// check refuses what the engine does not have.
func (o *Options) check() error {
	switch {
	case !(o.Memory >= 0 && o.Memory <= 1):
		return fmt.Errorf("engine.torch.memory %g must be a share of the device's memory: above 0, at most 1", o.Memory)
	case o.Timeout < 0:
		return fmt.Errorf("engine.torch.timeout %v is below 0", o.Timeout)
	}
	return nil
}

// python is the interpreter.
func (o *Options) python() string {
	if o.Python != "" {
		return o.Python
	}
	python := service.Python()
	if env := os.Getenv("VIRTUAL_ENV"); env != "" && python == service.Python3 {
		for _, at := range []string{"bin/python", "Scripts/python.exe"} {
			if path := filepath.Join(env, filepath.FromSlash(at)); isFile(path) {
				return path
			}
		}
	}
	return python
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// command starts a worker whose files are in a folder. Nothing is fetched by it.
func (o *Options) command(folder string) *exec.Cmd {
	c := exec.Command(o.python(), folder)
	c.Env = append(os.Environ(), "HF_HUB_OFFLINE=1", "TRANSFORMERS_OFFLINE=1", "TOKENIZERS_PARALLELISM=false", "PYTHONDONTWRITEBYTECODE=1", "PYTHONIOENCODING=utf-8")
	return c
}

// writeWorker writes the worker's files to a folder; "": to a temporary one of our own.
func writeWorker(folder string) (_ string, own bool, err error) {
	if folder == "" {
		own = true
		folder, err = os.MkdirTemp("", "parley-torch-")
	} else {
		err = os.MkdirAll(folder, 0o777)
	}
	if err != nil {
		return "", false, err
	}
	err = eachWorkerFile(func(name string, data []byte) error {
		return os.WriteFile(filepath.Join(folder, name), data, 0o666)
	})
	return folder, own, err
}

func eachWorkerFile(visit func(name string, data []byte) error) error {
	entries, err := workerFiles.ReadDir("worker")
	for _, f := range entries {
		var data []byte
		if data, err = workerFiles.ReadFile("worker/" + f.Name()); err == nil {
			err = visit(f.Name(), data)
		}
		if err != nil {
			return err
		}
	}
	return err
}

// workerHash is that of the names and contents of the worker's files.
func workerHash() string {
	h := sha256.New()
	_ = eachWorkerFile(func(name string, data []byte) error { // they are embedded: nothing fails
		_, err := fmt.Fprintf(h, "%s %d\n%s", name, len(data), data)
		return err
	})
	return hex.EncodeToString(h.Sum(nil))
}

// Info is what the workers said of themselves.
func (e *Engine) Info() Info { return e.info }

// Context implements [engine.Contexter].
func (e *Engine) Context() int { return e.info.Window }

// Computed implements [engine.Counter].
func (e *Engine) Computed() engine.Computed {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.computed
}

// Close ends the workers. No call but Close may follow.
func (e *Engine) Close() error {
	var wait sync.WaitGroup
	for _, p := range e.workers {
		wait.Go(p.Close)
	}
	wait.Wait()
	if e.folder != "" {
		return os.RemoveAll(e.folder)
	}
	return nil
}

// lock waits until no other call is under way: the engine does one thing at a time.
func (e *Engine) lock(ctx context.Context) (unlock func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case <-e.turn:
		return func() { e.turn <- struct{}{} }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// all asks every worker the same, and returns the answer of each.
func (e *Engine) all(ctx context.Context, q pipe.Request) ([]*pipe.Frame, error) {
	frames := make([]*pipe.Frame, len(e.workers))
	err := engine.Together(ctx, len(e.workers), len(e.workers), func(ctx context.Context, i int) (err error) {
		frames[i], err = e.workers[i].Call(ctx, q)
		return err
	})
	return frames, err
}

// How far sampler and trainer may be apart: both are the same net, whose products are rounded otherwise for one token than for many.
const (
	agreementF32 = 1e-2
	agreementLow = 1 // nats, of a single token, with products below float32
)

func (e *Engine) remember(reqs []engine.SampleRequest, samples []engine.Sample) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.gap.Drew(reqs, samples)
}

func (e *Engine) compare(data []engine.Datum, outputs []engine.Output) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.gap.Compare(data, outputs, &e.gap.GapSums)
}

// Gap implements [engine.Gapped].
func (e *Engine) Gap() (engine.Gap, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.gap.Take()
}

// Agreement implements [engine.Remote].
func (e *Engine) Agreement() float64 {
	if e.info.DType == "f32" {
		return agreementF32
	}
	return agreementLow
}
