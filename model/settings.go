package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"parley/tokenizer"
)

// settings are what a checkpoint says beside weights and tokenizer.
type settings struct {
	stop     []int
	template string // Jinja source; empty: the model has none
	bos, eos string
}

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

// text is a token as tokenizer_config.json writes it: a string, or an object with its content.
type text string

func (t *text) UnmarshalJSON(data []byte) error {
	var object struct {
		Content string `json:"content"`
	}
	if json.Unmarshal(data, (*string)(t)) == nil {
		return nil
	}
	err := json.Unmarshal(data, &object)
	*t = text(object.Content)
	return err
}

// readSettings reads generation_config.json, config.json, tokenizer_config.json and chat_template.jinja of a folder. Only
// config.json must exist.
func readSettings(folder fs.FS) (settings, error) {
	var s settings
	var generation, config struct {
		EOS ids `json:"eos_token_id"`
	}
	var tok struct {
		Template json.RawMessage `json:"chat_template"`
		BOS      text            `json:"bos_token"`
		EOS      text            `json:"eos_token"`
	}
	if err := readJSON(folder, "config.json", &config); err != nil {
		return s, err
	}
	for name, into := range map[string]any{"generation_config.json": &generation, "tokenizer_config.json": &tok} {
		if err := readJSON(folder, name, into); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return s, err
		}
	}
	s.stop, s.bos, s.eos = generation.EOS, string(tok.BOS), string(tok.EOS)
	if len(s.stop) == 0 {
		s.stop = config.EOS
	}
	var err error
	if s.template, err = templateOf(tok.Template); err != nil {
		return s, fmt.Errorf("tokenizer_config.json: %w", err)
	}
	if data, err := fs.ReadFile(folder, "chat_template.jinja"); err == nil {
		s.template = string(data)
	}
	return s, nil
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

// templateOf reads the chat_template of tokenizer_config.json: one source, or a list of named ones whose "default" is used.
func templateOf(raw json.RawMessage) (string, error) {
	var source string
	if len(raw) == 0 || json.Unmarshal(raw, &source) == nil {
		return source, nil
	}
	var named []struct{ Name, Template string }
	if err := json.Unmarshal(raw, &named); err != nil {
		return "", fmt.Errorf("chat_template is neither a text nor a list of named texts: %w", err)
	}
	for _, n := range named {
		if n.Name == "default" {
			return n.Template, nil
		}
	}
	return "", nil
}

// ggufSettings reads the same from the metadata of a GGUF file.
func ggufSettings(meta map[string]any, t *tokenizer.Tokenizer) settings {
	var s settings
	s.template, _ = meta["tokenizer.chat_template"].(string)
	if id, ok := integer(meta["tokenizer.ggml.eos_token_id"]); ok {
		s.stop = append(s.stop, id)
		s.eos, _ = t.Token(id)
	}
	if id, ok := integer(meta["tokenizer.ggml.bos_token_id"]); ok {
		s.bos, _ = t.Token(id)
	}
	if id, ok := integer(meta["tokenizer.ggml.eot_token_id"]); ok && (len(s.stop) == 0 || s.stop[0] != id) {
		s.stop = append(s.stop, id)
	}
	return s
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
