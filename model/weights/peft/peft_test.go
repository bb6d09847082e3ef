package peft

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
)

// parse reads a configuration of rank 4 and alpha 8 with more members.
func parse(t *testing.T, members string) Config {
	t.Helper()
	c, err := Parse([]byte(`{"peft_type":"LORA","r":4,"lora_alpha":8,` + members + `}`))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestAdapts checks the choice of modules; peft 0.21.2 chooses the same (bench/peft compares adapters that it made).
func TestAdapts(t *testing.T) {
	for _, c := range []struct{ members, module, other string }{
		{`"target_modules":["q_proj"]`, "model.layers.0.self_attn.q_proj", "model.layers.0.self_attn.kq_proj"},
		{`"target_modules":["self_attn.q_proj"]`, "model.layers.0.self_attn.q_proj", "model.layers.0.mlp.q_proj"},
		{`"target_modules":["model.layers.1.mlp.up_proj"]`, "model.layers.1.mlp.up_proj", "model.layers.0.mlp.up_proj"},
		{`"target_modules":"all-linear"`, "model.layers.0.mlp.up_proj", ""},
		{`"target_modules":"All-Linear","exclude_modules":["up_proj"]`, "model.layers.0.mlp.down_proj", "model.layers.0.mlp.up_proj"},
		{`"target_modules":".*\\.(q|v)_proj"`, "model.layers.0.self_attn.v_proj", "model.layers.0.self_attn.k_proj"},
		{`"target_modules":"q_proj"`, "q_proj", "model.layers.0.self_attn.q_proj"},
		{`"target_modules":"a|b"`, "b", "ab"},
		{`"target_modules":["q_proj","up_proj"],"exclude_modules":".*\\.1\\..*"`, "model.layers.0.mlp.up_proj", "model.layers.1.mlp.up_proj"},
		{`"target_modules":["q_proj"],"layers_to_transform":1`, "model.layers.1.self_attn.q_proj", "model.layers.0.self_attn.q_proj"},
		{`"target_modules":["q_proj"],"layers_to_transform":[0,2]`, "model.layers.2.self_attn.q_proj", "model.layers.1.self_attn.q_proj"},
		{`"target_modules":["q_proj"],"layers_to_transform":[]`, "model.layers.2.self_attn.q_proj", ""},
		{`"target_modules":["q_proj"],"layers_to_transform":[1],"layers_pattern":"layers"`, "model.layers.1.self_attn.q_proj", "model.h.1.self_attn.q_proj"},
		{`"target_modules":["q_proj"],"layers_to_transform":[1],"layers_pattern":["h","layers"]`, "model.h.1.q_proj", "model.h.2.q_proj"},
		{`"target_modules":["model.layers.0.q_proj"],"layers_to_transform":[1]`, "model.layers.0.q_proj", "model.layers.1.q_proj"},
	} {
		config := parse(t, c.members)
		if !config.Adapts(c.module) {
			t.Errorf("%s: %s is not adapted", c.members, c.module)
		}
		if c.other != "" && config.Adapts(c.other) {
			t.Errorf("%s: %s is adapted", c.members, c.other)
		}
	}
}

// TestPatterns checks ranks and scales: the first key in the file that fits decides, whatever the alphabet says.
func TestPatterns(t *testing.T) {
	const module = "model.layers.1.self_attn.q_proj"
	for _, c := range []struct {
		members string
		rank    int
		alpha   float64
	}{
		{`"rank_pattern":{"q_proj":2},"alpha_pattern":{"v_proj":1}`, 2, 8},
		{`"rank_pattern":{"self_attn.q_proj":3,"q_proj":2}`, 3, 8},
		{`"rank_pattern":{"q_proj":2,"layers\\.1\\..*":5},"alpha_pattern":{"(k|q)_proj":0.5}`, 2, 0.5},
		{`"rank_pattern":{"layers\\.1\\..*":5,"q_proj":2}`, 5, 8},
		{`"rank_pattern":{"^model.layers.1.self_attn.q_proj":6}`, 6, 8},
		{`"rank_pattern":{"_proj":6,"proj":7},"alpha_pattern":null`, 4, 8},
		{`"rank_pattern":{},"alpha_pattern":{"[a-z_]+":3}`, 4, 3},
	} {
		for _, rs := range []bool{false, true} {
			config := parse(t, `"target_modules":["q_proj"],`+c.members)
			config.RSLoRA = rs
			rank, scale, err := config.Of(module)
			want := c.alpha / float64(c.rank)
			if rs {
				want = c.alpha / math.Sqrt(float64(c.rank))
			}
			if err != nil || rank != c.rank || scale != want {
				t.Errorf("%s: rank %d, scale %v, error %v; want %d and %v", c.members, rank, scale, err, c.rank, want)
			}
		}
	}
	config := parse(t, `"target_modules":["q_proj"],"rank_pattern":{"q_proj":0}`)
	if _, _, err := config.Of(module); err == nil || !strings.Contains(err.Error(), module) {
		t.Errorf("rank 0: error %v", err)
	}
}

func TestParseDefaults(t *testing.T) {
	c, err := Parse([]byte(`{"peft_type":"LORA","target_modules":["q_proj"],"r":null}`))
	if err != nil || c.Rank != 8 || c.Alpha != 8 {
		t.Errorf("rank %d, alpha %v, error %v; peft's defaults are 8 and 8", c.Rank, c.Alpha, err)
	}
}

// TestParseRefuses names every field under which an adapter is not what this package computes.
func TestParseRefuses(t *testing.T) {
	for members, want := range map[string]string{
		`"use_dora":true`: "use_dora", `"bias":"all"`: "bias", `"bias":"lora_only"`: "bias", `"lora_bias":true`: "lora_bias",
		`"modules_to_save":["lm_head"]`: "modules_to_save", `"fan_in_fan_out":true`: "fan_in_fan_out",
		`"init_lora_weights":"pissa"`: "path_initial_model_for_weight_conversion", `"init_lora_weights":"pissa_niter_4"`: "init_lora_weights",
		`"init_lora_weights":"olora"`: "olora", `"init_lora_weights":"loftq"`: "loftq", `"init_lora_weights":"corda"`: "corda",
		`"use_qalora":true`: "use_qalora", `"use_bdlora":{"nblocks":2}`: "use_bdlora", `"layer_replication":[[0,4]]`: "layer_replication",
		`"trainable_token_indices":[1]`: "trainable_token_indices", `"target_parameters":["x"]`: "target_parameters",
		`"alora_invocation_tokens":[1]`: "alora_invocation_tokens", `"kasa_config":{"beta":1}`: "kasa_config",
		`"task_type":"SEQ_CLS"`: "task_type", `"new_method":7`: "new_method", `"new_method":true`: "not known",
		`"target_modules":[]`: "target_modules", `"target_modules":null`: "target_modules", `"target_modules":7`: "target_modules",
		`"target_modules":"(?!x).*"`: "target_modules", `"rank_pattern":{"(a":2}`: "rank_pattern", `"rank_pattern":[1]`: "rank_pattern",
		`"alpha_pattern":{"a{,2}":2}`: "ambiguous", `"rank_pattern":{"q_proj":"x"}`: "rank_pattern",
		`"target_modules":"x","layers_to_transform":1`: "layers_to_transform", `"layers_pattern":"h"`: "layers_pattern",
		`"layers_to_transform":[1],"layers_pattern":"("`: "layers_pattern", `"r":"x"`: "r:",
	} {
		text := `{"peft_type":"LORA","target_modules":["q_proj"],` + members + `}`
		if strings.HasPrefix(members, `"target_modules"`) {
			text = `{"peft_type":"LORA",` + members + `}`
		}
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v does not say %s", text, err, want)
		}
	}
	for text, want := range map[string]string{`{"peft_type":"IA3"}`: "IA3", `{}`: "missing", `{`: "unexpected end", `[]`: "array"} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v does not say %s", text, err, want)
		}
	}
}

// TestConfigRoundTrip checks that what is read is written, in the order that counts.
func TestConfigRoundTrip(t *testing.T) {
	modules := []string{"model.layers.0.self_attn.q_proj", "model.layers.1.self_attn.q_proj", "model.layers.1.mlp.up_proj", "model.layers.2.mlp.up_proj"}
	for _, members := range []string{
		`"target_modules":["q_proj","up_proj"],"rank_pattern":{"self_attn.q_proj":3,"q_proj":2},"alpha_pattern":{"z":1,"a":2}`,
		`"target_modules":".*up_proj","use_rslora":true,"exclude_modules":["layers.2.mlp.up_proj"],"base_model_name_or_path":"org/base"`,
		`"target_modules":["up_proj"],"layers_to_transform":[1],"layers_pattern":"layers","exclude_modules":".*2.*"`,
		`"target_modules":"all-linear","layers_to_transform":null`,
	} {
		first := parse(t, members)
		text, err := json.Marshal(first)
		if err != nil {
			t.Fatal(err)
		}
		second, err := Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		again, err := json.Marshal(second)
		if err != nil || string(again) != string(text) {
			t.Errorf("%s is written as %s, then as %s (%v)", members, text, again, err)
		}
		for _, m := range modules {
			r1, s1, _ := first.Of(m)
			r2, s2, _ := second.Of(m)
			if first.Adapts(m) != second.Adapts(m) || r1 != r2 || s1 != s2 || first.Base != second.Base {
				t.Errorf("%s: %s comes back differently", members, m)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"peft_type":"LORA","r":4,"lora_alpha":8,"target_modules":["q_proj"],"rank_pattern":{"q_proj":2}}`))
	f.Add([]byte(`{"peft_type":"LORA","target_modules":".*(q|v)_proj","exclude_modules":[],"layers_to_transform":3}`))
	f.Add([]byte(`{"peft_type":"LORA","target_modules":["a"],"layers_to_transform":[1],"layers_pattern":["h"],"alpha_pattern":{"b":1e9}}`))
	modules := []Module{{"model.layers.0.self_attn.q_proj", 4, 4}, {"model.layers.1.mlp.up_proj", 8, 4}}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse(data)
		if err != nil {
			return
		}
		adapted, err := c.Adapted(modules)
		if err != nil {
			return
		}
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		again, err := back.Adapted(modules)
		if err != nil || !slices.Equal(again, adapted) {
			t.Errorf("%s adapts %v, %s %v (%v)", data, adapted, text, again, err)
		}
	})
}
