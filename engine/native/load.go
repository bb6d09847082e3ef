package native

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"parley/engine"
	"parley/model/weights"
	"parley/model/weights/peft"
	"parley/model/weights/safetensors"
)

// Load reads a policy; see [engine.Engine]. It also reads adapters that PEFT saved. Any error leaves the policies as they were.
func (e *Engine) Load(ctx context.Context, name engine.Policy, dir string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if name == engine.Base {
		return fmt.Errorf("load policy: the empty name is the frozen base; choose another")
	}
	p, err := e.load(name, dir)
	if err != nil {
		return fmt.Errorf("load policy %q: %w", name, err)
	}
	e.forget(e.policies[name])
	e.policies[name] = p
	return nil
}

func (e *Engine) load(name engine.Policy, dir string) (*policy, error) {
	var p *policy
	var err error
	switch {
	case exists(filepath.Join(dir, peft.ConfigFile)):
		p, err = e.loadAdapter(name, dir)
	case exists(filepath.Join(dir, modelFile)):
		p, err = e.loadModel(name, dir)
	default:
		err = fmt.Errorf("%s has neither %s nor %s", dir, peft.ConfigFile, modelFile)
	}
	if err != nil {
		return nil, err
	}
	if err := p.loadValueHead(e.shape.Hidden, dir); err != nil {
		return nil, err
	}
	if path := filepath.Join(dir, optimizerFile); exists(path) {
		if err := p.readOptimizer(path); err != nil {
			return nil, err
		}
	}
	p.pack(e.k)
	return p, nil
}

func (e *Engine) loadAdapter(name engine.Policy, dir string) (*policy, error) {
	a, err := peft.Open(dir)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	if err := a.Check(e.shape.modules()); err != nil {
		return nil, err
	}
	p := &policy{name: name, net: e.base, adapter: a.Config}
	if err := p.addLoras(&e.shape); err != nil {
		return nil, err
	}
	return p, readTensors(a.File, a.Path(), p.params)
}

func (e *Engine) loadModel(name engine.Policy, dir string) (*policy, error) {
	src, err := weights.Open(dir)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	return e.fullCopy(name, src)
}

// readParams reads the values of params from a file that must have these tensors and no others.
func readParams(path string, params []*param) error {
	f, err := safetensors.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := checkTensors(f, params); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return readTensors(f, path, params)
}

// readTensors reads the values of params from the open file at path.
func readTensors(f *safetensors.File, path string, params []*param) error {
	for _, p := range params {
		if err := readTensor(f, p.name, p.shape, p.w); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// checkTensors reports tensors that have no place among params.
func checkTensors(f *safetensors.File, params []*param) error {
	for _, t := range f.Tensors() {
		if !slices.ContainsFunc(params, func(p *param) bool { return p.name == t.Name }) {
			return fmt.Errorf("tensor %s (shape %v) has no place in this model under this configuration", t.Name, t.Shape)
		}
	}
	return nil
}

func readTensor(f *safetensors.File, name string, shape []int, dst []float32) error {
	t, ok := f.Lookup(name)
	if !ok {
		return fmt.Errorf("tensor %s (shape %v) is missing", name, shape)
	}
	if !slices.Equal(t.Shape, shape) {
		return fmt.Errorf("tensor %s has shape %v; the model asks for %v", name, t.Shape, shape)
	}
	if err := f.Float32(name, dst); err != nil {
		return err
	}
	return finite("tensor "+name, dst)
}

// mostSteps is more than any training takes.
const mostSteps = 1 << 40

// readOptimizer reads the optimizer's state.
func (p *policy) readOptimizer(path string) error {
	f, err := safetensors.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if p.step, err = strconv.Atoi(f.Metadata["step"]); err != nil || p.step < 0 || p.step > mostSteps {
		return fmt.Errorf("%s: its metadata has no step count: %q", path, f.Metadata["step"])
	}
	p.prepareTraining()
	for _, t := range p.params {
		if err := readTensor(f, "m."+t.name, t.shape, t.m); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := readTensor(f, "v."+t.name, t.shape, t.v); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if i := slices.IndexFunc(t.v, func(x float32) bool { return x < 0 }); i >= 0 {
			return fmt.Errorf("%s: tensor v.%s is a mean of squares, but has %g", path, t.name, t.v[i])
		}
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
