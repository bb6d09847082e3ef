package torch

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"parley/engine"
	"parley/engine/torch/pipe"
	"parley/internal/folder"
	"parley/model/weights/peft"
	"parley/model/weights/safetensors"
)

// The files of a saved policy beside those of package peft: the embedded engine's own.
const (
	valueFile     = "value_head.safetensors"
	optimizerFile = "optimizer.safetensors"
	mostSteps     = 1 << 40 // more than any training takes
)

// Save implements [engine.Engine].
func (e *Engine) Save(ctx context.Context, name engine.Policy, dir string) error {
	unlock, err := e.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	p, err := e.trained(name)
	if err == nil {
		err = e.save(ctx, name, p, dir)
	}
	if err != nil {
		return fmt.Errorf("save policy %q: %w", name, err)
	}
	return nil
}

func (e *Engine) save(ctx context.Context, name engine.Policy, p *policy, dir string) error {
	f, err := e.workers[0].Call(ctx, pipe.Request{Op: "save", Fields: map[string]any{"policy": name}})
	if err != nil {
		return err
	}
	var state struct{ Step int }
	if err := json.Unmarshal(f.Head, &state); err != nil {
		return e.workers[0].Fail("save", err)
	}
	var values, moments []safetensors.Output
	for _, q := range p.params {
		for _, kind := range []string{"w.", "m.", "v."} {
			x, err := f.Floats(kind+q.name, q.size())
			if err != nil {
				return e.workers[0].Fail("save", err)
			}
			if err := finite(kind+q.name, x); err != nil {
				return err
			}
			out := safetensors.Output{Tensor: safetensors.Tensor{Name: kind + q.name, Shape: q.shape, DType: "F32"}, Data: x}
			if kind == "w." {
				out.Name = q.name
				values = append(values, out)
			} else {
				moments = append(moments, out)
			}
		}
	}
	return folder.Whole(dir, func(tmp string) error {
		if err := folder.WriteJSON(filepath.Join(tmp, peft.ConfigFile), p.adapter); err != nil {
			return err
		}
		adapter, head := values[:len(values)-p.values], values[len(values)-p.values:]
		if err := safetensors.Write(filepath.Join(tmp, peft.WeightsFile), adapter, map[string]string{"format": "pt"}); err != nil {
			return err
		}
		if len(head) > 0 {
			if err := safetensors.Write(filepath.Join(tmp, valueFile), head, nil); err != nil {
				return err
			}
		}
		return safetensors.Write(filepath.Join(tmp, optimizerFile), moments, map[string]string{"step": strconv.Itoa(state.Step)})
	})
}

// Load implements [engine.Engine]. It also reads adapters that PEFT saved.
func (e *Engine) Load(ctx context.Context, name engine.Policy, dir string) error {
	unlock, err := e.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if name == engine.Base {
		return fmt.Errorf("load policy: the empty name is the frozen base; choose another")
	}
	if err := e.loadFolder(ctx, name, dir); err != nil {
		return fmt.Errorf("load policy %q: %w", name, err)
	}
	return nil
}

func (e *Engine) loadFolder(ctx context.Context, name engine.Policy, dir string) error {
	a, err := peft.Open(dir)
	if err != nil {
		return err
	}
	defer a.Close()
	if err := a.Check(e.peftModules()); err != nil {
		return err
	}
	p, err := e.newPolicy(a.Config)
	if err != nil {
		return err
	}
	values, err := readTensors(a.File, a.Path(), "w.", "", p.params)
	if err != nil {
		return err
	}
	head, err := e.loadValueHead(p, dir)
	if err != nil {
		return err
	}
	step, moments, err := p.readOptimizer(dir)
	if err != nil {
		return err
	}
	return e.load(ctx, name, p, step, append(values, head...), moments)
}

// loadValueHead reads the value head that lies in a policy's folder, if there is one.
func (e *Engine) loadValueHead(p *policy, dir string) ([]pipe.Tensor, error) {
	path := filepath.Join(dir, valueFile)
	if _, err := os.Stat(path); os.IsNotExist(err) {
		return nil, nil
	}
	f, err := safetensors.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	width := 0
	if t, ok := f.Lookup("value_head.hidden.bias"); ok && len(t.Shape) == 1 {
		width = t.Shape[0]
	}
	p.addValueHead(e.hidden, width)
	head := p.params[len(p.params)-p.values:]
	for _, t := range f.Tensors() {
		if !slices.ContainsFunc(head, func(q param) bool { return q.name == t.Name }) {
			return nil, fmt.Errorf("%s: tensor %s (shape %v) has no place in a value head", path, t.Name, t.Shape)
		}
	}
	return readTensors(f, path, "w.", "", head)
}

// readOptimizer reads the optimizer's state that lies in a policy's folder, if there is one.
func (p *policy) readOptimizer(dir string) (step int, moments []pipe.Tensor, err error) {
	path := filepath.Join(dir, optimizerFile)
	if _, err := os.Stat(path); os.IsNotExist(err) {
		return 0, nil, nil
	}
	f, err := safetensors.Open(path)
	if err != nil {
		return 0, nil, err
	}
	defer f.Close()
	if step, err = strconv.Atoi(f.Metadata["step"]); err != nil || step < 0 || step > mostSteps {
		return 0, nil, fmt.Errorf("%s: its metadata has no step count: %q", path, f.Metadata["step"])
	}
	for _, kind := range []string{"m.", "v."} {
		some, err := readTensors(f, path, kind, kind, p.params)
		if err != nil {
			return 0, nil, err
		}
		moments = append(moments, some...)
	}
	return step, moments, nil
}

// readTensors reads tensors under a prefix of their names, to be sent under another.
func readTensors(f *safetensors.File, path, to, from string, params []param) ([]pipe.Tensor, error) {
	var out []pipe.Tensor
	for _, q := range params {
		t, ok := f.Lookup(from + q.name)
		if !ok {
			return nil, fmt.Errorf("%s: tensor %s (shape %v) is missing", path, from+q.name, q.shape)
		}
		if !slices.Equal(t.Shape, q.shape) {
			return nil, fmt.Errorf("%s: tensor %s has shape %v; the model asks for %v", path, from+q.name, t.Shape, q.shape)
		}
		x := make([]float32, q.size())
		err := f.Float32(from+q.name, x)
		if err == nil {
			err = finite("tensor "+from+q.name, x)
		}
		if i := slices.IndexFunc(x, func(v float32) bool { return v < 0 }); err == nil && from == "v." && i >= 0 {
			err = fmt.Errorf("tensor v.%s is a mean of squares, but has %g", q.name, x[i])
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		out = append(out, pipe.Floats(to+q.name, x, q.shape...))
	}
	return out, nil
}
