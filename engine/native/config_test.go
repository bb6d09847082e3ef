package native

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
)

// plain is a config.json with one line to be changed or added.
func plain(change map[string]any) []byte {
	m := map[string]any{"model_type": "llama", "vocab_size": 29, "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2,
		"num_attention_heads": 4, "max_position_embeddings": 64, "rms_norm_eps": 1e-5, "hidden_act": "silu"}
	for k, v := range change {
		m[k] = v
	}
	text, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return text
}

func TestParseConfigDefaults(t *testing.T) {
	c, err := ParseConfig(plain(nil))
	if err != nil {
		t.Fatal(err)
	}
	if c.KVHeads != 4 || c.HeadDim != 4 || c.Rope.Theta != 10000 || c.Tied || c.QKVBias || c.Window != nil {
		t.Errorf("defaults are %+v", c)
	}
}

// The layouts of transformers 4 and 5 say the same.
func TestParseConfigLayouts(t *testing.T) {
	scaling := func(key string) map[string]any {
		return map[string]any{key: "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
			"original_max_position_embeddings": 32}
	}
	five := scaling("rope_type")
	five["rope_theta"] = 5e5
	var all []Config
	for _, change := range []map[string]any{
		{"rope_theta": 500000, "rope_scaling": scaling("rope_type")},
		{"rope_theta": 5e5, "rope_scaling": scaling("type")},
		{"rope_parameters": five},
	} {
		c, err := ParseConfig(plain(change))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	if !reflect.DeepEqual(all[0], all[1]) || !reflect.DeepEqual(all[0], all[2]) || all[0].Rope.Type != "llama3" {
		t.Errorf("one configuration in three layouts is %+v", all)
	}
}

// What the engine does not know is an error that names the field.
func TestParseConfigRefuses(t *testing.T) {
	for _, c := range []struct {
		key   string
		value any
	}{
		{"model_type", "mamba"}, {"hidden_act", "gelu"}, {"mlp_bias", true}, {"partial_rotary_factor", 0.5},
		{"final_logit_softcapping", 30.0}, {"quantization_config", map[string]any{"bits": 4}}, {"rope_interleaved", true},
		{"rope_scaling", map[string]any{"rope_type": "yarn", "factor": 2}}, {"rope_scaling", map[string]any{"type": "linear"}},
		{"rope_parameters", map[string]any{"partial_rotary_factor": 0.5}}, {"num_key_value_heads", 3}, {"head_dim", 5},
		{"layer_types", []string{"full_attention"}}, {"layer_types", []string{"full_attention", "chunked_attention"}},
		{"layer_types", []string{"full_attention", "sliding_attention"}}, {"no_rope_layers", []int{1, 0}},
		{"vocab_size", 0}, {"num_hidden_layers", 1 << 40}, {"rms_norm_eps", 0}, {"rope_theta", -1}, {"eos_token_id", "x"},
		{"num_experts", 8}, {"embedding_multiplier", 12.0}, {"vocab_size", "many"},
	} {
		_, err := ParseConfig(plain(map[string]any{c.key: c.value}))
		name := strings.TrimSuffix(strings.TrimPrefix(c.key, "rope_"), "_parameters")
		if err == nil || !strings.Contains(err.Error(), name) && !strings.Contains(err.Error(), "rope") &&
			!strings.Contains(err.Error(), "partial_rotary_factor") {
			t.Errorf("%s = %v: error %v does not name it", c.key, c.value, err)
		}
	}
}

func TestConfigJSONRoundTrip(t *testing.T) {
	all := shapes()
	scaled, linear := tiny, tiny
	scaled.Rope = Rope{Theta: 1e6, Type: "llama3", Factor: 8, LowFreq: 1, HighFreq: 4, Original: 32}
	linear.Rope, linear.EOS = Rope{Theta: 1e4, Type: "linear", Factor: 2}, []int{3, 4}
	all["llama3"], all["linear"] = scaled, linear
	for name, c := range all {
		text, err := c.JSON()
		if err != nil {
			t.Fatal(err)
		}
		got, err := ParseConfig(text)
		if err != nil || !reflect.DeepEqual(got, c) {
			t.Errorf("%s: %+v came back as %+v, error %v", name, c, got, err)
		}
	}
	two := shapes()["window"]
	two.Window = []int{3, 4}
	if _, err := two.JSON(); err == nil {
		t.Error("two widths of windows were written")
	}
	if _, err := (Config{}).JSON(); err == nil {
		t.Error("an empty configuration was written")
	}
}

func FuzzParseConfig(f *testing.F) {
	f.Add(plain(nil))
	f.Add(plain(map[string]any{"sliding_window": 4, "use_sliding_window": true, "model_type": "qwen2"}))
	f.Add([]byte(`{"model_type":"smollm3"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := ParseConfig(data)
		if err != nil {
			return
		}
		text, err := c.JSON()
		if err != nil {
			t.Fatalf("%+v was parsed and cannot be written: %v", c, err)
		}
		if _, err := ParseConfig(text); err != nil {
			t.Fatalf("%s was written and cannot be parsed: %v", text, err)
		}
	})
}

// llama3's scaling keeps fast frequencies, divides slow ones by the factor, and is monotonic in between.
func TestRopeScaling(t *testing.T) {
	plain := Rope{Theta: 10000}
	scaled := Rope{Theta: 10000, Type: "llama3", Factor: 8, LowFreq: 1, HighFreq: 4, Original: 64}
	linear := Rope{Theta: 10000, Type: "linear", Factor: 4}
	f, s, l := plain.frequencies(32, 0), scaled.frequencies(32, 0), linear.frequencies(32, 0)
	for i := range f {
		if want := math.Pow(10000, -float64(i)/16); math.Abs(f[i]-want) > 1e-15 {
			t.Errorf("frequency %d is %v, want %v", i, f[i], want)
		}
		if math.Abs(l[i]*4-f[i]) > 1e-15 {
			t.Errorf("linear: frequency %d is %v of %v", i, l[i], f[i])
		}
		if s[i] > f[i]*(1+1e-12) || s[i] < f[i]/8*(1-1e-12) || i > 0 && s[i] >= s[i-1] {
			t.Errorf("llama3: frequency %d is %v of %v", i, s[i], f[i])
		}
	}
	if s[0] != f[0] || math.Abs(s[15]*8-f[15]) > 1e-15 {
		t.Errorf("llama3: the ends are %v of %v and %v of %v", s[0], f[0], s[15], f[15])
	}
}
