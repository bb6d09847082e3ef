package weights

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// A ggufCase is a tiny file of an architecture.
type ggufCase struct {
	arch   string
	extra  map[string]any // metadata, by key without the architecture
	names  []string       // tensors beside the embedding
	shapes [][]uint64
}

func (c ggufCase) file() []byte {
	meta := tinyMeta(c.arch)
	for key, v := range c.extra {
		meta[c.arch+"."+key] = v
	}
	return tinyFile(meta, append([]string{"token_embd.weight"}, c.names...), append([][]uint64{{8, 5}}, c.shapes...))
}

func (c ggufCase) open(t *testing.T) *GGUF {
	t.Helper()
	g, err := ParseGGUF("f", c.file())
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// has checks that the config has these values.
func has(t *testing.T, g *GGUF, want map[string]any) {
	t.Helper()
	var got map[string]any
	if err := json.Unmarshal(g.Config(), &got); err != nil {
		t.Fatal(err)
	}
	for key, v := range want {
		if !reflect.DeepEqual(got[key], v) {
			t.Errorf("%s is %v, want %v", key, got[key], v)
		}
	}
}

func TestGGUFArchitectures(t *testing.T) {
	for _, c := range []struct {
		ggufCase
		want map[string]any
	}{
		{
			ggufCase{arch: "llama", extra: map[string]any{"attention.sliding_window": uint32(7)}},
			map[string]any{"model_type": "mistral", "sliding_window": 7.0},
		},
		{
			ggufCase{arch: "llama", names: []string{"blk.0.attn_q.bias"}, shapes: [][]uint64{{8}}},
			map[string]any{"model_type": "llama", "attention_bias": true, "sliding_window": nil},
		},
		{
			ggufCase{arch: "qwen2", names: []string{"blk.0.attn_q.bias"}, shapes: [][]uint64{{8}}},
			map[string]any{"model_type": "qwen2", "attention_bias": nil},
		},
		{ggufCase{arch: "smollm3"}, map[string]any{"model_type": "smollm3", "no_rope_layer_interval": 4.0}},
		{
			ggufCase{arch: "phi3", extra: map[string]any{"attention.sliding_window": uint32(0), "rope.dimension_count": uint32(2)}},
			map[string]any{"model_type": "phi3", "sliding_window": nil, "partial_rotary_factor": 0.5, "rope_scaling": nil},
		},
		{
			ggufCase{arch: "gemma3", extra: map[string]any{"attention.sliding_window": uint32(6)}},
			map[string]any{
				"model_type": "gemma3_text", "sliding_window": 6.0, "sliding_window_pattern": 6.0, "query_pre_attn_scalar": 4.0,
				"hidden_act": nil, "hidden_activation": "gelu_pytorch_tanh", "rope_local_base_freq": 10000.0,
			},
		},
		{
			ggufCase{arch: "gemma2"},
			map[string]any{
				"model_type": "gemma2", "sliding_window": 4096.0, "attn_logit_softcapping": 50.0, "final_logit_softcapping": 30.0,
				"query_pre_attn_scalar": 4.0, "hidden_act": nil, "hidden_activation": "gelu_pytorch_tanh",
			},
		},
		{
			ggufCase{arch: "gemma2", extra: map[string]any{"attention.sliding_window": uint32(6), "attn_logit_softcapping": float32(20), "final_logit_softcapping": float32(7.5)}},
			map[string]any{"sliding_window": 6.0, "attn_logit_softcapping": 20.0, "final_logit_softcapping": 7.5},
		},
		{ggufCase{arch: "olmo2"}, map[string]any{"model_type": "olmo2", "sliding_window": nil}},
		{
			ggufCase{arch: "granite", extra: map[string]any{"embedding_scale": float32(12), "attention.scale": float32(0.25), "residual_scale": float32(0.5), "logit_scale": float32(8)}},
			map[string]any{
				"model_type": "granite", "embedding_multiplier": 12.0, "attention_multiplier": 0.25, "residual_multiplier": 0.5, "logits_scaling": 8.0,
			},
		},
		{
			ggufCase{arch: "granite", extra: map[string]any{"logit_scale": float32(8)}},
			map[string]any{"embedding_multiplier": 1.0, "attention_multiplier": 0.5, "residual_multiplier": 1.0},
		},
		{
			ggufCase{arch: "qwen3", extra: map[string]any{
				"rope.scaling.type": "yarn", "rope.scaling.factor": float32(4), "rope.scaling.original_context_length": uint32(8), "rope.scaling.yarn_beta_fast": float32(16),
			}},
			map[string]any{"rope_scaling": map[string]any{
				"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 8.0, "beta_fast": 16.0, "beta_slow": 1.0, "attention_factor": 1 + 0.1*math.Log(4),
			}},
		},
	} {
		t.Run(c.arch, func(t *testing.T) { has(t, c.open(t), c.want) })
	}
}

// Names that mean something else in one architecture than in the others, and values that are stored otherwise.
func TestGGUFOwnTensors(t *testing.T) {
	gemma := ggufCase{arch: "gemma3", names: []string{"blk.0.ffn_norm.weight", "blk.0.post_ffw_norm.weight", "blk.0.ffn_up.weight"}, shapes: [][]uint64{{3}, {2}, {8, 1}}}.open(t)
	if got := read(t, gemma, "model.layers.0.pre_feedforward_layernorm.weight", []int{3}); !reflect.DeepEqual(got, []float32{-1, 0, 1}) {
		t.Errorf("norm %v: stored 0 1 2, which are 1 more", got)
	}
	if got := read(t, gemma, "model.layers.0.mlp.up_proj.weight", []int{8}); got[0] != 0 {
		t.Errorf("projection %v", got)
	}
	olmo := ggufCase{arch: "olmo2", names: []string{"blk.0.post_attention_norm.weight", "blk.0.post_ffw_norm.weight", "blk.0.attn_q_norm.weight"}, shapes: [][]uint64{{3}, {2}, {8}}}.open(t)
	read(t, olmo, "model.layers.0.post_attention_layernorm.weight", []int{3})
	read(t, olmo, "model.layers.0.post_feedforward_layernorm.weight", []int{2})
	read(t, olmo, "model.layers.0.self_attn.q_norm.weight", []int{8})
	granite := ggufCase{arch: "granite", names: []string{"blk.0.attn_q.bias"}, shapes: [][]uint64{{8}}}.open(t)
	if got := read(t, granite, "model.layers.0.self_attn.q_proj.bias", []int{8}); !reflect.DeepEqual(got, []float32{0, 2, 1, 3, 4, 6, 5, 7}) {
		t.Errorf("q bias %v", got)
	}
	phi := ggufCase{arch: "phi3", names: []string{"blk.0.attn_qkv.weight", "blk.0.ffn_up.weight"}, shapes: [][]uint64{{8, 2}, {8, 4}}}.open(t)
	read(t, phi, "model.layers.0.self_attn.qkv_proj.weight", []int{16})
	read(t, phi, "model.layers.0.mlp.gate_up_proj.weight", []int{32})
	smol := ggufCase{arch: "smollm3", names: []string{"blk.0.attn_q.bias"}, shapes: [][]uint64{{8}}}.open(t)
	if got := read(t, smol, "model.layers.0.self_attn.q_proj.bias", []int{8}); !reflect.DeepEqual(got, []float32{0, 2, 1, 3, 4, 6, 5, 7}) {
		t.Errorf("q bias %v", got)
	}
}

// longrope is a file of Phi-4-mini's form; the factors are the last values in it, 32 bytes apart.
func longrope(extra map[string]any, short, long float32) []byte {
	extra["rope.scaling.original_context_length"] = uint32(16)
	data := ggufCase{"phi3", extra, []string{ropeShort, ropeLong}, [][]uint64{{2}, {2}}}.file()
	for i, v := range []float32{short, long} {
		at := data[len(data)-64+32*i:]
		binary.LittleEndian.PutUint32(at, math.Float32bits(v))
		binary.LittleEndian.PutUint32(at[4:], math.Float32bits(2*v))
	}
	return data
}

func TestGGUFLongrope(t *testing.T) {
	g, err := ParseGGUF("f", longrope(map[string]any{"rope.scaling.attn_factor": float32(1.5)}, 1, 4))
	if err != nil {
		t.Fatal(err)
	}
	has(t, g, map[string]any{"original_max_position_embeddings": 16.0, "rope_scaling": map[string]any{
		"rope_type":    "longrope",
		"short_factor": []any{1.0, 2.0}, "long_factor": []any{4.0, 8.0}, "attention_factor": 1.5,
	}})
	if n := len(g.Tensors()); n != 1 {
		t.Errorf("%d tensors; the factors are settings", n)
	}
	for name, data := range map[string][]byte{
		"no rotary factor": longrope(map[string]any{}, 0, 1),
		"not [1]":          longrope(map[string]any{"rope.dimension_count": uint32(2)}, 1, 1),
		"longrope needs":   []byte(strings.Replace(string(longrope(map[string]any{}, 1, 1)), "original_context_length", "another_context_length!", 1)),
		"softcapping":      ggufCase{arch: "gemma3", extra: map[string]any{"attn_logit_softcapping": float32(50)}}.file(),
		"OLMo 3":           ggufCase{arch: "olmo2", extra: map[string]any{"attention.sliding_window": uint32(6)}}.file(),
		"finetuned":        ggufCase{arch: "granite", extra: map[string]any{"rope.scaling.finetuned": uint32(0)}}.file(),
		"residual_scale":   ggufCase{arch: "granite", extra: map[string]any{"residual_scale": float32(-1)}}.file(),
		"yarn_ext_factor": ggufCase{arch: "llama", extra: map[string]any{
			"rope.scaling.type": "yarn", "rope.scaling.factor": float32(2), "rope.scaling.yarn_ext_factor": float32(0),
		}}.file(),
		"sliding_window": ggufCase{arch: "gemma3", extra: map[string]any{"attention.sliding_window": uint32(0)}}.file(),
	} {
		if _, err := ParseGGUF("f", data); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v, want %q", err, name)
		}
	}
}

// The metadata of any file can be read, whatever model it holds.
func TestGGUFMetadata(t *testing.T) {
	meta := tinyMeta("mamba")
	path := filepath.Join(t.TempDir(), "m.gguf")
	for _, data := range [][]byte{tinyFile(meta, nil, nil), tinyFile(meta, []string{"x"}, [][]uint64{{4}})[:len(tinyFile(meta, nil, nil))]} {
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := GGUFMetadata(path)
		if err != nil || !reflect.DeepEqual(got, meta) {
			t.Errorf("got %v, %v", got, err)
		}
	}
	if err := os.WriteFile(path, []byte("GGUFxxxx"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := GGUFMetadata(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v", err)
	}
}
