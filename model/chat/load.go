package chat

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
)

// ChatML is the template of models that come without one: each message between <|im_start|>role and <|im_end|>.
const ChatML = `{%- for message in messages %}
{{- '<|im_start|>' + message.role + '\n' }}
{%- if message.role == 'assistant' %}
{%- generation %}{{ message.content + '<|im_end|>' }}{% endgeneration %}
{%- else %}
{{- message.content + '<|im_end|>' }}
{%- endif %}
{{- '\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
{{- '<|im_start|>assistant\n' }}
{%- endif %}`

// ErrNoTemplate is wrapped by the errors of [LoadFS] and [FromGGUF] for a model that comes without a chat template.
var ErrNoTemplate = errors.New("the model has no chat template")

// LoadFS reads the chat template of a folder in Hugging Face layout: chat_template.jinja, else the entry chat_template of
// tokenizer_config.json. The tokens bos_token and eos_token come from the latter.
func LoadFS(fsys fs.FS, dir string) (*Template, error) {
	config, source, from, err := read(fsys, dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	t, err := Parse(source)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	t.BOS, t.EOS = string(config.BOS), string(config.EOS)
	return t, nil
}

// SourceFS returns the text of the template that [LoadFS] reads.
func SourceFS(fsys fs.FS, dir string) (string, error) {
	_, source, from, err := read(fsys, dir)
	if err != nil {
		return "", fmt.Errorf("%s: %w", from, err)
	}
	return source, nil
}

// tokenizerConfig is the part of tokenizer_config.json that is read.
type tokenizerConfig struct {
	Template json.RawMessage `json:"chat_template"`
	BOS      specialToken    `json:"bos_token"`
	EOS      specialToken    `json:"eos_token"`
}

// read returns tokenizer_config.json, the text of the template, and the file that it is from.
func read(fsys fs.FS, dir string) (config tokenizerConfig, source, from string, err error) {
	const configName, fileName = "tokenizer_config.json", "chat_template.jinja"
	text, err := fs.ReadFile(fsys, path.Join(dir, configName))
	if err == nil {
		err = json.Unmarshal(text, &config)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return config, "", configName, err
	}
	text, err = fs.ReadFile(fsys, path.Join(dir, fileName))
	if !errors.Is(err, fs.ErrNotExist) {
		return config, string(text), fileName, err
	}
	text, err = configTemplate(config.Template)
	return config, string(text), configName, err
}

// specialToken is a token in tokenizer_config.json: its text, or an object with it.
type specialToken string

// UnmarshalJSON reads both forms.
func (s *specialToken) UnmarshalJSON(data []byte) error {
	var object struct{ Content string }
	if json.Unmarshal(data, &object) == nil {
		*s = specialToken(object.Content)
		return nil
	}
	return json.Unmarshal(data, (*string)(s))
}

// configTemplate is the entry chat_template: one template, or a list of named ones of which "default" is meant.
func configTemplate(entry json.RawMessage) ([]byte, error) {
	if len(entry) == 0 || string(entry) == "null" {
		return nil, ErrNoTemplate
	}
	var one string
	if json.Unmarshal(entry, &one) == nil {
		return []byte(one), nil
	}
	var list []struct{ Name, Template string }
	if err := json.Unmarshal(entry, &list); err != nil {
		return nil, fmt.Errorf("chat_template: %w", err)
	}
	for _, named := range list {
		if named.Name == "default" {
			return []byte(named.Template), nil
		}
	}
	return nil, fmt.Errorf(`chat_template: none is named "default": %w`, ErrNoTemplate)
}

// FromGGUF reads the chat template in the metadata of a GGUF file, and the tokens that it may print.
func FromGGUF(metadata map[string]any) (*Template, error) {
	source, ok := metadata["tokenizer.chat_template"].(string)
	if !ok {
		return nil, ErrNoTemplate
	}
	t, err := Parse(source)
	if err != nil {
		return nil, err
	}
	tokens, _ := metadata["tokenizer.ggml.tokens"].([]string)
	token := func(key string) string {
		id, ok := metadata["tokenizer.ggml."+key].(uint32)
		if !ok || int64(id) >= int64(len(tokens)) {
			return ""
		}
		return tokens[id]
	}
	t.BOS, t.EOS = token("bos_token_id"), token("eos_token_id")
	return t, nil
}
