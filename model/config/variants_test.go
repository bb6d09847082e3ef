package config_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"parley/model/config"
)

// A derived is what transformers computes with.
type derived struct {
	Heads, Hidden, Layers, Context int
	KVHeads                        int `json:"kv_heads"`
	HeadDim                        int `json:"head_dim"`
	Eps                            float64
	Tied, Bias                     bool
	Windows, EOS                   []int
	NoRope                         []bool `json:"no_rope"`
	Scalar                         *float64
	Ropes                          []struct {
		Theta, Factor float64
		Type          string
	}
}

// TestVariants compares variants of config.json of every family with what transformers makes of them (bench/configs/make.py): what it does
// not compute is refused, and what is accepted is computed with the same numbers. What it computes may be refused too, by name.
func TestVariants(t *testing.T) {
	data, err := os.ReadFile("testdata/variants.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Bases    map[string]map[string]any
		Variants []struct {
			Family  string
			Set     map[string]any
			Drop    []string
			Want    *derived
			Refused string
		}
	}
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	refused := map[string]int{}
	for _, v := range all.Variants {
		c := maps.Clone(all.Bases[v.Family])
		maps.Copy(c, v.Set)
		for _, key := range v.Drop {
			delete(c, key)
		}
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		got, err := config.Parse(text)
		changed := slices.Concat(slices.Collect(maps.Keys(v.Set)), v.Drop)
		switch {
		case v.Want == nil && err == nil && !harmless(v.Set):
			t.Errorf("%s %v without %v is accepted; transformers: %s", v.Family, v.Set, v.Drop, v.Refused)
		case v.Want != nil && err == nil:
			v.Want.check(t, v.Family, v.Set, v.Drop, got)
		case v.Want != nil:
			if !slices.ContainsFunc(changed, func(key string) bool { return strings.Contains(err.Error(), key) }) {
				t.Errorf("%s %v without %v: the error %v names none of them", v.Family, v.Set, v.Drop, err)
			}
			refused[strings.Join(slices.Sorted(slices.Values(changed)), " ")]++
		}
	}
	t.Logf("refused, though transformers computes it: %v", refused)
}

// harmless are keys that are null where transformers wants a value, and that change no number.
func harmless(set map[string]any) bool {
	for _, key := range []string{"mlp_bias", "attention_dropout", "hidden_act"} {
		if v, ok := set[key]; ok && v == nil {
			return true
		}
	}
	return false
}

func (d *derived) check(t *testing.T, family string, set map[string]any, drop []string, got config.Config) {
	t.Helper()
	wrong := func(what string, got, want any) {
		t.Errorf("%s %v without %v: %s is %v, want %v", family, set, drop, what, got, want)
	}
	for what, pair := range map[string][2]any{
		"heads": {got.Heads, d.Heads}, "kv heads": {got.KVHeads, d.KVHeads}, "head dim": {got.HeadDim, d.HeadDim}, "hidden": {got.Hidden, d.Hidden},
		"layers": {got.Layers, d.Layers}, "eps": {got.NormEps, d.Eps}, "tied": {got.Tied, d.Tied}, "bias": {got.OutBias, d.Bias}, "context": {got.Context, d.Context},
		"theta": {got.Rope.Theta, d.Ropes[0].Theta}, "factor": {got.Rope.Factor, d.Ropes[0].Factor},
	} {
		if pair[0] != pair[1] {
			wrong(what, pair[0], pair[1])
		}
	}
	for i, want := range d.Windows {
		if got.WindowOf(i) != want {
			wrong("windows", got.Window, d.Windows)
			break
		}
	}
	if !slices.Equal(got.EOS, d.EOS) {
		wrong("end tokens", got.EOS, d.EOS)
	}
	for i, no := range d.NoRope {
		if got.Rotates(i) == no {
			wrong("layers without rotation", got.NoRope, d.NoRope)
			break
		}
	}
	if d.Scalar != nil && got.QueryScalar != *d.Scalar {
		wrong("query scalar", got.QueryScalar, *d.Scalar)
	}
	if len(d.Ropes) > 1 && got.Local.Theta != d.Ropes[1].Theta {
		wrong("theta of windows", got.Local.Theta, d.Ropes[1].Theta)
	}
}
