package weights

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"
)

// ggufWriter makes GGUF files for tests.
type ggufWriter struct{ bytes.Buffer }

func (w *ggufWriter) put(values ...any) *ggufWriter {
	for _, v := range values {
		if s, ok := v.(string); ok {
			w.put(uint64(len(s)))
			w.WriteString(s)
			continue
		}
		if err := binary.Write(w, binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
	return w
}

// head begins a file with counts of tensors and metadata pairs.
func head(version uint32, tensors, pairs uint64) *ggufWriter {
	w := &ggufWriter{}
	w.WriteString("GGUF")
	return w.put(version, tensors, pairs)
}

// tinyMeta is the metadata of a model with one block, two heads of dimension 4 and one kv head.
func tinyMeta(arch string) map[string]any {
	return map[string]any{
		"general.architecture": arch,
		arch + ".block_count":  uint32(1), arch + ".context_length": uint32(32), arch + ".embedding_length": uint32(8),
		arch + ".feed_forward_length": uint32(16), arch + ".attention.head_count": uint32(2),
		arch + ".attention.head_count_kv": uint32(1), arch + ".attention.layer_norm_rms_epsilon": float32(1e-6),
		"tokenizer.ggml.eos_token_id": uint32(2), "tokenizer.ggml.eot_token_id": uint32(3),
	}
}

// ggufCode is the type number of a Go value.
func ggufCode(v any) uint32 {
	switch v.(type) {
	case uint32:
		return 4
	case float32:
		return 6
	case string:
		return 8
	}
	panic("no code")
}

// tinyFile is a file of F32 tensors whose elements count up from 0.
func tinyFile(meta map[string]any, names []string, shapes [][]uint64) []byte {
	w := head(3, uint64(len(names)), uint64(len(meta)))
	for k, v := range meta {
		w.put(k, ggufCode(v), v)
	}
	var data ggufWriter
	for i, name := range names {
		w.put(name, uint32(len(shapes[i])), shapes[i], uint32(0), uint64(data.Len()))
		n := uint64(1)
		for _, d := range shapes[i] {
			n *= d
		}
		for j := range n {
			data.put(float32(j))
		}
		data.Write(make([]byte, -data.Len()&31))
	}
	w.Write(make([]byte, -w.Len()&31))
	return append(w.Bytes(), data.Bytes()...)
}

func TestGGUFUnpermutesLlamaOnly(t *testing.T) {
	for arch, want := range map[string][]float32{"llama": {0, 2, 1, 3, 4, 6, 5, 7}, "qwen2": {0, 1, 2, 3, 4, 5, 6, 7}} {
		g, err := ParseGGUF("f", tinyFile(tinyMeta(arch),
			[]string{"token_embd.weight", "blk.0.attn_q.bias", "blk.0.attn_v.bias"}, [][]uint64{{8, 5}, {8}, {4}}))
		if err != nil {
			t.Fatal(err)
		}
		if got := read(t, g, "model.layers.0.self_attn.q_proj.bias", []int{8}); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: q bias %v, want %v", arch, got, want)
		}
		if got := read(t, g, "model.layers.0.self_attn.v_proj.bias", []int{4}); !reflect.DeepEqual(got, []float32{0, 1, 2, 3}) {
			t.Errorf("%s: v bias %v", arch, got)
		}
	}
}

func TestGGUFConfig(t *testing.T) {
	meta := tinyMeta("llama")
	meta["llama.rope.scaling.type"], meta["llama.rope.scaling.factor"] = "linear", float32(2)
	g, err := ParseGGUF("f", tinyFile(meta, []string{"token_embd.weight"}, [][]uint64{{8, 5}}))
	if err != nil {
		t.Fatal(err)
	}
	var got, want map[string]any
	if err := json.Unmarshal(g.Config(), &got); err != nil {
		t.Fatal(err)
	}
	json.Unmarshal([]byte(`{"architectures":["LlamaForCausalLM"],"model_type":"llama","vocab_size":5,"hidden_size":8,
		"intermediate_size":16,"num_hidden_layers":1,"num_attention_heads":2,"num_key_value_heads":1,"head_dim":4,
		"max_position_embeddings":32,"rms_norm_eps":1e-6,"rope_theta":10000,"hidden_act":"silu","tie_word_embeddings":true,
		"torch_dtype":"float32","eos_token_id":[2,3],"rope_scaling":{"rope_type":"linear","factor":2}}`), &want)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}

func TestGGUFMetadataTypes(t *testing.T) {
	w := head(2, 0, 15)
	w.put("u8", uint32(0), uint8(1), "i8", uint32(1), int8(-1), "u16", uint32(2), uint16(2), "i16", uint32(3), int16(-2))
	w.put("u32", uint32(4), uint32(3), "i32", uint32(5), int32(-3), "f32", uint32(6), float32(0.5), "bool", uint32(7), uint8(1))
	w.put("s", uint32(8), "text", "u64", uint32(10), uint64(4), "i64", uint32(11), int64(-4), "f64", uint32(12), 0.25)
	w.put("strings", uint32(9), uint32(8), uint64(2), "a", "", "ints", uint32(9), uint32(5), uint64(2), int32(7), int32(8))
	w.put("nested", uint32(9), uint32(9), uint64(1), uint32(7), uint64(2), uint8(0), uint8(1))
	r := &ggufReader{data: w.Bytes()}
	r.checkVersion()
	r.count("tensors", 24)
	got := r.metadata(r.count("pairs", 13))
	want := map[string]any{
		"u8": uint8(1), "i8": int8(-1), "u16": uint16(2), "i16": int16(-2), "u32": uint32(3), "i32": int32(-3),
		"f32": float32(0.5), "bool": true, "s": "text", "u64": uint64(4), "i64": int64(-4), "f64": 0.25,
		"strings": []string{"a", ""}, "ints": []int32{7, 8}, "nested": []any{[]bool{false, true}},
	}
	if r.err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("error %v, got %#v", r.err, got)
	}
}

// nestedArrays is an array in an array, depth times.
func nestedArrays(depth int) []byte {
	w := head(3, 0, 1).put("k", uint32(9))
	for range depth {
		w.put(uint32(9), uint64(1))
	}
	return w.put(uint32(0), uint64(0)).Bytes()
}

func tinyWith(key string, value any) []byte {
	meta := tinyMeta("llama")
	if value == nil {
		delete(meta, key)
	} else {
		meta[key] = value
	}
	return tinyFile(meta, []string{"token_embd.weight"}, [][]uint64{{8, 5}})
}

func tinyTensor(name string, dims []uint64, kind uint32, offset uint64) []byte {
	return head(3, 1, 0).put(name, uint32(len(dims)), dims, kind, offset).Bytes()
}

var hostileGGUF = []struct {
	name string
	file []byte
	want string
}{
	{"empty", nil, "is empty"},
	{"magic", []byte("GGML0000"), "not a GGUF"},
	{"version 1", head(1, 0, 0).Bytes(), "version 1"},
	{"big-endian", head(3<<24, 0, 0).Bytes(), "big-endian"},
	{"a billion tensors", head(3, 1e9, 0).Bytes(), "tensors"},
	{"a billion pairs", head(3, 0, 1e9).Bytes(), "pairs"},
	{"2^63 pairs", head(3, 0, 1<<63).put("k").Bytes(), "pairs"},
	{"long key", head(3, 0, 1).put(uint64(1e9), uint64(0)).Bytes(), "text"},
	{"long text", head(3, 0, 1).put("key", uint32(8), uint64(1)<<62).Bytes(), `"key"`},
	{"a billion elements", head(3, 0, 1).put("key", uint32(9), uint32(8), uint64(1e9)).Bytes(), `"key"`},
	{"deep arrays", nestedArrays(5), "nested"},
	{"very deep arrays", nestedArrays(100000), "nested"},
	{"unknown type", head(3, 0, 1).put("key", uint32(13), uint64(0)).Bytes(), "unknown type"},
	{"array of unknown type", head(3, 0, 1).put("key", uint32(9), uint32(99), uint64(0)).Bytes(), "unknown type"},
	{"bool 2", head(3, 0, 1).put("key", uint32(7), uint8(2), uint32(0), uint64(0)).Bytes(), "bool"},
	{"key twice", head(3, 0, 2).put("k", uint32(4), uint32(1), "k", uint32(4), uint32(1)).Bytes(), "twice"},
	{"dimensions overflow", tinyTensor("t", []uint64{1 << 33, 1 << 33}, 0, 0), "overflow"},
	{"empty dimension", tinyTensor("t", []uint64{0}, 0, 0), "empty"},
	{"five dimensions", tinyTensor("t", []uint64{1, 1, 1, 1, 1}, 0, 0), "dimensions"},
	{"no dimensions", append(tinyTensor("t", nil, 0, 0), 0, 0, 0, 0, 0, 0, 0, 0), "dimensions"},
	{"type not supported", tinyTensor("t", []uint64{256}, 23, 0), "IQ4_XS"},
	{"type unknown", tinyTensor("t", []uint64{256}, 1000, 0), "1000"},
	{"broken block", tinyTensor("t", []uint64{33}, 8, 0), "whole blocks"},
	{"outside", tinyTensor("t", []uint64{32}, 0, 0), "truncated"},
	{"offset not aligned", append(tinyTensor("t", []uint64{1}, 0, 4), make([]byte, 64)...), "alignment"},
	{"offset overflows", append(tinyTensor("t", []uint64{8}, 0, 1<<64-32), make([]byte, 64)...), "outside"},
	{"alignment 3", tinyWith("general.alignment", uint32(3)), "alignment"},
	{"alignment 0", tinyWith("general.alignment", uint32(0)), "alignment"},
	{"architecture", tinyWith("general.architecture", "mamba"), "mamba"},
	{"no heads", tinyWith("llama.attention.head_count", nil), "head_count"},
	{"zero heads", tinyWith("llama.attention.head_count", uint32(0)), "head_count"},
	{"blocks", tinyWith("llama.block_count", uint32(1e9)), "blocks"},
	{"hidden size", tinyWith("llama.embedding_length", uint32(16)), "embedding_length"},
	{"no epsilon", tinyWith("llama.attention.layer_norm_rms_epsilon", nil), "epsilon"},
	{"negative epsilon", tinyWith("llama.attention.layer_norm_rms_epsilon", float32(-1)), "epsilon"},
	{"experts", tinyWith("llama.expert_count", uint32(8)), "experts"},
	{"partial rotation", tinyWith("llama.rope.dimension_count", uint32(2)), "rotating"},
	{"no embedding", tinyFile(tinyMeta("llama"), nil, nil), "token_embd"},
	{"unknown tensor", tinyFile(tinyMeta("llama"), []string{"token_embd.weight", "blk.0.x.weight"}, [][]uint64{{8, 5}, {1}}), "blk.0.x"},
	{"wrong rows", tinyFile(tinyMeta("llama"), []string{"token_embd.weight", "blk.0.attn_q.weight"}, [][]uint64{{8, 5}, {8, 7}}), "attn_q"},
	{"tensor twice", tinyFile(tinyMeta("llama"), []string{"output.weight", "output.weight"}, [][]uint64{{8, 5}, {8, 5}}), "twice"},
	{"frequencies", tinyFile(tinyMeta("llama"), []string{"token_embd.weight", "rope_freqs.weight"}, [][]uint64{{8, 5}, {3}}), "rope_freqs"},
}

func TestGGUFRefuses(t *testing.T) {
	for _, c := range hostileGGUF {
		_, err := ParseGGUF("evil.gguf", c.file)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "evil.gguf") {
			t.Errorf("%s: error %v, want %q and the file's name", c.name, err, c.want)
		}
	}
}

func TestGGUFRefusesTruncation(t *testing.T) {
	data := tinyWith("general.name", "a name")
	if _, err := ParseGGUF("f", data); err != nil {
		t.Fatal(err)
	}
	whole := len(data) - 64 // the tensor of 160 bytes ends before the padding of up to 31
	for n := range whole {
		if _, err := ParseGGUF("f", data[:n]); err == nil {
			t.Fatalf("%d of %d bytes were enough", n, len(data))
		}
	}
}

func TestGGUFOverlap(t *testing.T) {
	infos := []ggufInfo{{name: "a", offset: 0, size: 64}, {name: "b", offset: 32, size: 32}}
	if err := checkRanges(infos, 0, 32, 100); err == nil || !strings.Contains(err.Error(), "overlaps") {
		t.Errorf("got %v", err)
	}
}

func FuzzGGUF(f *testing.F) {
	for _, c := range hostileGGUF {
		if len(c.file) < 2000 {
			f.Add(c.file)
		}
	}
	f.Add(tinyFile(tinyMeta("llama"), []string{"token_embd.weight", "blk.0.attn_q.weight"}, [][]uint64{{8, 5}, {8, 8}}))
	f.Add(longrope(map[string]any{}, 1, 4))
	for _, arch := range []string{"smollm3", "gemma3"} {
		f.Add(ggufCase{arch: arch, extra: map[string]any{"attention.sliding_window": uint32(6)}, names: []string{"blk.0.ffn_norm.weight"}, shapes: [][]uint64{{8}}}.file())
	}
	if data, err := os.ReadFile("testdata/gguf/llama3-mixed.gguf"); err == nil {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		g, err := ParseGGUF("f", data)
		if err != nil {
			return
		}
		for _, tensor := range g.Tensors() {
			if tensor.Elements() > 8*len(data) {
				t.Fatalf("%v from %d bytes", tensor, len(data))
			}
			if err := g.Float32(tensor.Name, make([]float32, tensor.Elements())); err != nil {
				t.Fatal(err)
			}
		}
		if !json.Valid(g.Config()) {
			t.Fatalf("config %s", g.Config())
		}
	})
}
