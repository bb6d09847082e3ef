package weights

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"parley/model/weights/safetensors"
)

// files writes named texts and a shard with tensor "a" (value 1) and one with "b" (value 2) to a folder.
func files(t *testing.T, texts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i, name := range []string{"a", "b"} {
		tensor := safetensors.Output{Tensor: Tensor{Name: name, Shape: []int{1}, DType: "F32"}, Data: []float32{float32(i + 1)}}
		if err := safetensors.Write(filepath.Join(dir, name+".safetensors"), []safetensors.Output{tensor}, nil); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func index(weightMap string) map[string]string {
	return map[string]string{configName: `{}`, indexName: `{"metadata":{},"weight_map":` + weightMap + `}`}
}

func TestOpenShards(t *testing.T) {
	dir := files(t, index(`{"b":"b.safetensors","a":"a.safetensors"}`))
	for name, open := range map[string]func() (Source, error){
		"Open":   func() (Source, error) { return Open(dir) },
		"OpenFS": func() (Source, error) { return OpenFS(os.DirFS(filepath.Dir(dir)), filepath.Base(dir)) },
	} {
		t.Run(name, func(t *testing.T) {
			s, err := open()
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if got := s.Tensors(); len(got) != 2 || got[0].Name != "a" || got[1].Name != "b" {
				t.Errorf("tensors %v", got)
			}
			if got := read(t, s, "b", []int{1}); got[0] != 2 || string(s.Config()) != "{}" {
				t.Errorf("b = %v, config %s", got, s.Config())
			}
			if err := s.Float32("c", nil); err == nil || !strings.Contains(err.Error(), `"c"`) {
				t.Errorf("unknown tensor: %v", err)
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		texts map[string]string
		want  string
	}{
		"no config":           {map[string]string{}, configName},
		"config is no JSON":   {map[string]string{configName: `{`}, configName},
		"no weights":          {map[string]string{configName: `{}`}, singleName},
		"weights truncated":   {map[string]string{configName: `{}`, singleName: "1234"}, singleName},
		"no weight_map":       {map[string]string{configName: `{}`, indexName: `{}`}, "weight_map"},
		"index is no object":  {index(`[]`), "object"},
		"shard missing":       {index(`{"a":"c.safetensors"}`), "c.safetensors"},
		"tensor not in shard": {index(`{"b":"a.safetensors"}`), `"b"`},
		"tensor twice":        {index(`{"a":"a.safetensors","a":"b.safetensors"}`), "twice"},
		"shard not a string":  {index(`{"a":1}`), `"a"`},
		"parent folder":       {index(`{"a":"../a.safetensors"}`), "same folder"},
		"absolute":            {index(`{"a":"/a.safetensors"}`), "same folder"},
		"backslash":           {index(`{"a":"..\\a.safetensors"}`), "same folder"},
		"drive":               {index(`{"a":"c:a.safetensors"}`), "same folder"},
		"other file":          {index(`{"a":"config.json"}`), "same folder"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := files(t, c.texts)
			s, err := Open(dir)
			if err == nil {
				s.Close()
				t.Fatal("opened")
			}
			if !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), dir) {
				t.Errorf("%v does not name %q", err, c.want)
			}
		})
	}
}

func TestOpenRefusesOtherPaths(t *testing.T) {
	file := filepath.Join(t.TempDir(), "model.bin")
	if err := os.WriteFile(file, []byte("weights"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(file); err == nil || !strings.Contains(err.Error(), ".gguf") {
		t.Errorf("got %v", err)
	}
	if _, err := Open(file + "x"); !os.IsNotExist(unwrap(err)) {
		t.Errorf("got %v", err)
	}
}

func unwrap(err error) error {
	if u, ok := err.(interface{ Unwrap() error }); ok {
		return u.Unwrap()
	}
	return err
}

func TestOpenFSGGUF(t *testing.T) {
	data, err := os.ReadFile("testdata/gguf/llama3-mixed.gguf")
	if err != nil {
		t.Fatal(err)
	}
	s, err := OpenFS(fstest.MapFS{"m.gguf": {Data: data}}, "m.gguf")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var config struct {
		BOS int `json:"bos_token_id"`
		EOS int `json:"eos_token_id"`
	}
	if err := json.Unmarshal(s.Config(), &config); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(config); got != "{380 383}" {
		t.Errorf("bos and eos are %s", got)
	}
}

// TestGoldensGGUFModels opens every checkpoint among the goldens and reads every tensor.
func TestGoldensGGUFModels(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join(goldens(), "models", "*"))
	if err != nil || len(folders) == 0 {
		t.Fatalf("no models: %v", err)
	}
	for _, dir := range folders {
		s, err := Open(dir)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, tensor := range s.Tensors() {
			read(t, s, tensor.Name, tensor.Shape)
		}
		if len(s.Tensors()) == 0 {
			t.Errorf("%s: no tensors", dir)
		}
		s.Close()
	}
}
