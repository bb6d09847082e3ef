package weights

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/model/config"
	"parley/model/modeltest"
	"parley/model/weights/safetensors"
)

// headFolder is a checkpoint of an embedding and a head alone, each stored in a type; an empty type: it is not there.
func headFolder(t *testing.T, change map[string]any, embedding, head string, headValues []float32) string {
	t.Helper()
	dir := t.TempDir()
	text, err := modeltest.Tiny().JSON()
	if err != nil {
		t.Fatal(err)
	}
	var c map[string]any
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	for key, v := range change {
		if c[key] = v; v == nil {
			delete(c, key)
		}
	}
	if text, err = json.Marshal(c); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, configName), text, 0o600); err != nil {
		t.Fatal(err)
	}
	shape := []int{modeltest.Tiny().Vocab, modeltest.Tiny().Hidden}
	var tensors []Tensor
	for name, dtype := range map[string]string{embeddingName: embedding, headName: head} {
		if dtype != "" {
			tensors = append(tensors, Tensor{Name: name, Shape: shape, DType: dtype})
		}
	}
	err = safetensors.WriteFrom(filepath.Join(dir, singleName), tensors, nil, func(name string, dst []float32) error {
		copy(dst, embeddingValues())
		if name == headName && headValues != nil {
			copy(dst, headValues)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// embeddingValues are numbers that every type holds exactly.
func embeddingValues() []float32 {
	x := make([]float32, modeltest.Tiny().Vocab*modeltest.Tiny().Hidden)
	for i := range x {
		x[i] = float32(i%13-6) / 4
	}
	return x
}

// TestTiedHead: what transformers 5 makes of tie_word_embeddings and of the two matrices that are there or not.
func TestTiedHead(t *testing.T) {
	other := embeddingValues()
	other[len(other)-1] += 0.25
	for name, c := range map[string]struct {
		change          map[string]any
		embedding, head string
		values          []float32 // of the head; nil: those of the embedding
		tied, noted     bool
		want            []string // tensors
	}{
		"no head":            {nil, "F32", "", nil, true, false, []string{embeddingName}},
		"equal":              {nil, "F32", "F32", nil, true, false, []string{embeddingName}},
		"equal, other type":  {nil, "BF16", "F32", nil, true, false, []string{embeddingName}},
		"different":          {nil, "F32", "F32", other, false, true, []string{headName, embeddingName}},
		"different, bf16":    {nil, "BF16", "BF16", other, false, true, []string{headName, embeddingName}},
		"different, mixed":   {nil, "F16", "BF16", other, false, true, []string{headName, embeddingName}},
		"tied by the family": {map[string]any{"model_type": "smollm3", "tie_word_embeddings": nil}, "F32", "F32", other, false, true, []string{headName, embeddingName}},
		"the head alone":     {nil, "", "F32", other, true, false, []string{embeddingName}},
		"untied":             {map[string]any{"tie_word_embeddings": false}, "F32", "F32", nil, false, false, []string{headName, embeddingName}},
		"untied, by default": {map[string]any{"tie_word_embeddings": nil}, "F32", "F32", other, false, false, []string{headName, embeddingName}},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Open(headFolder(t, c.change, c.embedding, c.head, c.values))
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			shape, err := config.Parse(s.Config())
			if err != nil || shape.Tied != c.tied {
				t.Errorf("tied %v, want %v (%v)", shape.Tied, c.tied, err)
			}
			var names []string
			for _, tensor := range s.Tensors() {
				names = append(names, tensor.Name)
			}
			if !slices.Equal(names, c.want) {
				t.Errorf("tensors %v, want %v", names, c.want)
			}
			if noted := len(Notes(s)) == 1 && strings.Contains(Notes(s)[0], headName); noted != c.noted {
				t.Errorf("notes %q", Notes(s))
			}
			want := embeddingValues()
			if c.values != nil {
				want = c.values
			}
			if got := read(t, s, c.want[0], []int{modeltest.Tiny().Vocab, modeltest.Tiny().Hidden}); !slices.Equal(got, want) {
				t.Errorf("%s has other values", c.want[0])
			}
		})
	}
}

// TestHeadIsMissing: a model without a head, where none is said to be the embedding, would answer at random.
func TestHeadIsMissing(t *testing.T) {
	_, err := Open(headFolder(t, map[string]any{"tie_word_embeddings": false}, "F32", "", nil))
	if err == nil || !strings.Contains(err.Error(), `"tie_word_embeddings": true`) {
		t.Errorf("the error is %v", err)
	}
}

// TestWriteSettledHead: what is written says the same: a head of its own, and a config.json that has it.
func TestWriteSettledHead(t *testing.T) {
	other := embeddingValues()
	other[0]++
	s, err := Open(headFolder(t, nil, "F32", "F32", other))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	dir := t.TempDir()
	if err := Write(dir, s, ""); err != nil {
		t.Fatal(err)
	}
	back, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer back.Close()
	if shape, err := config.Parse(back.Config()); err != nil || shape.Tied || len(Notes(back)) != 0 || len(back.Tensors()) != 2 {
		t.Errorf("written: tied %v, tensors %v, notes %q (%v)", shape.Tied, back.Tensors(), Notes(back), err)
	}
}
