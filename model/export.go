package model

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"parley/internal/folder"
	"parley/model/chat"
	"parley/model/tokenizer"
	"parley/model/weights"
)

// companions are the files of a Hugging Face folder that belong to a model beside config.json and its weights.
var companions = []string{
	"generation_config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json",
	"vocab.json", "merges.txt", "tokenizer.model", "chat_template.jinja", "chat_template.json",
}

// namedTemplates are the files of chat templates beside the default one.
const namedTemplates = "additional_chat_templates/*.jinja"

// Export writes src, weights that were made from the model's own, into the folder dir, which exists, as a checkpoint in Hugging
// Face layout with the model's tokenizer, chat template and generation settings. dtype is as in [weights.Write].
//
// A GGUF file brings these parts in another form. They are translated where they can be; the error names the one that
// cannot.
func (m *Model) Export(dir string, src weights.Source, dtype string) error {
	err := m.writeCompanions(dir)
	if err == nil {
		err = weights.Write(dir, src, dtype)
	}
	if err != nil {
		return fmt.Errorf("export model %s: %w", m.Name, err)
	}
	return nil
}

func (m *Model) writeCompanions(dir string) error {
	if g, isGGUF := m.Source.(*weights.GGUF); isGGUF {
		return writeFromGGUF(dir, g.Metadata(), m.stop)
	}
	return copyCompanions(dir, m.folder)
}

func copyCompanions(dir string, from fs.FS) error {
	named, err := fs.Glob(from, namedTemplates)
	if err != nil {
		return err
	}
	if len(named) > 0 {
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(path.Dir(namedTemplates))), 0o755); err != nil {
			return err
		}
	}
	for _, name := range slices.Concat(companions, named) {
		data, err := fs.ReadFile(from, name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = folder.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// writeFromGGUF writes tokenizer.json, tokenizer_config.json with the chat template, and generation_config.json.
func writeFromGGUF(dir string, meta map[string]any, stop []int) error {
	text, err := tokenizer.GGUFJSON(meta)
	if err != nil {
		return fmt.Errorf("%w; use the Hugging Face folder of the model as its base", err)
	}
	config := map[string]any{"tokenizer_class": "PreTrainedTokenizerFast", "clean_up_tokenization_spaces": false}
	if templates := templatesOf(meta); templates != nil {
		config["chat_template"] = templates
	}
	tokens, _ := meta["tokenizer.ggml.tokens"].([]string)
	for key, name := range map[string]string{"bos": "bos_token", "eos": "eos_token", "padding": "pad_token", "unknown": "unk_token"} {
		if id, ok := integer(meta["tokenizer.ggml."+key+"_token_id"]); ok && id >= 0 && id < len(tokens) {
			config[name] = strings.ToValidUTF8(tokens[id], "\uFFFD")
		}
	}
	return errors.Join(folder.WriteFile(filepath.Join(dir, "tokenizer.json"), text), folder.WriteJSON(filepath.Join(dir, "tokenizer_config.json"), config),
		folder.WriteJSON(filepath.Join(dir, "generation_config.json"), map[string]any{"eos_token_id": stop}))
}

// templatesOf are the chat templates in the metadata of a GGUF file as tokenizer_config.json has them: a text, or a list where some have
// names; nil: there is none.
func templatesOf(meta map[string]any) any {
	const key = "tokenizer.chat_template"
	byDefault, ok := meta[key].(string)
	if !ok {
		return nil
	}
	list := []map[string]string{{"name": chat.DefaultName, "template": byDefault}}
	for _, k := range slices.Sorted(maps.Keys(meta)) {
		name, named := strings.CutPrefix(k, key+".")
		if text, ok := meta[k].(string); ok && named {
			list = append(list, map[string]string{"name": name, "template": text})
		}
	}
	if len(list) == 1 {
		return byDefault
	}
	return list
}
