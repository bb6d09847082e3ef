package torch

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"

	"parley/engine/torch/pipe"
)

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

// Look tries what the engine needs without loading a model. It fails only where Python itself does not start: what else is missing is in the report.
func Look(ctx context.Context, o Options) (Report, error) {
	path, err := exec.LookPath(o.python())
	if err != nil {
		return Report{}, fmt.Errorf("find Python for the torch engine: %w; engine.torch.python names another interpreter", err)
	}
	folder, own, err := writeWorker(o.Worker)
	if own {
		defer os.RemoveAll(folder)
	}
	if err != nil {
		return Report{}, fmt.Errorf("write the files of the torch worker: %w", err)
	}
	p, err := pipe.Start(o.command(folder), cmp.Or(o.Timeout, usualTimeout))
	if err != nil {
		return Report{}, fmt.Errorf("start %s: %w", path, err)
	}
	defer p.Close()
	f, err := p.Call(ctx, pipe.Request{Op: "look"})
	if err != nil {
		return Report{}, err
	}
	r := Report{Python: path}
	if err := json.Unmarshal(f.Head, &struct {
		Python *string
		*Report
	}{&r.Version, &r}); err != nil {
		return Report{}, p.Fail("look", err)
	}
	for what, version := range map[string]string{"torch": r.Torch, "transformers": r.Transformers} {
		if version == "" {
			r.Missing = append(r.Missing, Missing{what, path + " -m pip install " + what})
		}
	}
	return r, nil
}
