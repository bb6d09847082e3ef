package peft

import (
	"encoding/json"
	"fmt"
	"math"
)

// A Config is the part of an adapter_config.json that says how the adapter's numbers are used.
type Config struct {
	Rank          int
	Alpha         float64
	RSLoRA        bool              // scale alpha/√rank, not alpha/rank (Kalajdzievski 2023)
	Targets       Names             // target_modules: a pattern is a regular expression, or all-linear
	Exclude       Names             // exclude_modules
	Layers        Layers            // layers_to_transform; empty: all
	LayersPattern LayerNames        // expressions for what stands before a layer's number; empty: any
	RankPattern   Patterns[int]     // ranks of modules that differ from Rank
	AlphaPattern  Patterns[float64] // likewise
	Base          string            // base_model_name_or_path: what the adapter was made for; not part of the numbers
}

// maxRank bounds what an adapter_config.json can make a reader allocate.
const maxRank = 1 << 13

// Adapts reports whether peft would adapt a module of that name.
func (c *Config) Adapts(module string) bool {
	if c.Exclude.match(module) {
		return false
	}
	if c.Targets.Pattern != "" || c.Targets.exactly(module) {
		return c.Targets.allLinear() || c.Targets.match(module)
	}
	return c.Targets.match(module) && c.inLayer(module)
}

// Of returns the rank and the scale of a module's adapter: the first pattern that fits overrides the default.
func (c *Config) Of(module string) (rank int, scale float64, err error) {
	rank, alpha := c.RankPattern.of(module, c.Rank), c.AlphaPattern.of(module, c.Alpha)
	switch {
	case rank < 1 || rank > maxRank:
		return 0, 0, fmt.Errorf("rank %d of %s must lie between 1 and %d", rank, module, maxRank)
	case c.RSLoRA:
		return rank, alpha / math.Sqrt(float64(rank)), nil
	}
	return rank, alpha / float64(rank), nil
}

// MarshalJSON writes an adapter_config.json that peft loads.
func (c Config) MarshalJSON() ([]byte, error) {
	var base any
	if c.Base != "" {
		base = c.Base
	}
	return json.Marshal(map[string]any{
		"peft_type": "LORA", "task_type": "CAUSAL_LM", "base_model_name_or_path": base, "inference_mode": true,
		"bias": "none", "fan_in_fan_out": false, "init_lora_weights": true, "lora_dropout": 0.0, "modules_to_save": nil,
		"use_dora": false, "r": c.Rank, "lora_alpha": c.Alpha, "use_rslora": c.RSLoRA,
		"target_modules": c.Targets, "exclude_modules": c.Exclude,
		"layers_to_transform": c.Layers, "layers_pattern": c.LayersPattern,
		"rank_pattern": c.RankPattern, "alpha_pattern": c.AlphaPattern,
	})
}
