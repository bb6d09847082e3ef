package config

import (
	"fmt"
	"slices"
)

// layers fills in what differs between layers: sliding windows and layers without rotary positions.
func (f *file) layers(family *Family, c *Config) error {
	if c.Layers <= 0 || c.Layers > 1<<12 {
		return fmt.Errorf("num_hidden_layers = %d is out of range", c.Layers)
	}
	if err := f.windows(family, c); err != nil {
		return err
	}
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

// windows reads sliding_window. With layer_types, those decide; without, mistral has it on every layer, and the others where
// use_sliding_window says so, from layer max_window_layers on.
func (f *file) windows(family *Family, c *Config) error {
	if f.LayerTypes != nil && len(f.LayerTypes) != c.Layers {
		return fmt.Errorf("layer_types needs %d entries, it has %d", c.Layers, len(f.LayerTypes))
	}
	if f.LayerTypes == nil && family.pattern > 0 {
		every := family.pattern
		if family.patterns && f.WindowPattern != nil {
			every = *f.WindowPattern
		}
		if every < 1 {
			return fmt.Errorf("sliding_window_pattern = %d is out of range", every)
		}
		f.LayerTypes = slices.Repeat([]string{"sliding_attention"}, c.Layers)
		for i := every - 1; i < c.Layers; i += every {
			f.LayerTypes[i] = "full_attention"
		}
	}
	for i, kind := range f.LayerTypes {
		if kind != "full_attention" && kind != "sliding_attention" {
			return fmt.Errorf("layer_types[%d] = %q is not supported", i, kind)
		}
	}
	if f.Window == nil || !family.window && !f.UseWindow {
		if slices.Contains(f.LayerTypes, "sliding_attention") {
			return fmt.Errorf("layer_types asks for sliding_attention, sliding_window does not say how wide")
		}
		return nil
	}
	if *f.Window < 1 {
		return fmt.Errorf("sliding_window = %d is out of range", *f.Window)
	}
	from := 0
	if !family.window && f.WindowFrom != nil {
		from = *f.WindowFrom
	}
	c.Window = make([]int, c.Layers)
	for i := range c.Window {
		sliding := i >= from
		if f.LayerTypes != nil {
			sliding = f.LayerTypes[i] == "sliding_attention"
		}
		if sliding {
			c.Window[i] = *f.Window
		}
	}
	return nil
}
