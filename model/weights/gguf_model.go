package weights

import (
	"fmt"
	"math"
)

// ropeFreqs is the tensor that inverse rotary frequencies are divided by, the form in which GGUF files carry the
// frequency scaling of Llama 3. It keeps its name; the config key parley_rope_freqs tells the engine that it is there.
const ropeFreqs = "rope_freqs.weight"

// ggufModel is what the metadata say about the model.
type ggufModel struct {
	ggufArchitecture
	arch                   string
	meta                   map[string]any
	shapes                 map[string][]int // by GGUF name
	vocab, hidden, ffn     int
	layers, heads, kvHeads int
	headDim, rotary        int
	context                int
	eps, theta             float32
	factors                map[string][]float32 // rotary factors of longrope, by GGUF name
}

// newGGUFModel reads the numbers that names and shapes depend on.
func newGGUFModel(meta map[string]any, infos []ggufInfo) (*ggufModel, error) {
	m := &ggufModel{meta: meta, shapes: map[string][]int{}, factors: map[string][]float32{}}
	for _, info := range infos {
		m.shapes[info.name] = info.shape
	}
	m.arch, _ = meta["general.architecture"].(string)
	family, ok := ggufArchitectures[m.arch]
	if !ok {
		return nil, fmt.Errorf("architecture %.80q is not supported in GGUF files, only %s; use the Hugging Face folder of the model", m.arch, ggufKnown())
	}
	m.ggufArchitecture = family
	embedding := m.shapes["token_embd.weight"]
	if len(embedding) != 2 {
		return nil, fmt.Errorf("tensor %q is missing or no matrix", "token_embd.weight")
	}
	m.vocab = embedding[0]
	for _, field := range []struct {
		to       *int
		key      string
		fallback func() int // nil: the key must be there
	}{
		{&m.hidden, "embedding_length", func() int { return embedding[1] }},
		{&m.ffn, "feed_forward_length", nil},
		{&m.layers, "block_count", nil},
		{&m.heads, "attention.head_count", nil},
		{&m.kvHeads, "attention.head_count_kv", func() int { return m.heads }},
		{&m.headDim, "attention.key_length", func() int { return m.hidden / m.heads }},
		{&m.context, "context_length", nil},
	} {
		n, ok, err := m.integer(field.key)
		if err != nil {
			return nil, err
		}
		if !ok && field.fallback == nil {
			return nil, fmt.Errorf("metadata key %q is missing", m.arch+"."+field.key)
		}
		if !ok {
			n = field.fallback()
		}
		*field.to = n
	}
	if m.hidden != embedding[1] {
		return nil, fmt.Errorf("tensor %q has rows of %d elements, not of %s.embedding_length %d", "token_embd.weight", embedding[1], m.arch, m.hidden)
	}
	if m.layers > len(infos) {
		return nil, fmt.Errorf("%d blocks cannot be made of %d tensors", m.layers, len(infos))
	}
	return m, m.readRest()
}

// readRest reads the real numbers and refuses what would be computed wrongly.
func (m *ggufModel) readRest() (err error) {
	if m.eps, err = m.float("attention.layer_norm_rms_epsilon", 0); err != nil {
		return err
	}
	if m.eps == 0 {
		return fmt.Errorf("metadata key %q is missing", m.arch+".attention.layer_norm_rms_epsilon")
	}
	if m.theta, err = m.float("rope.freq_base", 10000); err != nil {
		return err
	}
	if n, ok := m.meta[m.arch+".expert_count"]; ok && n != uint32(0) {
		return fmt.Errorf("mixtures of experts are not supported (%s.expert_count is %v)", m.arch, n)
	}
	for _, key := range []string{"attn_logit_softcapping", "final_logit_softcapping"} {
		if v, ok := m.meta[m.arch+"."+key]; ok && v != float32(0) && !m.capped {
			return fmt.Errorf("%s.%s is %v; capped logits are not supported", m.arch, key, v)
		}
	}
	return m.readRotary()
}

// readRotary reads how many dimensions of a head positions turn.
func (m *ggufModel) readRotary() error {
	dim, ok, err := m.integer("rope.dimension_count")
	if err != nil {
		return err
	}
	if m.rotary = m.headDim; ok {
		m.rotary = dim
	}
	if m.rotary != m.headDim && (!m.partial || m.rotary > m.headDim || m.rotary%2 != 0) {
		return fmt.Errorf("rotating %d of %d dimensions of a head is not supported in GGUF files of architecture %s", m.rotary, m.headDim, m.arch)
	}
	return nil
}

// integer is a positive whole number of the architecture's metadata.
func (m *ggufModel) integer(key string) (n int, ok bool, err error) {
	key = m.arch + "." + key
	v, ok := m.meta[key]
	if !ok {
		return 0, false, nil
	}
	u, isInt := wholeNumber(v)
	if !isInt || u == 0 || u > math.MaxInt32 {
		return 0, false, fmt.Errorf("metadata key %q: %.80v is not a positive whole number", key, v)
	}
	return int(u), true, nil
}

// wholeNumber widens any of the integer types that writers use.
func wholeNumber(v any) (uint64, bool) {
	switch v := v.(type) {
	case uint8:
		return uint64(v), true
	case uint16:
		return uint64(v), true
	case uint32:
		return uint64(v), true
	case uint64:
		return v, true
	case int32:
		return uint64(v), v >= 0
	case int64:
		return uint64(v), v >= 0
	}
	return 0, false
}

// float is a positive real number of the architecture's metadata.
func (m *ggufModel) float(key string, fallback float32) (float32, error) {
	key = m.arch + "." + key
	v, ok := m.meta[key]
	if !ok {
		return fallback, nil
	}
	f, isFloat := v.(float32)
	if d, isDouble := v.(float64); isDouble {
		f, isFloat = float32(d), true
	}
	if !isFloat || !(f > 0) || f > math.MaxFloat32 {
		return 0, fmt.Errorf("metadata key %q: %.80v is not a positive number", key, v)
	}
	return f, nil
}
