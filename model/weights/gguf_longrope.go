package weights

import (
	"fmt"
	"math"
)

// The rotary factors of longrope (Phi-3 and Phi-4-mini) are tensors in GGUF files and numbers in config.json.
const (
	ropeShort = "rope_factors_short.weight"
	ropeLong  = "rope_factors_long.weight"
)

// takeFactors keeps the values of a tensor that belongs into config.json, and reports whether it is one.
func (m *ggufModel) takeFactors(info ggufInfo, data []byte) (bool, error) {
	if info.name != ropeShort && info.name != ropeLong || m.modelType != "phi3" {
		return false, nil
	}
	if len(info.shape) != 1 || info.shape[0] != m.rotary/2 {
		return true, fmt.Errorf("has shape %v, not [%d]", info.shape, m.rotary/2)
	}
	values := make([]float32, info.shape[0])
	info.format.Decode(values, data)
	for _, v := range values {
		if !(v > 0) || v > math.MaxFloat32 {
			return true, fmt.Errorf("%v is no rotary factor", v)
		}
	}
	m.factors[info.name] = values
	return true, nil
}

// longropeConfig puts the factors into config.json.
func longropeConfig(m *ggufModel, c map[string]any) error {
	if m.rotary != m.headDim {
		c["partial_rotary_factor"] = float64(m.rotary) / float64(m.headDim)
	}
	short, long := m.factors[ropeShort], m.factors[ropeLong]
	if short == nil && long == nil {
		return nil
	}
	original, ok, err := m.integer("rope.scaling.original_context_length")
	if err != nil {
		return err
	}
	if short == nil || long == nil || !ok {
		return fmt.Errorf("longrope needs the tensors %q and %q and the metadata key %q", ropeShort, ropeLong, m.arch+".rope.scaling.original_context_length")
	}
	c["original_max_position_embeddings"] = original
	scaling := map[string]any{"rope_type": "longrope", "short_factor": short, "long_factor": long}
	if _, ok := m.meta[m.arch+".rope.scaling.attn_factor"]; ok {
		gain, err := m.float("rope.scaling.attn_factor", 1)
		if err != nil {
			return err
		}
		scaling["attention_factor"] = gain
	}
	c["rope_scaling"] = scaling
	return nil
}
