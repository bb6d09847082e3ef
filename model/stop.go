package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
)

// ids is a token id or a list of them, as configs have it.
type ids []int

func (i *ids) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	var one int
	if json.Unmarshal(data, &one) == nil {
		*i = ids{one}
		return nil
	}
	return json.Unmarshal(data, (*[]int)(i))
}

// stopTokens reads the end tokens of a folder: those of generation_config.json, else those of config.json, which must exist.
func stopTokens(folder fs.FS) ([]int, error) {
	var generation, config struct {
		EOS ids `json:"eos_token_id"`
	}
	if err := readJSON(folder, "config.json", &config); err != nil {
		return nil, err
	}
	if err := readJSON(folder, "generation_config.json", &generation); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if len(generation.EOS) > 0 {
		return generation.EOS, nil
	}
	return config.EOS, nil
}

func readJSON(folder fs.FS, name string, into any) error {
	data, err := fs.ReadFile(folder, name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// ggufStopTokens reads the end tokens from the metadata of a GGUF file: the end of text, and the end of a turn where it differs.
func ggufStopTokens(meta map[string]any) []int {
	var stop []int
	for _, key := range []string{"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id"} {
		if id, ok := integer(meta[key]); ok && (len(stop) == 0 || stop[0] != id) {
			stop = append(stop, id)
		}
	}
	return stop
}

// integer reads a number of any of GGUF's integer types.
func integer(v any) (int, bool) {
	switch n := v.(type) {
	case uint8:
		return int(n), true
	case int8:
		return int(n), true
	case uint16:
		return int(n), true
	case int16:
		return int(n), true
	case uint32:
		return int(n), true
	case int32:
		return int(n), true
	case uint64:
		return int(n), true
	case int64:
		return int(n), true
	}
	return 0, false
}
