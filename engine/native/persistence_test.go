package native

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/engine"
	"parley/model/config"
	"parley/model/modeltest"
	"parley/model/weights"
	"parley/model/weights/peft"
	"parley/model/weights/safetensors"
)

var testAdam = engine.Adam{LR: 0.01, Beta1: 0.9, Beta2: 0.95, Eps: 1e-8, WeightDecay: 0.1, ClipNorm: 1}

// steps trains a policy and returns the bits of its parameters.
func steps(t *testing.T, e *Engine, p engine.Policy, n int) [][]uint32 {
	t.Helper()
	for range n {
		if err := e.ForwardBackward(t.Context(), kin([]engine.Policy{p}, 6, e.shape.Vocab), coupling); err != nil {
			t.Fatal(err)
		}
		if _, err := e.Step(t.Context(), p, testAdam); err != nil {
			t.Fatal(err)
		}
	}
	var all [][]uint32
	for _, q := range e.policies[p].params {
		all = append(all, bits(q.values()), bits(q.m), bits(q.v))
	}
	return all
}

// A loaded policy goes on bit for bit, in the same engine and in another.
func TestSaveLoadContinues(t *testing.T) {
	for name, c := range modeltest.Shapes() {
		for _, p := range []engine.Policy{"p", "q", "r", "full"} {
			t.Run(name+"/"+string(p), func(t *testing.T) {
				e, other := openTiny(t, c, engine.Options{}), openTiny(t, c, engine.Options{Threads: 1})
				lively(t, e)
				steps(t, e, p, 2)
				dir := filepath.Join(t.TempDir(), "a", "policy")
				if err := e.Save(t.Context(), p, dir); err != nil {
					t.Fatal(err)
				}
				want := steps(t, e, p, 3)
				for _, e := range []*Engine{e, other} {
					if err := e.Load(t.Context(), p, dir); err != nil {
						t.Fatal(err)
					}
					if got := steps(t, e, p, 3); !slices.EqualFunc(got, want, slices.Equal[[]uint32]) {
						t.Error("the loaded policy goes on in another way")
					}
				}
			})
		}
	}
}

func TestSaveIsWholeOrAbsent(t *testing.T) {
	e := openTiny(t, tiny, engine.Options{})
	lively(t, e)
	parent := t.TempDir()
	dir := filepath.Join(parent, "policy")
	if err := e.Save(t.Context(), "r", dir); err != nil {
		t.Fatal(err)
	}
	if err := e.Save(t.Context(), "p", dir); err == nil || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("saving over a folder: error %v", err)
	}
	entries, err := os.ReadDir(parent)
	if err != nil || len(entries) != 1 {
		t.Errorf("%d entries beside the policy, error %v", len(entries)-1, err)
	}
	if err := os.WriteFile(filepath.Join(parent, "file"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := e.Save(t.Context(), "p", filepath.Join(parent, "file", "policy")); err == nil {
		t.Error("saving below a file succeeded")
	}
	if err := e.Save(t.Context(), engine.Base, filepath.Join(parent, "base")); err == nil {
		t.Error("the base was saved")
	}
}

// rewrite changes the tensors of a saved file.
func rewrite(t *testing.T, path string, change func(name string, o *safetensors.Output) bool) {
	t.Helper()
	f, err := safetensors.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []safetensors.Output
	for _, tensor := range f.Tensors() {
		data, err := f.Read(tensor.Name)
		if err != nil {
			t.Fatal(err)
		}
		o := safetensors.Output{Tensor: tensor, Data: data}
		if change(tensor.Name, &o) {
			all = append(all, o)
		}
	}
	metadata := f.Metadata
	f.Close()
	if err := safetensors.Write(path, all, metadata); err != nil {
		t.Fatal(err)
	}
}

func TestLoadErrors(t *testing.T) {
	const module = "base_model.model.model.layers.1.self_attn.v_proj.lora_B.weight"
	on := func(name string, f func(*safetensors.Output) bool) func(string, *safetensors.Output) bool {
		return func(n string, o *safetensors.Output) bool { return n != name || f(o) }
	}
	drop := func(*safetensors.Output) bool { return false }
	spoil := func(o *safetensors.Output) bool { o.Data[1] /= 0; return true }
	turn := func(o *safetensors.Output) bool { slices.Reverse(o.Shape); return true }
	rename := func(o *safetensors.Output) bool { o.Name = "stranger"; return true }
	for _, c := range []struct {
		file   string
		change func(string, *safetensors.Output) bool
		want   string
	}{
		{peft.WeightsFile, on(module, drop), module},
		{peft.WeightsFile, on(module, spoil), module},
		{peft.WeightsFile, on(module, turn), module},
		{peft.WeightsFile, on(module, rename), module},
		{valueFile, on("value_head.bias", drop), "value_head.bias"},
		{valueFile, on("value_head.bias", func(o *safetensors.Output) bool { o.Name = "value_head.hidden.bias"; return true }), "value_head.hidden.weight"},
		{optimizerFile, on("m."+module, drop), module},
		{optimizerFile, on("v."+module, spoil), module},
		{optimizerFile, on("v."+module, func(o *safetensors.Output) bool { o.Data[0] = -1; return true }), module},
	} {
		e := openTiny(t, tiny, engine.Options{})
		lively(t, e)
		for _, q := range e.policies["r"].params {
			q.v[0], q.m[0] = 1, 1
		}
		dir := filepath.Join(t.TempDir(), "policy")
		if err := e.Save(t.Context(), "r", dir); err != nil {
			t.Fatal(err)
		}
		rewrite(t, filepath.Join(dir, c.file), c.change)
		before := e.policies["p"]
		err := e.Load(t.Context(), "p", dir)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.file) {
			t.Errorf("error %v does not name %s and %s", err, c.file, c.want)
		}
		if e.policies["p"] != before {
			t.Error("a failed load changed the policy")
		}
	}
}

// A full-parameter policy is saved as a checkpoint that opens to the same model.
func TestSaveFull(t *testing.T) {
	for name, c := range modeltest.Shapes() {
		for _, dtype := range []string{"f32", "bf16"} {
			e := openTiny(t, c, engine.Options{})
			lively(t, e)
			dir := filepath.Join(t.TempDir(), "model")
			if err := e.SaveFull("full", dir, dtype); err != nil {
				t.Fatal(err)
			}
			src, err := weights.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			again, err := Open(src, engine.Options{})
			if err != nil {
				t.Fatal(err)
			}
			data := kin([]engine.Policy{"full"}, 4, c.Vocab)
			want, err := e.Forward(t.Context(), data)
			if err != nil {
				t.Fatal(err)
			}
			for i := range data {
				data[i].Policy = engine.Base
			}
			got, err := again.Forward(t.Context(), data)
			if err != nil {
				t.Fatal(err)
			}
			for i := range got {
				near(t, name+" "+dtype, got[i].Logprobs, want[i].Logprobs, map[string]float64{"f32": 0, "bf16": 0.5}[dtype])
			}
			again.Close()
			src.Close()
		}
	}
	e := openTiny(t, tiny, engine.Options{})
	lively(t, e)
	for _, err := range []error{e.SaveFull("p", t.TempDir()+"/m", "f32"), e.SaveFull("full", t.TempDir()+"/m", "f64"), e.SaveFull("none", t.TempDir()+"/m", "f32")} {
		if err == nil {
			t.Error("SaveFull accepted an adapter, an unknown dtype or an unknown policy")
		}
	}
}

// The files are PEFT's: its names, its configuration.
func TestSavedAdapterIsPEFT(t *testing.T) {
	e := openTiny(t, tiny, engine.Options{})
	lively(t, e)
	dir := filepath.Join(t.TempDir(), "policy")
	if err := e.Save(t.Context(), "q", dir); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "adapter_config.json"))
	if err != nil {
		t.Fatal(err)
	}
	var config map[string]any
	if err := json.Unmarshal(text, &config); err != nil {
		t.Fatal(err)
	}
	if config["peft_type"] != "LORA" || config["r"] != 5.0 || config["lora_alpha"] != 5.0 {
		t.Errorf("adapter_config.json is %s", text)
	}
	f, err := safetensors.Open(filepath.Join(dir, "adapter_model.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got := len(f.Tensors()); got != 8 {
		t.Errorf("%d tensors, want A and B of two projections in two layers", got)
	}
	a, ok := f.Lookup("base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight")
	if !ok || !slices.Equal(a.Shape, []int{5, 16}) {
		t.Errorf("A of q_proj in layer 0: found %v, shape %v", ok, a.Shape)
	}
}

// Patterns of ranks and alphas, and rsLoRA's scale, come back from disk as they were.
func TestAdapterPatternsRoundTrip(t *testing.T) {
	for _, rs := range []bool{false, true} {
		e := openTiny(t, tiny, engine.Options{})
		p := &policy{name: "p", net: e.base}
		var err error
		if p.adapter, err = peft.Parse(fmt.Appendf(nil, `{"peft_type":"LORA","r":4,"lora_alpha":8,"target_modules":["q_proj","up_proj"],"use_rslora":%v,
			"rank_pattern":{"q_proj":2},"alpha_pattern":{"layers\\.1\\.mlp\\.up_proj":5}}`, rs)); err != nil {
			t.Fatal(err)
		}
		if err := p.addLoras(&e.shape); err != nil {
			t.Fatal(err)
		}
		p.pack(e.k)
		e.policies["p"] = p
		dir := filepath.Join(t.TempDir(), "policy")
		if err := e.Save(t.Context(), "p", dir); err != nil {
			t.Fatal(err)
		}
		if err := e.Load(t.Context(), "back", dir); err != nil {
			t.Fatal(err)
		}
		back := e.policies["back"]
		if q, up := back.lora(0, config.QProj), back.lora(1, config.UpProj); q.rank != 2 || up.rank != 4 || up.scale == back.lora(0, config.UpProj).scale {
			t.Errorf("ranks %d and %d, scales %v and %v", q.rank, up.rank, up.scale, back.lora(0, config.UpProj).scale)
		}
		for i := range p.loras {
			for m := range config.NumProjections {
				a, b := p.lora(i, m), back.lora(i, m)
				if (a == nil) != (b == nil) || a != nil && (a.rank != b.rank || a.scale != b.scale) {
					t.Errorf("layer %d, %s came back differently", i, m.Module())
				}
			}
		}
	}
}
