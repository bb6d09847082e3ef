package export

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/engine"
	"parley/engine/native"
	"parley/model"
	"parley/model/weights/peft"
	"parley/model/weights/safetensors"
	"parley/runs/verify"
)

// trained is a run with one policy over the shipped base: an adapter of random numbers of a size, and answers of random tokens.
func trained(t *testing.T, format engine.Format, size float64) (*Export, *[]string) {
	t.Helper()
	dir := t.TempDir()
	writeAdapterOf(t, filepath.Join(dir, "adapters", "p"), size)
	random := rand.New(rand.NewPCG(1, 2))
	var answers []verify.Answer
	for range 6 {
		a := verify.Answer{Policy: "p", Prompt: []int{1}}
		for i := range 40 {
			list := &a.Tokens
			if i < 10 {
				list = &a.Prompt
			}
			*list = append(*list, 3+random.IntN(600))
		}
		answers = append(answers, a)
	}
	writeJSON(t, filepath.Join(dir, "evaluation", "trained-000001.json"), map[string]any{"answers": answers})
	notes := &[]string{}
	return &Export{
		Run: dir, From: verify.Saved{Dir: filepath.Join(dir, "adapters"), Update: 1, Policies: []string{"p"}}, Policies: []string{"p"},
		Out: filepath.Join(dir, "out"), Base: func(string) string { return model.Shipped }, Hash: func(string) string { return "" },
		Engine: engine.Options{Format: format}, Backend: native.Backend{}, Answers: 16, Limit: -1, Note: func(s string) { *notes = append(*notes, s) },
	}, notes
}

func writeJSON(t *testing.T, path string, v any) {
	t.Helper()
	text, err := json.Marshal(v)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o755)
	}
	if err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func writeAdapterOf(t *testing.T, dir string, size float64) {
	t.Helper()
	m, err := model.Open(model.Shipped)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	random := rand.New(rand.NewPCG(3, 4))
	draw := func(n int) []float32 {
		out := make([]float32, n)
		for i := range out {
			out[i] = float32(size * random.NormFloat64())
		}
		return out
	}
	config := peft.Config{Rank: 4, Alpha: 8, Targets: peft.Names{List: []string{"q_proj", "k_proj", "v_proj", "o_proj", "up_proj"}}}
	var tensors []safetensors.Output
	for _, module := range peft.Modules(m.Source) {
		if !config.Adapts(module.Name) {
			continue
		}
		tensors = append(tensors,
			safetensors.Output{Tensor: safetensors.Tensor{Name: module.A(), Shape: []int{4, module.In}, DType: "F32"}, Data: draw(4 * module.In)},
			safetensors.Output{Tensor: safetensors.Tensor{Name: module.B(), Shape: []int{module.Out, 4}, DType: "F32"}, Data: draw(4 * module.Out)})
	}
	writeJSON(t, filepath.Join(dir, peft.ConfigFile), config)
	if err := safetensors.Write(filepath.Join(dir, peft.WeightsFile), tensors, nil); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, x *Export) Difference {
	t.Helper()
	x.Out += "-" + fmt.Sprint(x.Form) + x.DType
	found, err := x.Write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 || found[0].Tokens != 180 || found[0].Answers != 6 || !found[0].HeldOut || !(found[0].Trained > 0) {
		t.Fatalf("compared: %+v", found)
	}
	return found[0]
}

// TestWhatWasTrainedIsWritten: merged into float32, an export is the policy whatever its base was held in, as far as products of bfloat16
// are those of float32. An adapter over the files' base is it only if that is how the base was held.
func TestWhatWasTrainedIsWritten(t *testing.T) {
	const products = 0.1 // mean distance that rounding to bfloat16 makes in products, at most
	for _, c := range []struct {
		format          engine.Format
		adapter, merged float64 // most that the mean may be
		other           bool    // the adapter is another policy
	}{
		{engine.F32, 0, 1e-5, false},
		{engine.BF16, products, products, false},
		{engine.Int8, products, products, false},
		{engine.NF4, math.Inf(1), products, true},
	} {
		x, notes := trained(t, c.format, 0.05)
		adapter := write(t, x)
		x.Form, x.DType = Merged, "F32"
		merged := write(t, x)
		if adapter.Mean > c.adapter || merged.Mean > c.merged {
			t.Errorf("%s: adapter %v, merged %v", c.format, adapter, merged)
		}
		if c.other && (adapter.Mean < 5*merged.Mean || !strings.Contains(strings.Join(*notes, "\n"), "--merged")) {
			t.Errorf("%s: adapter %v, merged %v; notes %v", c.format, adapter, merged, *notes)
		}
	}
}

// TestRoundingIsSaid: a small change is lost in weights of 16 bits, which is said with the remedy; with a limit nothing is written.
func TestRoundingIsSaid(t *testing.T) {
	x, notes := trained(t, engine.F32, 0.002)
	x.Form = Merged
	out := x.Out
	rounded := write(t, x)
	if !(rounded.Mean > 0.1*rounded.Trained) || len(*notes) != 1 || !strings.Contains((*notes)[0], "--dtype f32") {
		t.Errorf("%v; notes %v", rounded, *notes)
	}
	x.Out, x.DType = out, "F32"
	if exact := write(t, x); exact.Max > 1e-4 {
		t.Errorf("in float32: %v", exact)
	}
	x.Out, x.DType, x.Limit = filepath.Join(x.Run, "refused"), "", rounded.Max/2
	if _, err := x.Write(t.Context()); err == nil || !strings.Contains(err.Error(), "the limit is") {
		t.Errorf("above the limit: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(x.Run, "*refused*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// TestNothingLearned: where training changed nothing, nothing is lost in rounding.
func TestNothingLearned(t *testing.T) {
	x, notes := trained(t, engine.F32, 0)
	x.Form, x.DType = Merged, "F16"
	found, err := x.Write(t.Context())
	if err != nil || len(found) != 1 || found[0].Trained != 0 || found[0].Mean == 0 || len(*notes) > 0 {
		t.Errorf("%v %v; notes %v", found, err, *notes)
	}
}

// TestNotCompared: what cannot be compared is said and written, and refused where there is a limit.
func TestNotCompared(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(x *Export)
		want  string
	}{
		"no answers": {func(x *Export) { os.RemoveAll(filepath.Join(x.Run, "evaluation")) }, "no answers of policy p"},
		"no base":    {func(x *Export) { x.Base = func(string) string { return "nothing" } }, `no model "nothing"`},
		"no memory":  {func(x *Export) { x.Engine.Available = func() float64 { return 1000 } }, "are free"},
		"no tokens": {func(x *Export) {
			bad := verify.Answer{Policy: "p", Prompt: []int{1}, Tokens: []int{1 << 30}}
			writeJSON(t, filepath.Join(x.Run, "evaluation", "trained-000002.json"), map[string]any{"answers": []verify.Answer{bad}})
		}, "token"},
	} {
		x, notes := trained(t, engine.F32, 0.05)
		c.spoil(x)
		if found, err := x.Write(t.Context()); err != nil || len(found) != 0 {
			t.Errorf("%s: %v, %v", name, found, err)
		}
		if len(*notes) != 1 || !strings.Contains((*notes)[0], c.want) {
			t.Errorf("%s: notes %v", name, *notes)
		}
		x.Out, x.Limit = x.Out+"2", 1
		if _, err := x.Write(t.Context()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, with a limit: %v", name, err)
		}
	}
}

// TestAnotherBase: nothing is merged into a base that is not the one of the training.
func TestAnotherBase(t *testing.T) {
	x, _ := trained(t, engine.F32, 0.05)
	x.Form, x.Hash = Merged, func(string) string { return "0123456789abcdef" }
	if _, err := x.Write(t.Context()); err == nil || !strings.Contains(err.Error(), "0123456789ab") || !strings.Contains(err.Error(), "--base") {
		t.Errorf("%v", err)
	}
}

// TestBaseName: adapters name a base that peft can load, or none.
func TestBaseName(t *testing.T) {
	file := filepath.Join("..", "..", "model", "weights", "testdata", "gguf", "llama3-mixed.gguf")
	for _, c := range []struct {
		base, given string
		want        any
		notes       int
	}{
		{model.Shipped, "", model.Shipped, 0},
		{model.Shipped, "org/model", "org/model", 0},
		{file, "org/model", "org/model", 0},
		{file, "", nil, 1},
	} {
		x, notes := trained(t, engine.F32, 0.05)
		x.Answers, x.BaseName, x.Base = 0, c.given, func(string) string { return c.base }
		if _, err := x.Write(t.Context()); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(x.Out, "p", peft.ConfigFile))
		if err != nil {
			t.Fatal(err)
		}
		var config map[string]any
		if err := json.Unmarshal(text, &config); err != nil || config["base_model_name_or_path"] != c.want || len(*notes) != c.notes {
			t.Errorf("%s %q: named %v (%v), notes %v", c.base, c.given, config["base_model_name_or_path"], err, *notes)
		}
		if c.notes > 0 && !strings.Contains((*notes)[0], "--base-name") {
			t.Errorf("notes %v", *notes)
		}
	}
}

// TestGGUF: the model in a GGUF file is what was trained over a base of 4 bits, the adapter beside it is not; Q8_0 is less near than float32.
func TestGGUF(t *testing.T) {
	x, notes := trained(t, engine.NF4, 0.05)
	x.Form, x.WithBase = GGUF, true
	mean := map[string]map[string]float64{}
	for _, dtype := range []string{"F32", "Q8_0"} {
		x.DType, x.Out = dtype, filepath.Join(x.Run, dtype)
		found, err := x.Write(t.Context())
		if err != nil || len(found) != 2 {
			t.Fatal(found, err)
		}
		mean[dtype] = map[string]float64{found[0].Form: found[0].Mean, found[1].Form: found[1].Mean}
		for _, file := range []string{"base.gguf", "p/model.gguf", "p/adapter.gguf", "p/Modelfile"} {
			if info, err := os.Stat(filepath.Join(x.Out, filepath.FromSlash(file))); err != nil || info.Size() == 0 {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
	if m := mean["F32"]; m["gguf"] > 0.1 || m["gguf adapter"] < 5*m["gguf"] || mean["Q8_0"]["gguf"] <= m["gguf"] {
		t.Errorf("means: %v", mean)
	}
	if text := strings.Join(*notes, "\n"); !strings.Contains(text, "take model.gguf instead") {
		t.Errorf("notes: %s", text)
	}
}
