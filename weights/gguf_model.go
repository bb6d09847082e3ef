package weights

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
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

// Tensor names outside and inside of a block.
var (
	ggufNames = map[string]string{
		"token_embd.weight":  "model.embed_tokens.weight",
		"output_norm.weight": "model.norm.weight",
		"output.weight":      "lm_head.weight",
		ropeFreqs:            ropeFreqs,
	}
	ggufBlock      = regexp.MustCompile(`^blk\.(0|[1-9][0-9]{0,5})\.([a-z_]+)\.(weight|bias)$`)
	ggufBlockNames = map[string]string{
		"attn_norm":   "input_layernorm",
		"attn_q":      "self_attn.q_proj",
		"attn_k":      "self_attn.k_proj",
		"attn_v":      "self_attn.v_proj",
		"attn_output": "self_attn.o_proj",
		"attn_q_norm": "self_attn.q_norm",
		"attn_k_norm": "self_attn.k_norm",
		"ffn_norm":    "post_attention_layernorm",
		"ffn_gate":    "mlp.gate_proj",
		"ffn_up":      "mlp.up_proj",
		"ffn_down":    "mlp.down_proj",
	}
)

// translate gives the Hugging Face name of a tensor and, where its rows are permuted, the number of heads.
func (m *ggufModel) translate(info ggufInfo) (name string, heads int, err error) {
	if name, ok := ggufNames[info.name]; ok {
		return name, 0, nil
	}
	parts := ggufBlock.FindStringSubmatch(info.name)
	if parts == nil || ggufBlockNames[parts[2]] == "" {
		return "", 0, fmt.Errorf("is not known in architecture %s", m.arch)
	}
	name = fmt.Sprintf("model.layers.%s.%s.%s", parts[1], ggufBlockNames[parts[2]], parts[3])
	if !ggufArchitectures[m.arch].permuted {
		return name, 0, nil
	}
	switch parts[2] {
	case "attn_q":
		heads = m.heads
	case "attn_k":
		heads = m.kvHeads
	}
	if heads > 0 && info.shape[0] != heads*m.headDim || heads > 0 && m.headDim%2 != 0 {
		return "", 0, fmt.Errorf("%d rows are not %d heads of %d", info.shape[0], heads, m.headDim)
	}
	return name, heads, nil
}

// config is the model's config.json.
func (m *ggufModel) config() ([]byte, error) {
	_, untied := m.shapes["output.weight"]
	c := map[string]any{
		"architectures": []string{ggufArchitectures[m.arch].class}, "model_type": ggufArchitectures[m.arch].modelType,
		"vocab_size": m.vocab, "hidden_size": m.hidden, "intermediate_size": m.ffn, "num_hidden_layers": m.layers,
		"num_attention_heads": m.heads, "num_key_value_heads": m.kvHeads, "head_dim": m.headDim,
		"max_position_embeddings": m.context, "rms_norm_eps": m.eps, "rope_theta": m.theta, "hidden_act": "silu",
		"tie_word_embeddings": !untied, "torch_dtype": "float32",
	}
	if _, ok := m.shapes["blk.0.attn_q.bias"]; ok {
		c["attention_bias"] = true
	}
	if freqs, ok := m.shapes[ropeFreqs]; ok {
		if len(freqs) != 1 || freqs[0] != m.headDim/2 {
			return nil, fmt.Errorf("tensor %q has shape %v, not [%d]", ropeFreqs, freqs, m.headDim/2)
		}
		c["parley_rope_freqs"] = true
	}
	if err := m.ropeScaling(c); err != nil {
		return nil, err
	}
	if w, ok, err := m.integer("attention.sliding_window"); err != nil {
		return nil, err
	} else if ok {
		c["sliding_window"] = w
	}
	return json.MarshalIndent(m.withTokens(c), "", "  ")
}

// ropeScaling translates the scaling of positions.
func (m *ggufModel) ropeScaling(c map[string]any) error {
	kind, _ := m.meta[m.arch+".rope.scaling.type"].(string)
	factor, err := m.float("rope.scaling.factor", 1)
	if err != nil {
		return err
	}
	switch {
	case kind == "" || kind == "none" || factor == 1:
		return nil
	case kind != "linear":
		return fmt.Errorf("rope scaling %.80q is not supported in GGUF files; use the Hugging Face folder of the model", kind)
	}
	c["rope_scaling"] = map[string]any{"rope_type": "linear", "factor": factor}
	return nil
}

// withTokens adds the ids of special tokens. A second end token ends a chat turn where eos_token_id ends the text.
func (m *ggufModel) withTokens(c map[string]any) map[string]any {
	for key, name := range map[string]string{"bos": "bos_token_id", "padding": "pad_token_id"} {
		if id, ok := wholeNumber(m.meta["tokenizer.ggml."+key+"_token_id"]); ok {
			c[name] = id
		}
	}
	var ends []uint64
	for _, key := range []string{"eos", "eot", "eom"} {
		if id, ok := wholeNumber(m.meta["tokenizer.ggml."+key+"_token_id"]); ok && !slices.Contains(ends, id) {
			ends = append(ends, id)
		}
	}
	switch len(ends) {
	case 0:
	case 1:
		c["eos_token_id"] = ends[0]
	default:
		c["eos_token_id"] = ends
	}
	return c
}
