package torch

import (
	"context"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"parley/engine"
	"parley/engine/torch/pipe"
	"parley/internal/seed"
	"parley/model/config"
	"parley/model/weights/peft"
)

// A module is a linear layer of the model that adapters may stand beside.
type module struct {
	Name    string
	Out, In int
	Router  bool // it chooses experts: adapted only where a policy names it
}

func (m *module) target() string { return m.Name[strings.LastIndexByte(m.Name, '.')+1:] }

// A policy is what this side knows of one: its parameters by name, in a fixed order. Their values are the worker's.
type policy struct {
	adapter peft.Config
	params  []param
	scales  map[string]float64 // of the adapted modules
	values  int                // how many of params, the last ones, are a value head's
}

// A param is a tensor that is trained.
type param struct {
	name  string
	shape []int
}

func (p *param) size() int {
	n := 1
	for _, d := range p.shape {
		n *= d
	}
	return n
}

// peftModules are the model's modules as package peft has them.
func (e *Engine) peftModules() []peft.Module {
	all := make([]peft.Module, len(e.modules))
	for i, m := range e.modules {
		all[i] = peft.Module{Name: m.Name, Out: m.Out, In: m.In}
	}
	return all
}

// newPolicy lists the parameters of an adapter.
func (e *Engine) newPolicy(adapter peft.Config) (*policy, error) {
	if _, err := adapter.Adapted(e.peftModules()); err != nil {
		return nil, err
	}
	p := &policy{adapter: adapter, scales: map[string]float64{}}
	for _, m := range e.peftModules() {
		if !adapter.Adapts(m.Name) {
			continue
		}
		rank, scale, err := adapter.Of(m.Name)
		if err != nil {
			return nil, err
		}
		p.scales[m.Name] = float64(float32(scale))
		p.params = append(p.params, param{m.A(), []int{rank, m.In}}, param{m.B(), []int{m.Out, rank}})
	}
	return p, nil
}

// addValueHead adds the parameters of a value head; width is that of its hidden layer, 0: none.
func (p *policy) addValueHead(hidden, width int) {
	head := []param{{"value_head.weight", []int{1, hidden}}, {"value_head.bias", []int{1}}}
	if width > 0 {
		head[0].shape = []int{1, width}
		head = append([]param{{"value_head.hidden.weight", []int{width, hidden}}, {"value_head.hidden.bias", []int{width}}}, head...)
	}
	p.params, p.values = append(p.params, head...), len(head)
}

// NewPolicy implements [engine.Engine]. Its first values are those that the embedded engine draws.
func (e *Engine) NewPolicy(ctx context.Context, name engine.Policy, spec engine.PolicySpec) error {
	unlock, err := e.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := e.free(name); err != nil {
		return fmt.Errorf("new policy %q: %w", name, err)
	}
	p, err := e.specified(spec)
	if err == nil {
		err = e.load(ctx, name, p, 0, p.initial(spec), nil)
	}
	if err != nil {
		return fmt.Errorf("new policy %q: %w", name, err)
	}
	return nil
}

// free reports a name that is no new policy's.
func (e *Engine) free(name engine.Policy) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if name == engine.Base {
		return errors.New("the empty name is the frozen base; choose another")
	}
	if e.policies[name] != nil {
		return errors.New("it exists already")
	}
	return nil
}

// specified lists the parameters of a new policy.
func (e *Engine) specified(spec engine.PolicySpec) (*policy, error) {
	if spec.Full {
		return nil, fmt.Errorf("%w: the torch engine trains adapters, not all parameters; leave full out, or take engine: embedded", errors.ErrUnsupported)
	}
	if spec.ValueHidden > 0 && spec.ValueInit == 0 {
		return nil, errors.New("its value head has a hidden layer of zeros, which learns nothing: give ValueInit a value")
	}
	var usual, known []string
	for _, m := range e.modules {
		if t := m.target(); !slices.Contains(known, t) {
			known = append(known, t)
			if !m.Router {
				usual = append(usual, t)
			}
		}
	}
	names := spec.Targets
	if len(names) == 0 {
		names = usual
	}
	for _, t := range names {
		if !slices.Contains(known, t) {
			return nil, fmt.Errorf("target %q is no projection of this model; write some of %s", t, strings.Join(known, ", "))
		}
	}
	p, err := e.newPolicy(peft.Config{Rank: spec.Rank, Alpha: spec.Alpha, Targets: peft.List(slices.Clone(names)...)})
	if err == nil && spec.ValueHead {
		p.addValueHead(e.hidden, spec.ValueHidden)
	}
	return p, err
}

// initial are the first values of a policy's parameters.
func (p *policy) initial(spec engine.PolicySpec) []pipe.Tensor {
	values := make(map[string][]float32, len(p.params))
	for _, q := range p.params {
		values[q.name] = make([]float32, q.size())
	}
	for name := range p.scales {
		m := peft.Module{Name: name}
		i := slices.IndexFunc(p.params, func(q param) bool { return q.name == m.A() })
		stream, bound := seed.Stream(moduleSeed(seed.Derive(spec.Seed, "adapter"), name)), 1/math.Sqrt(float64(p.params[i].shape[1]))
		for j := range values[m.A()] {
			values[m.A()][j] = float32((2*stream.Float64() - 1) * bound)
		}
	}
	if spec.ValueHead && spec.ValueInit != 0 {
		stream := seed.Stream(seed.Derive(spec.Seed, "value head"))
		for _, name := range []string{"value_head.weight", "value_head.hidden.weight"} {
			for j := range values[name] {
				values[name][j] = float32(spec.ValueInit * stream.NormFloat64())
			}
		}
	}
	out := make([]pipe.Tensor, len(p.params))
	for i, q := range p.params {
		out[i] = pipe.Floats("w."+q.name, values[q.name], q.shape...)
	}
	return out
}

var inLayer = regexp.MustCompile(`\.layers\.(\d+)\.(.+)$`)

// moduleSeed is that of an adapter's stream: the embedded engine's where that knows the module, else one of its name.
func moduleSeed(root uint64, module string) uint64 {
	if found := inLayer.FindStringSubmatch(module); found != nil {
		layer, err := strconv.Atoi(found[1])
		for m := range config.NumProjections {
			if err == nil && m.Module() == found[2] {
				return seed.Derive(root, "lora", layer, int(m))
			}
		}
	}
	return seed.Derive(root, "lora "+module)
}

// load gives every worker a policy with values, and moments where it has taken steps. What was under the name is replaced, or stays after an error.
func (e *Engine) load(ctx context.Context, name engine.Policy, p *policy, step int, values, moments []pipe.Tensor) error {
	names := make([]string, len(p.params))
	for i, q := range p.params {
		names[i] = q.name
	}
	_, err := e.all(context.WithoutCancel(ctx), pipe.Request{Op: "load", Tensors: append(slices.Clone(values), moments...), Fields: map[string]any{
		"policy": name, "params": names, "scales": p.scales, "step": step, "moments": moments != nil,
	}})
	if err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.gap.Version[name]++
	e.policies[name] = p
	return nil
}

// policy finds a policy by name.
func (e *Engine) policy(name engine.Policy) (*policy, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if p := e.policies[name]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("there is no policy %q", name)
}

// trained is policy for what only trained ones have.
func (e *Engine) trained(name engine.Policy) (*policy, error) {
	if name == engine.Base {
		return nil, errors.New("the frozen base has nothing that is trained")
	}
	return e.policy(name)
}

// Drop implements [engine.Dropper].
func (e *Engine) Drop(name engine.Policy) error {
	ctx := e.life
	unlock, err := e.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if _, err = e.trained(name); err == nil {
		_, err = e.all(ctx, pipe.Request{Op: "drop", Fields: map[string]any{"policy": name}})
	}
	if err != nil {
		return fmt.Errorf("drop policy %q: %w", name, err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.policies, name)
	return nil
}
