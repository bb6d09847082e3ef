package gguf

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"

	"parley/model/config"
	"parley/model/weights"
)

// Shape returns the metadata that say what a model of shape c is, and the tensors that its rotary frequencies become.
func Shape(c config.Config, l *weights.GGUFLayout) (map[string]any, []Tensor, error) {
	m := map[string]any{
		"context_length": uint32(c.Context), "embedding_length": uint32(c.Hidden), "block_count": uint32(c.Layers), "vocab_size": uint32(c.Vocab),
		"feed_forward_length": uint32(c.Intermediate), "attention.head_count": uint32(c.Heads), "attention.head_count_kv": uint32(c.KVHeads),
		"attention.key_length": uint32(c.HeadDim), "attention.value_length": uint32(c.HeadDim),
		"attention.layer_norm_rms_epsilon": float32(c.NormEps),
		"rope.freq_base":                   float32(c.Rope.Theta), "rope.dimension_count": uint32(c.Rope.Width(c.HeadDim)),
	}
	if w := widest(c.Window); w > 0 {
		m["attention.sliding_window"] = uint32(w)
	}
	if c.Local != nil {
		m["rope.freq_base_swa"] = float32(c.Local.Theta)
	}
	tensors, err := rope(c, m)
	if err != nil {
		return nil, nil, err
	}
	out := map[string]any{"general.architecture": l.Architecture}
	for key, v := range m {
		out[l.Architecture+"."+key] = v
	}
	return out, tensors, nil
}

func widest(windows []int) int {
	w := 0
	for _, n := range windows {
		w = max(w, n)
	}
	return w
}

// rope writes the scaling of the rotary frequencies: into m, or as tensors that they are divided by.
func rope(c config.Config, m map[string]any) ([]Tensor, error) {
	r := c.Rope
	switch r.Type {
	case "":
		return nil, nil
	case "linear":
		m["rope.scaling.type"], m["rope.scaling.factor"] = "linear", float32(r.Factor)
		return nil, nil
	case "llama3":
		plain := r
		plain.Type = ""
		divisors := plain.Frequencies(c.HeadDim, 0)
		for i, f := range r.Frequencies(c.HeadDim, 0) {
			divisors[i] /= f
		}
		return []Tensor{constant("rope_freqs.weight", divisors)}, nil
	case "longrope":
		m["rope.scaling.original_context_length"], m["rope.scaling.attn_factor"] = uint32(r.Original), float32(r.AttentionFactor)
		return []Tensor{constant("rope_factors_long.weight", r.Long), constant("rope_factors_short.weight", r.Short)}, nil
	}
	return nil, fmt.Errorf("rotary positions scaled by %q have no form in GGUF files here", r.Type)
}

// constant is a tensor of known values.
func constant(name string, values []float64) Tensor {
	return Tensor{Name: name, Shape: []int{len(values)}, Type: "F32", Read: func(dst []float32) error {
		for i, v := range values {
			dst[i] = float32(v)
		}
		return nil
	}}
}

// Same reports a part of a shape that a file does not hold: llama.cpp has constants in its place. was is the shape of the model, now the one that was
// read from its file.
func Same(was, now config.Config) error {
	if was.Rope.Type == "llama3" {
		now.Rope = was.Rope // its file has a tensor of divisors
	}
	for _, c := range []*config.Config{&was, &now} {
		if c.Rope.Partial != 0 {
			c.Rope.Partial = float64(c.Rope.Width(c.HeadDim)) / float64(c.HeadDim) // files have the width
		}
	}
	a, err := plainJSON(was)
	if err != nil {
		return err
	}
	b, err := plainJSON(now)
	if err != nil {
		return err
	}
	keys := maps.Clone(a)
	maps.Copy(keys, b)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if !alike(a[key], b[key]) {
			return fmt.Errorf("its %s is %v, and GGUF files have no place for that: llama.cpp would take %v", key, a[key], b[key])
		}
	}
	return nil
}

// alike compares values of JSON, numbers as far as float32 keeps them.
func alike(a, b any) bool {
	switch a := a.(type) {
	case float64:
		b, ok := b.(float64)
		return ok && math.Abs(a-b) <= 1e-6*math.Abs(a)
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !alike(a[i], b[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for key := range a {
			if !alike(a[key], b[key]) {
				return false
			}
		}
		return true
	}
	return a == b
}

// plainJSON is the config.json of a shape without what is only a name, or is elsewhere in a file.
func plainJSON(c config.Config) (map[string]any, error) {
	text, err := c.JSON()
	if err != nil {
		return nil, err
	}
	var m map[string]any
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, err
	}
	for _, key := range []string{"architectures", "model_type", "eos_token_id"} {
		delete(m, key)
	}
	return m, nil
}
