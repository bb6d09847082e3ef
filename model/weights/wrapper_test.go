package weights

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/model/weights/safetensors"
)

// wrapped writes a Gemma 3 that reads images, with tensors of these names; each has one value, its number.
func wrapped(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	config := `{"model_type":"gemma3","eos_token_id":[1,106],"tie_word_embeddings":false,"text_config":{"hidden_size":1},"vision_config":{"hidden_size":2}}`
	if err := os.WriteFile(filepath.Join(dir, configName), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	var tensors []safetensors.Output
	for i, name := range names {
		tensors = append(tensors, safetensors.Output{Tensor: Tensor{Name: name, Shape: []int{1}, DType: "F32"}, Data: []float32{float32(i)}})
	}
	if err := safetensors.Write(filepath.Join(dir, singleName), tensors, nil); err != nil {
		t.Fatal(err)
	}
	return dir
}

// The text model inside a model that reads images comes out as a plain one, by either way of naming; the rest is left out, and said.
func TestTextModelOfWrapper(t *testing.T) {
	for name, names := range map[string][]string{
		"as the Hub names them":          {"language_model.model.norm.weight", "language_model.lm_head.weight", "vision_tower.x.weight", "multi_modal_projector.y"},
		"as transformers 4.52 and later": {"model.language_model.norm.weight", "lm_head.weight", "model.vision_tower.x.weight", "model.multi_modal_projector.y"},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Open(wrapped(t, names...))
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if got := s.Tensors(); len(got) != 2 {
				t.Errorf("tensors %v", got)
			}
			if got := read(t, s, "model.norm.weight", []int{1}); got[0] != 0 {
				t.Errorf("norm %v", got)
			}
			row := make([]float32, 1)
			if err := s.(RowReader).Rows("lm_head.weight", 0, row); err != nil || row[0] != 1 {
				t.Errorf("head %v, error %v", row, err)
			}
			var c struct {
				ModelType string `json:"model_type"`
				Hidden    int    `json:"hidden_size"`
				EOS       []int  `json:"eos_token_id"`
			}
			if err := json.Unmarshal(s.Config(), &c); err != nil || c.ModelType != "gemma3_text" || c.Hidden != 1 || len(c.EOS) != 2 {
				t.Errorf("config %s, error %v", s.Config(), err)
			}
			if notes := strings.Join(Notes(s), "; "); !strings.Contains(notes, "2 tensors that only images need") {
				t.Errorf("notes: %s", notes)
			}
		})
	}
}

func TestWrapperRefusesTwins(t *testing.T) {
	_, err := Open(wrapped(t, "model.language_model.norm.weight", "language_model.model.norm.weight"))
	if err == nil || !strings.Contains(err.Error(), "model.norm.weight") {
		t.Errorf("error %v", err)
	}
}
