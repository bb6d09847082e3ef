package weights

import (
	"bytes"
	"encoding/json"
	"fmt"

	"parley/model/config"
)

// ropeFreqsKey is the member of a GGUF file's config.json that says that there is a tensor of frequency factors.
const ropeFreqsKey = "parley_rope_freqs"

// torchTypes are the element types as config.json has them.
var torchTypes = map[string]string{"F32": "float32", "BF16": "bfloat16", "F16": "float16"}

// writtenConfig is the config.json of src with the element type of the tensors as they are written: that of the embedding.
func writtenConfig(src Source, tensors []Tensor) ([]byte, error) {
	var written map[string]any
	dec := json.NewDecoder(bytes.NewReader(src.Config()))
	dec.UseNumber()
	if err := dec.Decode(&written); err != nil {
		return nil, fmt.Errorf("%s: %w", configName, err)
	}
	key := "torch_dtype"
	if _, five := written["dtype"]; five {
		key = "dtype"
	}
	for _, t := range tensors {
		if t.Name == "model.embed_tokens.weight" {
			written[key] = torchTypes[t.DType]
		}
	}
	if _, ok := written[ropeFreqsKey]; ok {
		delete(written, ropeFreqsKey)
		if err := restoreScaling(src, written); err != nil {
			return nil, err
		}
	}
	text, err := json.MarshalIndent(written, "", "  ")
	return append(text, '\n'), err
}

// restoreScaling finds the rope_scaling that a tensor of frequency factors was made from.
func restoreScaling(src Source, written map[string]any) error {
	var c struct {
		HeadDim int     `json:"head_dim"`
		Theta   float64 `json:"rope_theta"`
	}
	if err := json.Unmarshal(src.Config(), &c); err != nil {
		return err
	}
	factors := make([]float32, max(1, c.HeadDim/2))
	if err := src.Float32(ropeFreqs, factors); err != nil {
		return err
	}
	if scaling, ok := config.Llama3Scaling(factors, c.Theta); ok {
		written["rope_scaling"] = scaling
		return nil
	}
	return fmt.Errorf("the rotary frequencies come from tensor %s of a GGUF file, and no rope_scaling of config.json makes them; "+
		"use the Hugging Face folder of the model as its base", ropeFreqs)
}
