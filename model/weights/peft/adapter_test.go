package peft

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/model/weights"
	"parley/model/weights/safetensors"
)

// goldens is the folder of the reference's checkpoints and adapters.
func goldens() string {
	if dir := os.Getenv("PARLEY_GOLDENS"); dir != "" {
		return dir
	}
	return filepath.Join("..", "..", "..", "engine", "native", "testdata", "goldens")
}

// TestGoldensMerge compares merged weights with those of the reference, which also adds in float64 and rounds once.
func TestGoldensMerge(t *testing.T) {
	dir := "testdata"
	if given := os.Getenv("PARLEY_GOLDENS"); given != "" {
		dir = given
	}
	files, err := filepath.Glob(filepath.Join(dir, "merge", "*.safetensors"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no goldens: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".safetensors")
		t.Run(name, func(t *testing.T) {
			model := strings.Split(strings.TrimPrefix(name, "lora-"), "-")[0]
			src, err := weights.Open(filepath.Join(goldens(), "models", model))
			if err != nil {
				t.Fatal(err)
			}
			defer src.Close()
			a, err := Open(filepath.Join(goldens(), "train", name))
			if err != nil {
				t.Fatal(err)
			}
			defer a.Close()
			m, err := Merge(src, a)
			if err != nil {
				t.Fatal(err)
			}
			compareMerged(t, m, file)
		})
	}
}

func compareMerged(t *testing.T, m weights.Source, file string) {
	t.Helper()
	want, err := safetensors.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer want.Close()
	compared := 0
	for _, tensor := range want.Tensors() {
		name, ok := strings.CutPrefix(tensor.Name, "merged.")
		if !ok {
			continue
		}
		compared++
		w, err := want.Read(tensor.Name)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]float32, len(w))
		if err := m.Float32(name, got); err != nil {
			t.Fatal(err)
		}
		for i := range w {
			if d := got[i] - w[i]; d > 1e-7 || d < -1e-7 {
				t.Fatalf("%s[%d] is %v, want %v", name, i, got[i], w[i])
			}
		}
	}
	if compared == 0 {
		t.Error("nothing was compared")
	}
}

var twoLayers = []Module{
	{"model.layers.0.self_attn.q_proj", 4, 6},
	{"model.layers.0.mlp.up_proj", 8, 6},
	{"model.layers.1.self_attn.q_proj", 4, 6},
	{"model.layers.1.mlp.up_proj", 8, 6},
}

// write makes an adapter folder of zeros for modules.
func write(t *testing.T, config string, rank int, modules ...Module) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ConfigFile), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	var tensors []safetensors.Output
	add := func(name string, rows, columns int) {
		tensors = append(tensors, safetensors.Output{
			Tensor: safetensors.Tensor{Name: name, Shape: []int{rows, columns}, DType: "F32"},
			Data:   make([]float32, rows*columns),
		})
	}
	for _, m := range modules {
		add(m.A(), rank, m.In)
		add(m.B(), m.Out, rank)
	}
	if err := safetensors.Write(filepath.Join(dir, WeightsFile), tensors, nil); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestCheck(t *testing.T) {
	const config = `{"peft_type":"LORA","r":2,"target_modules":["q_proj","up_proj"],"base_model_name_or_path":"org/other"}`
	wide := Module{"model.layers.1.mlp.up_proj", 9, 6}
	fused := []Module{{"model.layers.0.self_attn.qkv_proj", 12, 6}, {"model.layers.0.mlp.gate_up_proj", 16, 6}, {"model.layers.0.mlp.down_proj", 6, 8}}
	for name, c := range map[string]struct {
		config  string
		rank    int
		modules []Module // in the file
		model   []Module
		want    []string
	}{
		"fits":           {config, 2, twoLayers, twoLayers, nil},
		"wider":          {config, 2, append(slices.Clone(twoLayers[:3]), wide), twoLayers, []string{"layers.1.mlp.up_proj.lora_B", "[9 2]", "[8 2]", "org/other"}},
		"other rank":     {config, 3, twoLayers, twoLayers, []string{"layers.0.self_attn.q_proj.lora_A", "[3 6]", "[2 6]"}},
		"missing":        {config, 2, twoLayers[:2], twoLayers, []string{"layers.1.self_attn.q_proj.lora_A", "missing"}},
		"more layers":    {config, 2, twoLayers, twoLayers[:2], []string{"the model has no model.layers.1."}},
		"unfused":        {strings.Replace(config, `"q_proj"`, `"q_proj","down_proj"`, 1), 2, append(twoLayers[:2:2], fused[2]), fused, []string{"no projection up_proj", "qkv_proj, gate_up_proj, down_proj"}},
		"only unfused":   {config, 2, twoLayers[:2], fused, []string{"q_proj, up_proj", "qkv_proj, gate_up_proj, down_proj"}},
		"fused":          {strings.Replace(config, "q_proj", "qkv_proj", 1), 2, append(twoLayers[1:2:2], fused[0]), twoLayers[:2], []string{"no projection qkv_proj", "q_proj, up_proj"}},
		"not configured": {strings.Replace(config, `"q_proj",`, "", 1), 2, twoLayers, twoLayers, []string{"does not adapt model.layers.0.self_attn.q_proj"}},
		"output head":    {config, 2, append(slices.Clone(twoLayers), Module{"lm_head", 32, 6}), twoLayers, []string{"no projection lm_head"}},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := Open(write(t, c.config, c.rank, c.modules...))
			if err != nil {
				t.Fatal(err)
			}
			defer a.Close()
			err = a.Check(c.model)
			if (err == nil) != (c.want == nil) {
				t.Fatalf("error %v", err)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %v does not say %s", err, want)
				}
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	const config = `{"peft_type":"LORA","target_modules":["q_proj"]}`
	for name, c := range map[string]struct{ config, pickle, want string }{
		"pickle":     {config, "x", "save_pretrained"},
		"no weights": {config, "", WeightsFile},
		"bad config": {`{"peft_type":"LOHA"}`, "", ConfigFile},
		"huge":       {strings.Repeat(" ", maxConfig) + config, "", "more than"},
	} {
		dir := t.TempDir()
		for file, text := range map[string]string{ConfigFile: c.config, pickleFile: c.pickle} {
			if text == "" {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: error %v does not say %s", name, err, c.want)
		}
	}
	if _, err := Open(t.TempDir()); !os.IsNotExist(err) {
		t.Errorf("an empty folder: %v", err)
	}
}
