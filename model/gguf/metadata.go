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
	scales(c, m)
	tensors, err := rope(c, m)
	if err == nil {
		err = olmo2(c)
	}
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

// scales writes Granite's multipliers and Gemma 2's caps. llama.cpp has no word for a missing cap: it takes its own, and [Same] refuses that.
func scales(c config.Config, m map[string]any) {
	for key, v := range map[string]float64{
		"embedding_scale": c.Scales.Embedding, "attention.scale": c.Scales.Attention, "residual_scale": c.Scales.Residual, "logit_scale": c.Scales.Logits,
		"attn_logit_softcapping": c.Caps.Attention, "final_logit_softcapping": c.Caps.Logits,
	} {
		if v != 0 {
			m[key] = float32(v)
		}
	}
}

// olmo2 refuses shapes that llama.cpp does not load in this family alone: it derives the width of heads, and wants an output matrix.
func olmo2(c config.Config) error {
	switch {
	case c.ModelType != "olmo2":
	case c.HeadDim*c.Heads != c.Hidden:
		return fmt.Errorf("its head_dim is %d, and llama.cpp takes hidden_size / num_attention_heads = %d/%d for OLMo 2", c.HeadDim, c.Hidden, c.Heads)
	case c.Tied:
		return fmt.Errorf("its tie_word_embeddings is true, and llama.cpp loads OLMo 2 with an output matrix of its own only")
	}
	return nil
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
	case "yarn":
		return nil, yarn(c, m)
	}
	return nil, fmt.Errorf("rotary positions scaled by %q have no form in GGUF files here", r.Type)
}

// yarn writes yarn's scaling. llama.cpp multiplies cosines and sines by 1 + 0.1·ln(factor) (Peng et al. 2023, §3.4), and by attn_factor, in layers with a
// window too.
func yarn(c config.Config, m map[string]any) error {
	r := c.Rope
	attention := r.AttentionFactor / (1 + 0.1*math.Log(max(1, r.Factor)))
	switch {
	case r.Smooth:
		return fmt.Errorf("its rope_scaling has truncate: false, and GGUF files have no place for that: llama.cpp rounds yarn's band to whole pairs")
	case r.BetaFast != 32 || r.BetaSlow != 1:
		return fmt.Errorf("its rope_scaling has beta_fast %g and beta_slow %g, and llama.cpp would take 32 and 1", r.BetaFast, r.BetaSlow)
	case c.Local != nil && math.Abs(attention-1) > 1e-6:
		return fmt.Errorf("its rope_scaling has attention_factor %g, and llama.cpp would take that for layers with a window too", r.AttentionFactor)
	}
	m["rope.scaling.type"], m["rope.scaling.factor"], m["rope.scaling.original_context_length"] = "yarn", float32(r.Factor), uint32(r.Original)
	m["rope.scaling.attn_factor"] = float32(attention)
	return nil
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
