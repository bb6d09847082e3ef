package native

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"parley/engine"
	"parley/engine/native/kernel"
	"parley/seed"
)

// A policy is a set of trained parameters and the net they belong to. The base itself is a policy without parameters.
type policy struct {
	name    engine.Policy
	net     *net // the engine's base, or the policy's own full copy
	adapter adapterConfig
	loras   [][projections]*lora // [layers]; nil entries: not adapted
	value   *valueHead           // nil: none
	params  []*param             // everything trained, in a fixed order
	step    int                  // optimiser steps taken
}

// A valueHead is v = w·h + b on the hidden state after the final norm.
type valueHead struct{ w, b *param }

func newValueHead(hidden int) *valueHead {
	h := &valueHead{w: newParam("value_head.weight", 1, hidden), b: newParam("value_head.bias", 1)}
	for _, p := range []*param{h.w, h.b} {
		p.w = make([]float32, p.size())
		p.train()
	}
	return h
}

// maxRank bounds what an adapter_config.json can make the engine allocate.
const maxRank = 1 << 13

// adapterConfig is the part of PEFT's adapter_config.json that says how the adapter's numbers are used.
type adapterConfig struct {
	Rank         int                `json:"r"`
	Alpha        float64            `json:"lora_alpha"`
	Targets      []string           `json:"target_modules"`
	RSLora       bool               `json:"use_rslora"`
	RankPattern  map[string]int     `json:"rank_pattern"`
	AlphaPattern map[string]float64 `json:"alpha_pattern"`
}

// adapt adds an adapter to every targeted projection.
func (p *policy) adapt(c *Config) error {
	p.loras = make([][projections]*lora, c.Layers)
	for i := range p.loras {
		for _, m := range c.arch().projections() {
			module := fmt.Sprintf("model.layers.%d.%s", i, modules[m])
			if !p.adapter.targets(module) {
				continue
			}
			rank, scale, err := p.adapter.of(module)
			if err != nil {
				return err
			}
			out, in := c.widths(m)
			l := newLora(module, out, in, rank, scale)
			p.loras[i][m] = l
			p.params = append(p.params, l.a, l.b)
		}
	}
	if len(p.params) == 0 {
		return fmt.Errorf("target_modules %v name no projection of the model; write some of %s", p.adapter.Targets,
			strings.Join(c.arch().targets(), ", "))
	}
	return nil
}

// targets reports whether PEFT would adapt the module: its name is an entry, or ends with a dot and one.
func (a *adapterConfig) targets(module string) bool {
	return slices.ContainsFunc(a.Targets, func(t string) bool { return module == t || strings.HasSuffix(module, "."+t) })
}

// of returns the rank and the scale of a module: PEFT's patterns override the defaults.
func (a *adapterConfig) of(module string) (rank int, scale float64, err error) {
	rank, err = pattern(a.RankPattern, module, a.Rank)
	if err != nil {
		return 0, 0, err
	}
	alpha, err := pattern(a.AlphaPattern, module, a.Alpha)
	if err != nil {
		return 0, 0, err
	}
	if rank < 1 || rank > maxRank {
		return 0, 0, fmt.Errorf("rank %d of %s must lie between 1 and %d", rank, module, maxRank)
	}
	if a.RSLora {
		return rank, alpha / math.Sqrt(float64(rank)), nil
	}
	return rank, alpha / float64(rank), nil
}

// pattern returns the entry whose key, a regular expression, matches the end of the module's name.
func pattern[T any](patterns map[string]T, module string, otherwise T) (T, error) {
	for _, key := range slices.Sorted(maps.Keys(patterns)) {
		re, err := regexp.Compile(`^(?:.*\.)?(?:` + key + `)$`)
		if err != nil {
			return otherwise, fmt.Errorf("pattern %q of adapter_config.json: %w", key, err)
		}
		if re.MatchString(module) {
			return patterns[key], nil
		}
	}
	return otherwise, nil
}

// draw gives every adapter its initial values, each from its own stream.
func (p *policy) draw(s uint64) {
	for i := range p.loras {
		for m, l := range p.loras[i] {
			if l != nil {
				l.draw(seed.Derive(s, "lora", i, m))
			}
		}
	}
}

// addValueHead gives p a value head of zeros.
func (p *policy) addValueHead(hidden int) {
	p.value = newValueHead(hidden)
	p.params = append(p.params, p.value.w, p.value.b)
}

// pack takes trained values over into the packed matrices.
func (p *policy) pack(k *kernel.Kernels) {
	if p.loras == nil && len(p.params) > 0 {
		p.net.repack(k)
	}
	for i := range p.loras {
		for _, l := range p.loras[i] {
			if l != nil {
				l.pack(k)
			}
		}
	}
}

func (p *policy) clearGradients() {
	for _, t := range p.params {
		t.clear()
	}
}

// lora returns the adapter of a projection, or nil.
func (p *policy) lora(layer int, m projection) *lora {
	if p.loras == nil {
		return nil
	}
	return p.loras[layer][m]
}
