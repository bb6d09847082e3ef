package native

import (
	"fmt"

	"parley/engine"
	"parley/engine/native/kernel"
	"parley/internal/seed"
	"parley/model/config"
	"parley/model/weights/peft"
)

// A policy is a set of trained parameters and the net they belong to. The base itself is a policy without parameters.
type policy struct {
	name       engine.Policy
	net        *net // the engine's base, or the policy's own full copy
	adapter    peft.Config
	loras      [][config.NumProjections]*lora // [layers]; nil entries: not adapted
	loraGroups [][projectionGroups]*loraGroup // [layers] the same, by the input that they read; nil entries: none
	ranks      ranks                          // the most of any layer
	value      *valueHead                     // nil: none
	params     []*param                       // everything trained, in a fixed order
	step       int                            // optimizer steps taken
	pieces     []paramPiece                   // params as a step takes them; nil: not cut yet
	prepared   bool                           // it has gradients and moments, see prepareTraining
	dirty      bool                           // something was added to the gradients since the last step; else all are zero
}

// Drop implements [engine.Dropper].
func (e *Engine) Drop(name engine.Policy) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	p, err := e.policy(name)
	if err == nil && len(p.params) == 0 {
		err = fmt.Errorf("the frozen base stays")
	}
	if err != nil {
		return fmt.Errorf("drop policy %q: %w", name, err)
	}
	e.forget(p)
	delete(e.policies, name)
	return nil
}

// addLoras adds an adapter to every targeted projection.
func (p *policy) addLoras(c *shape) error {
	if _, err := p.adapter.Adapted(c.modules()); err != nil {
		return err
	}
	p.loras = make([][config.NumProjections]*lora, c.Layers)
	for i := range p.loras {
		for _, m := range c.Family().Projections() {
			module := c.module(i, m)
			if !p.adapter.Adapts(module.Name) {
				continue
			}
			rank, scale, err := p.adapter.Of(module.Name)
			if err != nil {
				return err
			}
			l := newLora(module, rank, scale)
			p.loras[i][m] = l
			p.ranks.add(m, rank)
			p.params = append(p.params, l.a, l.b)
		}
	}
	p.groupLoras(c)
	return nil
}

// groupLoras brings the adapters of each projection group together.
func (p *policy) groupLoras(c *shape) {
	p.loraGroups = make([][projectionGroups]*loraGroup, c.Layers)
	for i := range p.loraGroups {
		for s := range projectionGroups {
			var loras []*lora
			adapted := false
			for _, m := range projectionsOf(c.Family(), s) {
				loras = append(loras, p.loras[i][m])
				adapted = adapted || p.loras[i][m] != nil
			}
			if adapted {
				p.loraGroups[i][s] = newLoraGroup(loras)
			}
		}
	}
}

// modules lists the projections of all layers.
func (c *shape) modules() []peft.Module {
	var all []peft.Module
	for i := range c.Layers {
		for _, m := range c.Family().Projections() {
			all = append(all, c.module(i, m))
		}
	}
	return all
}

func (c *shape) module(layer int, m config.Projection) peft.Module {
	out, in := c.Widths(m)
	return peft.Module{Name: fmt.Sprintf("model.layers.%d.%s", layer, m.Module()), Out: out, In: in}
}

// initialize gives every adapter its initial values, each from its own stream.
func (p *policy) initialize(s uint64) {
	for i := range p.loras {
		for m, l := range p.loras[i] {
			if l != nil {
				l.initialize(seed.Derive(s, "lora", i, m))
			}
		}
	}
}

// prepareTraining gives the policy what training needs, unless it has that: one that only speaks takes the memory of its values alone.
func (p *policy) prepareTraining() {
	if p.prepared {
		return
	}
	p.prepared = true
	for i := range p.loraGroups {
		for _, s := range p.loraGroups[i] {
			if s != nil {
				s.train()
			}
		}
	}
}

// pack takes trained values over into the packed matrices.
func (p *policy) pack(k *kernel.Kernels) {
	if p.loras == nil && len(p.params) > 0 {
		p.net.repack(k)
	}
	p.makeRoom(k)
	k.Run(len(p.loraGroups)*int(projectionGroups), func(i int) {
		if s := p.loraGroups[i/int(projectionGroups)][i%int(projectionGroups)]; s != nil {
			s.pack()
		}
	})
}

// makeRoom makes the matrices of all LoRA groups, one after another: they lie in memory in the order in which products read them.
func (p *policy) makeRoom(k *kernel.Kernels) {
	for i := range p.loraGroups {
		for _, s := range p.loraGroups[i] {
			if s != nil {
				s.makeRoom(k)
			}
		}
	}
}

func (p *policy) clearGradients() {
	p.dirty = false
	for _, t := range p.params {
		t.clear()
	}
}

// lora returns the adapter of a projection, or nil.
func (p *policy) lora(layer int, m config.Projection) *lora {
	if p.loras == nil {
		return nil
	}
	return p.loras[layer][m]
}

// loraGroup returns the adapters of a projection group, or nil.
func (p *policy) loraGroup(layer int, s projectionGroup) *loraGroup {
	if p.loraGroups == nil {
		return nil
	}
	return p.loraGroups[layer][s]
}
