package config_test

import (
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"parley/model/config"
	"parley/model/modeltest"
)

// plain is a config.json with one line to be changed or added.
func plain(change map[string]any) []byte {
	m := map[string]any{
		"model_type": "llama", "vocab_size": 29, "hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2,
		"num_attention_heads": 4, "max_position_embeddings": 64, "rms_norm_eps": 1e-5, "hidden_act": "silu",
	}
	for k, v := range change {
		if m[k] = v; v == nil {
			delete(m, k)
		}
	}
	text, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return text
}

func TestParseDefaults(t *testing.T) {
	c, err := config.Parse(plain(nil))
	if err != nil {
		t.Fatal(err)
	}
	if c.KVHeads != 4 || c.HeadDim != 4 || c.Rope.Theta != 10000 || c.Tied || c.QKVBias || c.Window != nil {
		t.Errorf("defaults are %+v", c)
	}
}

// The layouts of transformers 4 and 5 say the same.
func TestParseLayouts(t *testing.T) {
	scaling := func(key string) map[string]any {
		return map[string]any{
			key: "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
			"original_max_position_embeddings": 32,
		}
	}
	five := scaling("rope_type")
	five["rope_theta"] = 5e5
	other := map[string]any{"rope_type": "linear", "factor": 2}
	var all []config.Config
	for _, change := range []map[string]any{
		{"rope_theta": 500000, "rope_scaling": scaling("rope_type"), "rope_parameters": other}, // the older one counts, as in transformers
		{"rope_scaling": map[string]any{}, "rope_parameters": five},                            // unless it is empty
		{"rope_theta": 500000, "rope_scaling": scaling("rope_type")},
		{"rope_theta": 5e5, "rope_scaling": scaling("type")},
		{"rope_parameters": five},
	} {
		c, err := config.Parse(plain(change))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	for _, c := range all {
		if !reflect.DeepEqual(c, all[0]) || c.Rope.Type != "llama3" {
			t.Errorf("one configuration in several layouts is %+v", all)
		}
	}
}

// phi4 and gemma3 are config.json of families with more of their own, with lines to be changed.
func phi4(change map[string]any) map[string]any {
	m := map[string]any{
		"model_type": "phi3", "rms_norm_eps": nil, "hidden_size": 64, "max_position_embeddings": 120,
		"partial_rotary_factor": 0.5, "original_max_position_embeddings": 24, "sliding_window": 9, "rope_scaling": map[string]any{
			"type": "longrope", "short_factor": []float64{1, 2, 3, 4}, "long_factor": []float64{5, 6, 7, 8},
		},
	}
	maps.Copy(m, change)
	return m
}

func gemma3(change map[string]any) map[string]any {
	m := map[string]any{
		"model_type": "gemma3_text", "rms_norm_eps": nil, "num_hidden_layers": 7, "hidden_act": nil,
		"hidden_activation": "gelu_pytorch_tanh", "sliding_window": 5, "num_key_value_heads": 1,
	}
	maps.Copy(m, change)
	return m
}

func TestParsePhi3(t *testing.T) {
	gain := math.Sqrt(1 + math.Log(5)/math.Log(24))
	inside := map[string]any{
		"rope_type": "longrope", "short_factor": []float64{1, 2, 3, 4}, "long_factor": []float64{5, 6, 7, 8},
		"rope_theta": 10000.0, "partial_rotary_factor": 0.5, "original_max_position_embeddings": 24,
	}
	old := maps.Clone(inside)
	old["type"] = "su"
	delete(old, "rope_type")
	for _, change := range []map[string]any{
		nil, {"rope_scaling": old}, {"rope_scaling": nil, "partial_rotary_factor": nil, "rope_parameters": inside},
	} {
		c, err := config.Parse(plain(phi4(change)))
		if err != nil {
			t.Fatal(err)
		}
		want := config.Rope{
			Theta: 10000, Partial: 0.5, Type: "longrope", Short: []float64{1, 2, 3, 4}, Long: []float64{5, 6, 7, 8},
			Original: 24, AttentionFactor: gain,
		}
		if !reflect.DeepEqual(c.Rope, want) || c.Tied || c.NormEps != 1e-5 || !slices.Equal(c.Window, []int{9, 9}) {
			t.Errorf("phi3 is %+v", c)
		}
	}
	c, err := config.Parse(plain(phi4(map[string]any{"max_position_embeddings": 20})))
	if err != nil || c.Rope.AttentionFactor != 1 {
		t.Errorf("a context that is not stretched has gain %v, error %v", c.Rope.AttentionFactor, err)
	}
}

func TestParseGemma3(t *testing.T) {
	layers := map[string]any{
		"full_attention":    map[string]any{"rope_type": "linear", "factor": 8, "rope_theta": 5e5},
		"sliding_attention": map[string]any{"rope_type": "default", "rope_theta": 2e4},
	}
	c, err := config.Parse(plain(gemma3(nil)))
	if err != nil {
		t.Fatal(err)
	}
	if !c.Tied || c.HeadDim != 256 || c.QueryScalar != 256 || c.NormEps != 1e-6 || c.Rope.Theta != 1e6 || c.Local.Theta != 1e4 ||
		!slices.Equal(c.Window, []int{5, 5, 5, 5, 5, 0, 5}) {
		t.Errorf("gemma3 is %+v", c)
	}
	four := map[string]any{"rope_theta": 5e5, "rope_local_base_freq": 2e4, "rope_scaling": layers["full_attention"]}
	for _, change := range []map[string]any{four, {"rope_parameters": layers}} {
		c, err := config.Parse(plain(gemma3(change)))
		if err != nil || !reflect.DeepEqual(c.Rope, config.Rope{Theta: 5e5, Type: "linear", Factor: 8}) || !reflect.DeepEqual(*c.Local, config.Rope{Theta: 2e4}) {
			t.Errorf("rotary angles are %+v and %+v, error %v", c.Rope, c.Local, err)
		}
	}
}

// Fields that yarn's fall back on, with what transformers makes of them.
func TestParseYarn(t *testing.T) {
	for _, c := range []struct {
		change map[string]any
		want   config.Rope
	}{
		{nil, config.Rope{Original: 64, BetaFast: 32, BetaSlow: 1, AttentionFactor: 0.1*math.Log(4) + 1}},
		{map[string]any{"original_max_position_embeddings": 16, "beta_fast": 3, "beta_slow": 0.5, "attention_factor": 1.5}, config.Rope{Original: 16, BetaFast: 3, BetaSlow: 0.5, AttentionFactor: 1.5}},
		{map[string]any{"truncate": false, "mscale": 2, "mscale_all_dim": 1}, config.Rope{Original: 64, BetaFast: 32, BetaSlow: 1, Smooth: true, AttentionFactor: (0.2*math.Log(4) + 1) / (0.1*math.Log(4) + 1)}},
		{map[string]any{"truncate": nil, "mscale": 2}, config.Rope{Original: 64, BetaFast: 32, BetaSlow: 1, Smooth: true, AttentionFactor: 0.1*math.Log(4) + 1}},
	} {
		scaling := map[string]any{"rope_type": "yarn", "factor": 4}
		maps.Copy(scaling, c.change)
		got, err := config.Parse(plain(map[string]any{"rope_scaling": scaling}))
		c.want.Theta, c.want.Type, c.want.Factor = 10000, "yarn", 4
		if err != nil || !reflect.DeepEqual(got.Rope, c.want) {
			t.Errorf("%v: %+v, error %v; want %+v", c.change, got.Rope, err, c.want)
		}
	}
}

// A cap that is missing is the family's, one that is null is none.
func TestParseCaps(t *testing.T) {
	for _, c := range []struct {
		change map[string]any
		want   config.Caps
	}{
		{map[string]any{"model_type": "gemma2"}, config.Caps{Attention: 50, Logits: 30}},
		{map[string]any{"model_type": "gemma2", "attn_logit_softcapping": json.RawMessage("null")}, config.Caps{Logits: 30}},
		{map[string]any{"model_type": "gemma2", "attn_logit_softcapping": 20, "final_logit_softcapping": 7.5}, config.Caps{Attention: 20, Logits: 7.5}},
		{nil, config.Caps{}},
	} {
		got, err := config.Parse(plain(gemma3(c.change)))
		if err != nil || got.Caps != c.want {
			t.Errorf("%v: %+v, error %v; want %+v", c.change, got.Caps, err, c.want)
		}
	}
}

// Multipliers that are missing are 1, the one of scores too.
func TestParseGranite(t *testing.T) {
	c, err := config.Parse(plain(map[string]any{"model_type": "granite", "embedding_multiplier": 12}))
	if want := (config.Scales{Embedding: 12, Attention: 1, Residual: 1, Logits: 1}); err != nil || c.Scales != want || c.ScoreScale() != 1 {
		t.Errorf("%+v, error %v; want %+v", c.Scales, err, want)
	}
}

// The text part of a Gemma 3 that reads images has the defaults of transformers where text_config does not say, and the wrapper's word on
// end tokens and the head.
func TestParseWrapper(t *testing.T) {
	c, err := config.Parse([]byte(`{"model_type":"gemma3","eos_token_id":[1,106],"text_config":{"hidden_size":2560,"intermediate_size":10240,
		"model_type":"gemma3_text","num_hidden_layers":34,"rope_scaling":{"factor":8.0,"rope_type":"linear"},"sliding_window":1024},
		"vision_config":{"hidden_size":1152}}`))
	if err != nil {
		t.Fatal(err)
	}
	if c.ModelType != "gemma3_text" || c.Vocab != 262208 || c.Hidden != 2560 || c.Heads != 8 || c.KVHeads != 4 || c.HeadDim != 256 ||
		c.Context != 131072 || c.Window[0] != 1024 || c.Window[5] != 0 || c.Rope.Factor != 8 || !c.Tied || !slices.Equal(c.EOS, []int{1, 106}) {
		t.Errorf("the text part is %+v", c)
	}
	untied, err := config.Parse([]byte(`{"model_type":"gemma3","tie_word_embeddings":false,"text_config":{"tie_word_embeddings":true}}`))
	if err != nil || untied.Tied || untied.Window[0] != 4096 {
		t.Errorf("the text part is %+v, error %v", untied, err)
	}
}

// dynamic scaling stretches the context; within the length before scaling it changes nothing.
func TestParseDynamic(t *testing.T) {
	c, err := config.Parse(plain(map[string]any{"rope_scaling": map[string]any{"type": "dynamic", "factor": 2.5}}))
	if err != nil || c.Context != 160 || c.Rope.Original != 64 || c.Rope.Variant(64) != 0 || c.Rope.Variant(65) != 65 {
		t.Errorf("dynamic is %+v, error %v", c, err)
	}
}

// What a family of more parts does not know is refused too.
func TestParseRefusesInFamily(t *testing.T) {
	type change = map[string]any
	for _, c := range []struct {
		m    change
		want string
	}{
		{phi4(change{"rope_scaling": change{"type": "linear", "factor": 2}}), "linear"},
		{phi4(change{"rope_scaling": change{"type": "longrope", "short_factor": []int{1}}}), "short_factor"},
		{phi4(change{"rope_scaling": change{"type": "longrope", "short_factor": []int{1, 1, 1, 0}, "long_factor": []int{1, 1, 1, 1}}}), "short_factor"},
		{phi4(change{"rope_scaling": change{"type": "longrope", "original_max_position_embeddings": 9}}), "original_max_position_embeddings"},
		{phi4(change{"partial_rotary_factor": 0.3}), "short_factor"},
		{phi4(change{"partial_rotary_factor": 1.5}), "partial_rotary_factor"},
		{phi4(change{"partial_rotary_factor": 0}), "partial_rotary_factor"},
		{phi4(change{"attention_bias": true}), "attention_bias"},
		{gemma3(change{"hidden_activation": "gelu"}), "hidden_activation"},
		{gemma3(change{"hidden_activation": json.RawMessage("null")}), "hidden_activation = null"},
		{gemma3(change{"sliding_window": json.RawMessage("null")}), "sliding_window"},
		{gemma3(change{"sliding_window_pattern": 0}), "sliding_window_pattern"},
		{gemma3(change{"final_logit_softcapping": 0}), "final_logit_softcapping"},
		{gemma3(change{"attn_logit_softcapping": 50}), "attn_logit_softcapping"}, // transformers reads it and does nothing
		{gemma3(change{"model_type": "gemma2", "attn_logit_softcapping": -1}), "attn_logit_softcapping"},
		{gemma3(change{"use_bidirectional_attention": true}), "use_bidirectional_attention"},
		{gemma3(change{"rope_scaling": change{"rope_type": "dynamic", "factor": 2}}), "dynamic"},
		{change{"model_type": "gemma3", "text_config": change{"model_type": "llama"}}, "text_config"},
		{change{"model_type": "gemma3", "text_config": change{"num_attention_heads": 3}}, "num_attention_heads"},
		{gemma3(change{"rope_parameters": change{"sliding_attention": change{"rope_type": "yarn", "factor": 2}}}), "window"},
		{change{"model_type": "granite", "residual_multiplier": 0}, "residual_multiplier"},
		{change{"model_type": "granite", "attn_logit_softcapping": 5}, "attn_logit_softcapping"},
		{change{"model_type": "olmo2", "clip_qkv": 8}, "clip_qkv"},
		{phi4(change{"rope_scaling": change{"type": "longrope", "attention_factor": 0, "short_factor": []int{1, 1, 1, 1}, "long_factor": []int{1, 1, 1, 1}}}), "attention_factor"},
		{change{"rope_scaling": change{"type": "yarn", "factor": 2, "truncate": "no"}}, "truncate"},
		{change{"rope_scaling": change{"type": "yarn", "factor": 2, "beta_fast": -1}}, "beta_fast"},
		{change{"rope_scaling": change{"type": "yarn"}}, "factor"},
		{gemma3(change{"rope_parameters": change{"rope_type": "linear", "factor": 2}}), "full_attention"},
		{gemma3(change{"rope_scaling": change{"full_attention": change{"rope_type": "linear", "factor": 2}}}), "rope_scaling"},
		{gemma3(change{"rope_scaling": change{"type": "linear", "factor": 2}, "rope_parameters": change{"full_attention": change{}}}), "rope_scaling"},
		{change{"rope_parameters": change{"full_attention": change{}}}, "rope_parameters"},
		{change{"query_pre_attn_scalar": 4}, "query_pre_attn_scalar"},
		{change{"rope_scaling": change{"type": "longrope"}}, "longrope"},
		{change{"rope_scaling": change{"type": "dynamic", "factor": 0.5}}, "factor"},
	} {
		if _, err := config.Parse(plain(c.m)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: error %v does not name %s", c.m, err, c.want)
		}
	}
}

// What is not known is an error that names the field.
func TestParseRefuses(t *testing.T) {
	for _, c := range []struct {
		key   string
		value any
	}{
		{"model_type", "mamba"},
		{"hidden_act", "gelu"},
		{"hidden_act", json.RawMessage("null")},
		{"hidden_act", ""},
		{"hidden_size", "32"},
		{"vocab_size", []int{1}},
		{"mlp_bias", true},
		{"partial_rotary_factor", 0.5},
		{"final_logit_softcapping", 30.0},
		{"quantization_config", map[string]any{"bits": 4}},
		{"rope_interleaved", true},
		{"rope_scaling", map[string]any{"rope_type": "proportional", "factor": 2}},
		{"rope_scaling", map[string]any{"type": "linear"}},
		{"rope_parameters", map[string]any{"partial_rotary_factor": 0.5}},
		{"num_key_value_heads", 3},
		{"head_dim", 5},
		{"layer_types", []string{"full_attention"}},
		{"layer_types", []string{"full_attention", "chunked_attention"}},
		{"layer_types", []string{"full_attention", "sliding_attention"}},
		{"no_rope_layers", []int{1, 0}},
		{"vocab_size", 0},
		{"num_hidden_layers", 1 << 40},
		{"rms_norm_eps", 0},
		{"rms_norm_eps", -1e-5},
		{"rms_norm_eps", 1e308},
		{"rms_norm_eps", 1e-320},
		{"rope_theta", -1},
		{"eos_token_id", "x"},
		{"eos_token_id", -5},
		{"eos_token_id", []int{1, -5}},
		{"num_experts", 8},
		{"embedding_multiplier", 12.0},
		{"vocab_size", "many"},
	} {
		_, err := config.Parse(plain(map[string]any{c.key: c.value}))
		name := strings.TrimSuffix(strings.TrimPrefix(c.key, "rope_"), "_parameters")
		if err == nil || !strings.Contains(err.Error(), name) && !strings.Contains(err.Error(), "rope") &&
			!strings.Contains(err.Error(), "partial_rotary_factor") {
			t.Errorf("%s = %v: error %v does not name it", c.key, c.value, err)
		}
	}
}

func TestJSONRoundTrip(t *testing.T) {
	all := modeltest.Shapes()
	scaled, linear := modeltest.Tiny(), modeltest.Tiny()
	scaled.Rope = config.Rope{Theta: 1e6, Type: "llama3", Factor: 8, LowFreq: 1, HighFreq: 4, Original: 32}
	linear.Rope, linear.EOS = config.Rope{Theta: 1e4, Type: "linear", Factor: 2}, []int{3, 4}
	all["llama3"], all["linear"] = scaled, linear
	for name, c := range all {
		text, err := c.JSON()
		if err != nil {
			t.Fatal(err)
		}
		got, err := config.Parse(text)
		if err != nil || !reflect.DeepEqual(got, c) {
			t.Errorf("%s: %+v came back as %+v, error %v", name, c, got, err)
		}
	}
	two := modeltest.Shapes()["window"]
	two.Window = []int{3, 4}
	if _, err := two.JSON(); err == nil {
		t.Error("two widths of windows were written")
	}
	if _, err := (config.Config{}).JSON(); err == nil {
		t.Error("an empty configuration was written")
	}
}

func FuzzParse(f *testing.F) {
	f.Add(plain(nil))
	f.Add(plain(map[string]any{"sliding_window": 4, "use_sliding_window": true, "model_type": "qwen2"}))
	f.Add([]byte(`{"model_type":"smollm3"}`))
	f.Add(plain(phi4(nil)))
	f.Add(plain(gemma3(nil)))
	f.Add(plain(gemma3(map[string]any{"model_type": "gemma2"})))
	f.Add(plain(map[string]any{"model_type": "granite", "embedding_multiplier": 12}))
	f.Add(plain(map[string]any{"rope_scaling": map[string]any{"type": "yarn", "factor": 4}}))
	f.Add([]byte(`{"model_type":"gemma3","text_config":{"num_hidden_layers":3}}`))
	f.Add(plain(map[string]any{"rope_scaling": map[string]any{"type": "dynamic", "factor": 2.5}}))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := config.Parse(data)
		if err != nil {
			return
		}
		text, err := c.JSON()
		if err != nil {
			t.Fatalf("%+v was parsed and cannot be written: %v", c, err)
		}
		if _, err := config.Parse(text); err != nil {
			t.Fatalf("%s was written and cannot be parsed: %v", text, err)
		}
	})
}

// llama3's scaling keeps fast frequencies, divides slow ones by the factor, and is monotonic in between.
func TestRopeScaling(t *testing.T) {
	plain := config.Rope{Theta: 10000}
	scaled := config.Rope{Theta: 10000, Type: "llama3", Factor: 8, LowFreq: 1, HighFreq: 4, Original: 64}
	linear := config.Rope{Theta: 10000, Type: "linear", Factor: 4}
	f, s, l := plain.Frequencies(32, 0), scaled.Frequencies(32, 0), linear.Frequencies(32, 0)
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
