package native

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"

	"parley/engine"
	"parley/internal/folder"
	"parley/model/weights/peft"
	"parley/model/weights/safetensors"
)

// The files of a saved policy, beside those of package peft. An adapter has an adapter_config.json, a full copy does not.
const (
	modelFile     = "model.safetensors"      // of a full copy, with config.json beside it
	valueFile     = "value_head.safetensors" // value_head.weight [1, hidden] and value_head.bias [1]; or with a hidden layer, see valueHead
	optimizerFile = "optimizer.safetensors"  // m.NAME and v.NAME of every parameter; metadata: step
)

// Save writes a policy; see [engine.Engine]. Gradients that wait for a step are not saved.
func (e *Engine) Save(ctx context.Context, name engine.Policy, dir string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	p, err := e.policy(name)
	if err == nil && len(p.params) == 0 {
		err = fmt.Errorf("the frozen base has nothing to save")
	}
	if err == nil {
		err = folder.Whole(dir, func(tmp string) error { return e.save(p, tmp) })
	}
	if err != nil {
		return fmt.Errorf("save policy %q: %w", name, err)
	}
	return nil
}

func (e *Engine) save(p *policy, dir string) error {
	values := p.valueParams()
	if p.loras == nil {
		if err := e.saveModel(p, dir, "F32"); err != nil {
			return err
		}
	} else if err := p.saveAdapter(dir); err != nil {
		return err
	}
	if len(values) > 0 {
		if err := safetensors.Write(filepath.Join(dir, valueFile), outputs(values, "F32"), nil); err != nil {
			return err
		}
	}
	p.prepareTraining()
	var state []safetensors.Output
	for _, t := range p.params {
		state = append(state, output("m."+t.name, t.shape, t.m, "F32"), output("v."+t.name, t.shape, t.v, "F32"))
	}
	return safetensors.Write(filepath.Join(dir, optimizerFile), state, map[string]string{"step": strconv.Itoa(p.step)})
}

// valueParams returns the parameters of the value head, modelParams those of the adapter or model.
func (p *policy) valueParams() []*param {
	if p.value == nil {
		return nil
	}
	return p.value.params()
}

func (p *policy) modelParams() []*param { return p.params[:len(p.params)-len(p.valueParams())] }

func (p *policy) saveAdapter(dir string) error {
	if err := folder.WriteJSON(filepath.Join(dir, peft.ConfigFile), p.adapter); err != nil {
		return err
	}
	return safetensors.Write(filepath.Join(dir, peft.WeightsFile), outputs(p.modelParams(), "F32"), map[string]string{"format": "pt"})
}

func output(name string, shape []int, data []float32, dtype string) safetensors.Output {
	return safetensors.Output{Tensor: safetensors.Tensor{Name: name, Shape: shape, DType: dtype}, Data: data}
}

func outputs(params []*param, dtype string) []safetensors.Output {
	var all []safetensors.Output
	for _, t := range params {
		all = append(all, output(t.name, t.shape, t.values(), dtype))
	}
	return all
}

// SaveFull writes a full-parameter policy, or the base, as a checkpoint in Hugging Face layout: model.safetensors and
// config.json, in a new folder. dtype is f32 or bf16.
func (e *Engine) SaveFull(name engine.Policy, dir string, dtype string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	kind, ok := map[string]string{"f32": "F32", "bf16": "BF16"}[dtype]
	p, err := e.policy(name)
	switch {
	case err == nil && !ok:
		err = fmt.Errorf("dtype %q is neither f32 nor bf16", dtype)
	case err == nil && e.scaledByTensor:
		err = fmt.Errorf("its rotary frequencies come from tensor %s of a GGUF file; config.json has no place for them", frequencyFactors)
	case err == nil && p.loras != nil:
		err = fmt.Errorf("it is an adapter; only a full-parameter policy is a model")
	case err == nil && len(p.params) == 0:
		p, err = e.fullCopy(name, e.src)
	}
	if err == nil {
		err = folder.Whole(dir, func(tmp string) error { return e.saveModel(p, tmp, kind) })
	}
	if err != nil {
		return fmt.Errorf("save model of policy %q: %w", name, err)
	}
	return nil
}

func (e *Engine) saveModel(p *policy, dir, dtype string) error {
	var config map[string]any
	if err := json.Unmarshal(e.src.Config(), &config); err != nil {
		return fmt.Errorf("config.json: %w", err)
	}
	key := "torch_dtype"
	if _, five := config["dtype"]; five {
		key = "dtype"
	}
	config[key] = map[string]string{"F32": "float32", "BF16": "bfloat16"}[dtype]
	if err := folder.WriteJSON(filepath.Join(dir, "config.json"), config); err != nil {
		return err
	}
	return safetensors.Write(filepath.Join(dir, modelFile), outputs(p.modelParams(), dtype), map[string]string{"format": "pt"})
}
