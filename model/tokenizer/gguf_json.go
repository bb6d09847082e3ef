package tokenizer

import (
	"cmp"
	"encoding/json"
	"fmt"
)

// GGUFJSON writes the tokenizer of a GGUF file as a tokenizer.json. Only byte-level BPE (tokenizer.ggml.model gpt2) has all that
// it needs in the metadata; others are an error.
func GGUFJSON(meta map[string]any) ([]byte, error) {
	m := ggufMetadata(meta)
	if _, err := FromGGUF(meta); err != nil {
		return nil, err
	}
	if kind := get(m, "model", ""); kind != "gpt2" {
		return nil, fmt.Errorf("tokenizer of the GGUF file: model %q cannot be written as tokenizer.json, only gpt2 can", kind)
	}
	v, err := m.vocabulary()
	if err != nil {
		return nil, err
	}
	added, err := m.addedTokens(v)
	if err != nil {
		return nil, err
	}
	template, err := m.template(v)
	if err != nil {
		return nil, err
	}
	split := ggufSplits[cmp.Or(get(m, "pre", ""), "default")]
	ids := make(map[string]int, len(v.tokens))
	for id, token := range v.tokens {
		if v.has[id] {
			ids[token] = id
		}
	}
	out := map[string]any{
		"version": "1.0", "truncation": nil, "padding": nil, "normalizer": nil,
		"added_tokens":   addedJSON(added, ids),
		"pre_tokenizer":  map[string]any{"type": "Sequence", "pretokenizers": split.json()},
		"post_processor": template.json(v),
		"decoder":        map[string]any{"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true, "use_regex": true},
		"model": map[string]any{
			"type": "BPE", "dropout": nil, "unk_token": nil, "continuing_subword_prefix": nil, "end_of_word_suffix": nil,
			"fuse_unk": false, "byte_fallback": false, "ignore_merges": split.ignoreMerges, "vocab": ids, "merges": get(m, "merges", []string{}),
		},
	}
	if split.nfc {
		out["normalizer"] = map[string]any{"type": "NFC"}
	}
	text, err := json.Marshal(out)
	return append(text, '\n'), err
}

func addedJSON(added []Token, ids map[string]int) []any {
	list := []any{}
	for _, a := range added {
		list = append(list, map[string]any{
			"id": ids[a.Content], "content": a.Content, "special": a.Special, "normalized": false,
			"single_word": false, "lstrip": false, "rstrip": false,
		})
	}
	return list
}

// json describes the splits of the text, then of its bytes.
func (s ggufSplit) json() []any {
	list := []any{}
	for _, p := range s.patterns {
		list = append(list, map[string]any{"type": "Split", "pattern": map[string]any{"Regex": p}, "behavior": "Isolated", "invert": false})
	}
	return append(list, map[string]any{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": false})
}

// json describes what is put around a text.
func (t template) json(v vocabulary) any {
	var single, pair []any
	special := map[string]any{}
	for _, part := range t {
		if part.text {
			single = append(single, map[string]any{"Sequence": map[string]any{"id": "A", "type_id": 0}})
			continue
		}
		name := v.tokens[part.id]
		single = append(single, map[string]any{"SpecialToken": map[string]any{"id": name, "type_id": 0}})
		special[name] = map[string]any{"id": name, "ids": []int{part.id}, "tokens": []string{name}}
	}
	pair = append(append(pair, single...), map[string]any{"Sequence": map[string]any{"id": "B", "type_id": 1}})
	return map[string]any{"type": "TemplateProcessing", "single": single, "pair": pair, "special_tokens": special}
}
