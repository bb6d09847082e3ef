package config

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
)

// fields are the members of a config.json by their exact names.
type fields map[string]json.RawMessage

// exactName matches the names that members can have: encoding/json takes Hidden_Size for hidden_size, transformers does not.
var exactName = regexp.MustCompile(`^[a-z0-9_]+$`)

// readFields reads the members of a config.json whose names can mean something.
func readFields(data []byte) (fields, error) {
	var all fields
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("parse config.json: %w", err)
	}
	if all == nil {
		return nil, fmt.Errorf("config.json is null, not an object")
	}
	maps.DeleteFunc(all, func(key string, _ json.RawMessage) bool { return !exactName.MatchString(key) })
	return all, nil
}

// has reports whether a key is there, null or not.
func (f fields) has(key string) bool { _, ok := f[key]; return ok }

// null reports whether a key is there and null.
func (f fields) null(key string) bool { raw, ok := f[key]; return ok && string(raw) == "null" }

// A rule says what values a number of config.json can have.
type rule struct {
	least, most float64
	null        bool // stands for what the family has where the key is missing
	real        bool // not only whole numbers
}

// rules bound the numbers that a shape is made of, far above what any model has: all that is allocated later follows from them.
var rules = map[string]rule{
	"vocab_size": {least: 1, most: 1 << 24}, "hidden_size": {least: 1, most: 1 << 20}, "intermediate_size": {least: 1, most: 1 << 22},
	"num_hidden_layers": {least: 1, most: 1 << 12}, "num_attention_heads": {least: 1, most: 1 << 16},
	"num_key_value_heads": {least: 1, most: 1 << 16, null: true}, "head_dim": {least: 1, most: 1 << 16, null: true},
	"max_position_embeddings": {least: 1, most: 1 << 30}, "original_max_position_embeddings": {least: 1, most: 1 << 30},
	"sliding_window": {least: 1, most: 1 << 30, null: true}, "max_window_layers": {least: 0, most: 1 << 30},
	"sliding_window_pattern": {least: 1, most: 1 << 12}, "no_rope_layer_interval": {least: 1, most: 1 << 12},
	"rms_norm_eps": {least: 1e-37, most: 1, real: true}, // as a float32 it is neither 0 nor all there is
	"rope_theta":   {least: 1e-3, most: 1e15, real: true}, "rope_local_base_freq": {least: 1e-3, most: 1e15, real: true},
	"partial_rotary_factor": {least: 1e-6, most: 1, real: true, null: true}, "query_pre_attn_scalar": {least: 1e-6, most: 1e9, real: true},
}

// switches are keys that are true or false. Families that do not read one let it be null.
var switches = []string{"tie_word_embeddings", "attention_bias", "use_sliding_window"}

// check refuses, by name, numbers and switches that are none or out of all range.
func (f fields) check(family *Family) error {
	for _, key := range slices.Sorted(maps.Keys(rules)) {
		if err := f.checkNumber(key, rules[key], family); err != nil {
			return err
		}
	}
	if family.headNamed && !f.has("head_dim") {
		return fmt.Errorf("config.json: head_dim is missing: models of this model_type cannot do without")
	}
	for _, key := range switches {
		if f.has(key) && !slices.Contains([]string{"true", "false"}, string(f[key])) && (family.reads(key) || !f.null(key)) {
			return fmt.Errorf("config.json: %s = %.40s: write true or false", key, f[key])
		}
	}
	return nil
}

func (f fields) checkNumber(key string, r rule, family *Family) error {
	if !f.has(key) || f.null(key) && (!family.reads(key) || r.null && !family.fixed(key)) {
		return nil
	}
	var x float64
	if f.null(key) {
		return fmt.Errorf("config.json: %s is null: leave it out, or write a number", key)
	}
	if err := json.Unmarshal(f[key], &x); err != nil {
		return fmt.Errorf("config.json: %s = %.40s is no number", key, f[key])
	}
	if !r.real && (x != math.Trunc(x) || strings.ContainsAny(string(f[key]), ".eE")) {
		return fmt.Errorf("config.json: %s = %.40s is no whole number", key, f[key])
	}
	if family.reads(key) && (x < r.least || x > r.most) {
		return fmt.Errorf("config.json: %s = %.40s is out of range: it can be from %v to %v", key, f[key], r.least, r.most)
	}
	return nil
}

// reads reports whether a number or a switch means something in the family.
func (f *Family) reads(key string) bool {
	switch key {
	case "attention_bias":
		return f.biasFlag
	case "use_sliding_window":
		return f.windowFrom > 0 || f.noRope
	case "max_window_layers":
		return f.windowFrom > 0
	case "sliding_window":
		return f.window || f.windowFrom > 0 || f.noRope
	case "sliding_window_pattern":
		return f.patterns
	case "no_rope_layer_interval":
		return f.noRope
	case "rope_local_base_freq":
		return f.local
	case "query_pre_attn_scalar":
		return f.queries > 0
	}
	return true
}

// fixed reports whether a number that other families let be null is one that must be there in this one, if it is named.
func (f *Family) fixed(key string) bool {
	switch key {
	case "num_key_value_heads":
		return f.kvFixed
	case "head_dim":
		return f.headFixed
	case "partial_rotary_factor":
		return f.partial
	}
	return false
}

// divided reports whether hidden_size must be a multiple of num_attention_heads, whatever head_dim is.
func (f *Family) divided() bool { return slices.Contains(dividing, f.class) }

// dividing are the classes that check it.
var dividing = []string{"LlamaForCausalLM", "Gemma2ForCausalLM", "Gemma3ForCausalLM"}
