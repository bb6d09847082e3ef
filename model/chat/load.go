package chat

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"parley/model/chat/jinja"
	"parley/model/tokenizer"
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

// The files of templates. Where one of them is there, tokenizer_config.json's are not read.
const (
	configName = "tokenizer_config.json"
	fileName   = "chat_template.jinja"
	folderName = "additional_chat_templates"
	byDefault  = "default"
	withTools  = "tool_use"
	extension  = ".jinja"
)

// LoadFS reads the chat templates of a folder in Hugging Face layout: chat_template.jinja, which is the default, and those of the folder
// additional_chat_templates; else the entry chat_template of tokenizer_config.json. The tokens that templates may print are those that the
// files name.
func LoadFS(fsys fs.FS, dir string) (*Template, error) {
	sources, from, err := read(fsys, dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	t, err := parseNamed(sources)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	declared, err := tokenizer.ReadDeclared(fsys, dir)
	if err != nil {
		return nil, err
	}
	t.Tokens = declared.Texts()
	return t, nil
}

// DefaultName is the name of the template that is chosen where nothing else is asked for.
const DefaultName = byDefault

// SourcesFS returns the texts of the templates that [LoadFS] reads, by their names. [DefaultName] is among them.
func SourcesFS(fsys fs.FS, dir string) (map[string]string, error) {
	sources, from, err := read(fsys, dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	if _, ok := sources[byDefault]; !ok {
		return nil, fmt.Errorf("%s: %w", from, noDefault(sources))
	}
	return sources, nil
}

// read returns the texts of templates by their names, and the file that they are from.
func read(fsys fs.FS, dir string) (sources map[string]string, from string, err error) {
	if sources, from, err = readFiles(fsys, dir); err != nil || len(sources) > 0 {
		return sources, from, err
	}
	var config struct {
		Template json.RawMessage `json:"chat_template"`
	}
	text, err := fs.ReadFile(fsys, path.Join(dir, configName))
	if err == nil {
		err = json.Unmarshal(text, &config)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, configName, err
	}
	sources, err = configTemplates(config.Template)
	return sources, configName, err
}

// readFiles reads the templates that are files of their own.
func readFiles(fsys fs.FS, dir string) (sources map[string]string, from string, err error) {
	sources = map[string]string{}
	text, err := fs.ReadFile(fsys, path.Join(dir, fileName))
	if err == nil {
		sources[byDefault] = string(text)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, fileName, err
	}
	entries, err := fs.ReadDir(fsys, path.Join(dir, folderName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, folderName, err
	}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), extension)
		if !ok {
			continue
		}
		text, err := fs.ReadFile(fsys, path.Join(dir, folderName, e.Name()))
		if err != nil {
			return nil, path.Join(folderName, e.Name()), err
		}
		sources[name] = string(text)
	}
	return sources, fileName, nil
}

// configTemplates are those of the entry chat_template: one template, a list of named ones, or an object of them.
func configTemplates(entry json.RawMessage) (map[string]string, error) {
	if len(entry) == 0 || string(entry) == "null" {
		return nil, ErrNoTemplate
	}
	var one string
	if json.Unmarshal(entry, &one) == nil {
		return map[string]string{byDefault: one}, nil
	}
	sources := map[string]string{}
	if json.Unmarshal(entry, &sources) == nil {
		return sources, nil
	}
	var list []struct{ Name, Template string }
	if err := json.Unmarshal(entry, &list); err != nil {
		return nil, fmt.Errorf("chat_template: %w", err)
	}
	for _, named := range list {
		sources[named.Name] = named.Template
	}
	if len(sources) == 0 {
		return nil, fmt.Errorf("chat_template: none is listed: %w", ErrNoTemplate)
	}
	return sources, nil
}

// parseNamed parses the templates that are ever chosen. Where one for tools cannot be parsed, only conversations with tools fail.
func parseNamed(sources map[string]string) (*Template, error) {
	t := &Template{missing: noDefault(sources)}
	if source, ok := sources[byDefault]; ok {
		var err error
		if t, err = Parse(source); err != nil {
			return nil, err
		}
	}
	if source, ok := sources[withTools]; ok {
		t.tools = &toolsTemplate{source: source}
		t.tools.program, t.tools.err = jinja.Parse(source)
	}
	return t, nil
}

// noDefault is the error of a model that has templates, but none for a plain conversation.
func noDefault(sources map[string]string) error {
	return fmt.Errorf("the model's chat templates are %s: none is named default", strings.Join(slices.Sorted(maps.Keys(sources)), ", "))
}

// FromGGUF reads the chat template in the metadata of a GGUF file, and the tokens that it may print.
func FromGGUF(metadata map[string]any) (*Template, error) {
	source, ok := metadata["tokenizer.chat_template"].(string)
	if !ok {
		return nil, ErrNoTemplate
	}
	sources := map[string]string{byDefault: source}
	if source, ok := metadata["tokenizer.chat_template."+withTools].(string); ok {
		sources[withTools] = source
	}
	t, err := parseNamed(sources)
	if err != nil {
		return nil, err
	}
	tokens, _ := metadata["tokenizer.ggml.tokens"].([]string)
	t.Tokens = map[string]string{}
	for name, key := range ggufNames {
		if id, ok := metadata["tokenizer.ggml."+key+"_token_id"].(uint32); ok && int64(id) < int64(len(tokens)) {
			t.Tokens[name] = tokens[id]
		}
	}
	return t, nil
}

// ggufNames are the keys of named tokens in GGUF files.
var ggufNames = map[string]string{
	"bos_token": "bos", "eos_token": "eos", "unk_token": "unknown", "sep_token": "separator", "pad_token": "padding", "cls_token": "cls", "mask_token": "mask",
}
