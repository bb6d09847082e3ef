package model_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"parley/model/weights"
)

// ggufParts is what a test's .gguf file has: the tensors of a folder, and metadata.
type ggufParts map[string]any

// baseMeta is the metadata of a GGUF file of the base of the trainer's tests: its shape and its end token.
func baseMeta() ggufParts {
	return ggufParts{
		"general.architecture": "llama", "llama.block_count": uint32(2), "llama.context_length": uint32(1024), "llama.embedding_length": uint32(32),
		"llama.feed_forward_length": uint32(64), "llama.attention.head_count": uint32(2), "llama.attention.head_count_kv": uint32(1),
		"llama.attention.layer_norm_rms_epsilon": float32(1e-5), "tokenizer.ggml.eos_token_id": uint32(0),
	}
}

// withTokenizer adds the base's tokenizer and chat template.
func (p ggufParts) withTokenizer(t *testing.T) ggufParts {
	t.Helper()
	var tok struct {
		Model struct {
			Vocab  map[string]int
			Merges [][2]string
		}
		Added []struct{ ID int } `json:"added_tokens"`
	}
	var config struct {
		Template string `json:"chat_template"`
	}
	readJSON(t, filepath.Join(tinyBase, "tokenizer.json"), &tok)
	readJSON(t, filepath.Join(tinyBase, "tokenizer_config.json"), &config)
	tokens, types := make([]string, len(tok.Model.Vocab)), make([]int32, len(tok.Model.Vocab))
	for text, id := range tok.Model.Vocab {
		tokens[id], types[id] = text, 1
	}
	for _, a := range tok.Added {
		types[a.ID] = 3 // control
	}
	var merges []string
	for _, m := range tok.Model.Merges {
		merges = append(merges, m[0]+" "+m[1])
	}
	p["tokenizer.ggml.model"], p["tokenizer.ggml.pre"] = "gpt2", "default"
	p["tokenizer.ggml.tokens"], p["tokenizer.ggml.token_type"], p["tokenizer.ggml.merges"] = tokens, types, merges
	p["tokenizer.chat_template"] = config.Template
	return p
}

// write writes the metadata and the base's tensors to a .gguf file.
func (p ggufParts) write(t *testing.T, path string) string {
	t.Helper()
	src, err := weights.Open(tinyBase)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var head, data bytes.Buffer
	head.WriteString("GGUF")
	put(&head, uint32(3), uint64(len(src.Tensors())), uint64(len(p)))
	for _, key := range slices.Sorted(maps.Keys(p)) {
		put(&head, key)
		putTyped(t, &head, p[key])
	}
	for _, tensor := range src.Tensors() {
		n, shape := 1, []uint64{}
		for _, d := range slices.Backward(tensor.Shape) {
			n, shape = n*d, append(shape, uint64(d))
		}
		x := make([]float32, n)
		if err := src.Float32(tensor.Name, x); err != nil {
			t.Fatal(err)
		}
		put(&head, ggufName(t, tensor.Name), uint32(len(shape)), shape, uint32(0), uint64(data.Len()))
		put(&data, x)
		data.Write(make([]byte, -data.Len()&31))
	}
	head.Write(make([]byte, -head.Len()&31))
	if err := os.WriteFile(path, append(head.Bytes(), data.Bytes()...), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// put writes values as GGUF has them: strings with their length, everything else little-endian.
func put(w *bytes.Buffer, values ...any) {
	for _, v := range values {
		if s, ok := v.(string); ok {
			put(w, uint64(len(s)))
			w.WriteString(s)
		} else if err := binary.Write(w, binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
}

// putTyped writes the number of a value's type before it.
func putTyped(t *testing.T, w *bytes.Buffer, v any) {
	t.Helper()
	switch v := v.(type) {
	case uint32:
		put(w, uint32(4), v)
	case float32:
		put(w, uint32(6), v)
	case string:
		put(w, uint32(8), v)
	case []float32:
		put(w, uint32(9), uint32(6), uint64(len(v)), v)
	case []int32:
		put(w, uint32(9), uint32(5), uint64(len(v)), v)
	case []string:
		put(w, uint32(9), uint32(8), uint64(len(v)))
		for _, s := range v {
			put(w, s)
		}
	default:
		t.Fatalf("no GGUF type for %T", v)
	}
}

// ggufName is llama.cpp's name of a tensor.
func ggufName(t *testing.T, name string) string {
	t.Helper()
	known := map[string]string{"model.embed_tokens.weight": "token_embd.weight", "model.norm.weight": "output_norm.weight"}
	if s, ok := known[name]; ok {
		return s
	}
	for from, to := range map[string]string{
		"input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm", "self_attn.q_proj": "attn_q",
		"self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output", "mlp.gate_proj": "ffn_gate",
		"mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
	} {
		for _, layer := range []string{"0", "1"} {
			if name == "model.layers."+layer+"."+from+".weight" {
				return "blk." + layer + "." + to + ".weight"
			}
		}
	}
	t.Fatalf("no GGUF name for %s", name)
	return ""
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}
