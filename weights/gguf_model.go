package weights

import (
	"fmt"
	"math"
)

// ropeFreqs is the tensor that inverse rotary frequencies are divided by, the form in which GGUF files carry the
// frequency scaling of Llama 3. It keeps its name; the config key parley_rope_freqs tells the engine that it is there.
const ropeFreqs = "rope_freqs.weight"

// ggufArchitectures are the ones whose tensors are known, with what config.json calls them. permuted: rows of q and k
// are stored in the order of llama.cpp's own rotation.
var ggufArchitectures = map[string]struct {
	modelType, class string
	permuted         bool
}{
	"llama": {"llama", "LlamaForCausalLM", true},
	"qwen2": {"qwen2", "Qwen2ForCausalLM", false},
	"qwen3": {"qwen3", "Qwen3ForCausalLM", false},
}

// ggufModel is what the metadata say about the model.
type ggufModel struct {
	arch                   string
	meta                   map[string]any
	shapes                 map[string][]int // by GGUF name
	vocab, hidden, ffn     int
	layers, heads, kvHeads int
	headDim, context       int
	eps, theta             float32
}

// newGGUFModel reads the numbers that names and shapes depend on.
func newGGUFModel(meta map[string]any, infos []ggufInfo) (*ggufModel, error) {
	m := &ggufModel{meta: meta, shapes: map[string][]int{}}
	for _, info := range infos {
		m.shapes[info.name] = info.shape
	}
	m.arch, _ = meta["general.architecture"].(string)
	if _, ok := ggufArchitectures[m.arch]; !ok {
		return nil, fmt.Errorf("architecture %.80q is not supported in GGUF files, only llama, qwen2 and qwen3; use the Hugging Face folder of the model", m.arch)
	}
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
	dim, ok, err := m.integer("rope.dimension_count")
	if err != nil {
		return err
	}
	if ok && dim != m.headDim {
		return fmt.Errorf("rotating %d of %d dimensions of a head is not supported in GGUF files", dim, m.headDim)
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
