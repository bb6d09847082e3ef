package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// layers fills in what differs between layers: layers without rotary positions, and sliding windows.
func (f *file) layers(family *Family, c *Config) error {
	if c.Layers <= 0 || c.Layers > 1<<12 {
		return fmt.Errorf("num_hidden_layers = %d is out of range", c.Layers)
	}
	if err := f.noRope(family, c); err != nil {
		return err
	}
	return f.windows(family, c)
}

// noRope reads which layers have no rotary positions.
func (f *file) noRope(family *Family, c *Config) error {
	if !family.noRope {
		if f.RopeLayers != nil {
			return fmt.Errorf("no_rope_layers is not supported for model_type %s", f.ModelType)
		}
		return nil
	}
	interval := 4
	if f.RopeInterval != nil {
		interval = *f.RopeInterval
	}
	if f.RopeLayers != nil && len(f.RopeLayers) != c.Layers || f.RopeLayers == nil && interval < 1 {
		return fmt.Errorf("no_rope_layers needs %d entries, it has %d", c.Layers, len(f.RopeLayers))
	}
	c.NoRope = make([]bool, c.Layers)
	for i := range c.NoRope {
		if f.RopeLayers != nil {
			c.NoRope[i] = f.RopeLayers[i] == 0
		} else {
			c.NoRope[i] = (i+1)%interval == 0
		}
	}
	return nil
}

// windows reads which layers have a window, and how wide it is.
func (f *file) windows(family *Family, c *Config) error {
	kinds, err := f.kinds(family, c)
	if err != nil {
		return err
	}
	width := f.width(family)
	all := slices.Repeat([]int{width}, c.Layers)
	for i, kind := range kinds {
		if kind != sliding {
			all[i] = 0
		} else if width == 0 {
			return fmt.Errorf("layer %d has sliding_attention, and sliding_window does not say how wide", i)
		}
	}
	if slices.Max(all) > 0 {
		c.Window = all
	}
	return nil
}

// The kinds of attention that layer_types names.
const (
	full    = "full_attention"
	sliding = "sliding_attention"
)

// width is that of the windows; 0: there are none.
func (f *file) width(family *Family) int {
	switch {
	case !family.reads("sliding_window") || family.windowFrom > 0 && !f.UseWindow:
		return 0
	case f.Window != nil:
		return *f.Window
	case f.fields.null("sliding_window"):
		return 0
	}
	return family.width
}

// kinds says of each layer what attention it has: by layer_types, else by the family's rule.
func (f *file) kinds(family *Family, c *Config) ([]string, error) {
	if !family.reads("use_sliding_window") && !family.window && f.UseWindow {
		return nil, fmt.Errorf("use_sliding_window = true is not supported for model_type %s", f.ModelType)
	}
	rule := make([]string, c.Layers)
	for i := range rule {
		if rule[i] = full; f.slides(family, c, i) {
			rule[i] = sliding
		}
	}
	if f.LayerTypes == nil {
		return rule, nil
	}
	if len(f.LayerTypes) != c.Layers {
		return nil, fmt.Errorf("layer_types needs %d entries, it has %d", c.Layers, len(f.LayerTypes))
	}
	for i, kind := range f.LayerTypes {
		if kind != full && kind != sliding {
			return nil, fmt.Errorf("layer_types[%d] = %q is not supported", i, kind)
		}
		if !family.typed && kind != rule[i] {
			return nil, fmt.Errorf("layer_types[%d] = %q is not supported for model_type %s, whose layers have %s under this sliding_window", i, kind, f.ModelType, rule[i])
		}
	}
	return f.LayerTypes, nil
}

// slides is the family's rule of which layers have a window.
func (f *file) slides(family *Family, c *Config, layer int) bool {
	wide := f.width(family) > 0
	switch {
	case family.pattern > 0:
		every := family.pattern
		if family.patterns && f.WindowPattern != nil {
			every = *f.WindowPattern
		}
		return (layer+1)%every != 0
	case family.window:
		return wide
	case family.windowFrom > 0:
		return wide && layer >= *cmp.Or(f.WindowFrom, &family.windowFrom)
	}
	return wide && f.UseWindow && c.NoRope != nil && c.NoRope[layer]
}

// A Projection is one of the weight matrices of a layer. Adapters draw their first values from streams that these numbers name:
// they stay as they are.
type Projection int

const (
	QProj Projection = iota
	KProj
	VProj
	OProj
	GateProj
	UpProj
	DownProj
	QKVProj        // q, k and v in one
	GateUpProj     // gate and up in one
	NumProjections // how many there are
)

// modules are the names of the projections inside a layer, as Hugging Face has them.
var modules = [NumProjections]string{
	"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj",
	"mlp.gate_proj", "mlp.up_proj", "mlp.down_proj", "self_attn.qkv_proj", "mlp.gate_up_proj",
}

// Module is the name of the projection inside a layer: self_attn.q_proj.
func (p Projection) Module() string { return modules[p] }

// Target is the last part of the module's name, as targets of adapters have it: q_proj.
func (p Projection) Target() string { return modules[p][strings.IndexByte(modules[p], '.')+1:] }
