package model_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/model"
)

// renameTokens gives tokens of a copy of the base other texts.
func renameTokens(t *testing.T, dir string, names map[string]string) {
	t.Helper()
	for _, file := range []string{"tokenizer.json", "tokenizer_config.json"} {
		path := filepath.Join(dir, file)
		data, err := os.ReadFile(path)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		for from, to := range names {
			a, _ := json.Marshal(from)
			b, _ := json.Marshal(to)
			text = strings.ReplaceAll(text, strings.Trim(string(a), `"`), strings.Trim(string(b), `"`))
		}
		writeFile(t, path, []byte(text))
	}
}

// endsOf are the end tokens of a model, with what says so, by the model's own account.
func endsOf(t *testing.T, name string) (map[int][]string, *model.Model) {
	t.Helper()
	m := openModel(t, name)
	got, listed := map[int][]string{}, []int(nil)
	for _, e := range m.Ends() {
		got[e.ID], listed = e.From, append(listed, e.ID)
		if text, _ := m.Tokenizer.Token(e.ID); text != e.Text {
			t.Errorf("end token %d is written %q, want %q", e.ID, e.Text, text)
		}
	}
	if !slices.Equal(listed, m.Stop()) {
		t.Errorf("answers stop at %v, and the ends are %v", m.Stop(), listed)
	}
	return got, m
}

const (
	byGeneration = "generation_config.json"
	byConfig     = "config.json"
	byTokens     = "tokenizer_config.json"
	byMap        = "special_tokens_map.json"
	byText       = "its text, as llama.cpp finds it"
	byTemplate   = "the chat template, which closes answers with it"
)

// TestEndsOfFolder: an answer ends with every token that any file declares, with those known by their texts, and with the one that the chat
// template closes it with. The base's tokens are <|end|> 0, <|user|> 1 and <|assistant|> 2.
func TestEndsOfFolder(t *testing.T) {
	const closes = `{% for m in messages %}{{ m.content }}CLOSE{% endfor %}`
	for name, c := range map[string]struct {
		files   map[string]string // in place of the base's
		renamed map[string]string
		want    map[int][]string
		note    string
	}{
		"all agree":      {nil, nil, map[int][]string{0: {byGeneration, byConfig, byTokens, byText, byTemplate}}, ""},
		"a list":         {map[string]string{byGeneration: `{"eos_token_id":[2,1]}`}, nil, map[int][]string{2: {byGeneration}, 1: {byGeneration}, 0: {byConfig, byTokens, byText, byTemplate}}, ""},
		"null":           {map[string]string{byGeneration: `{"eos_token_id":null}`}, nil, map[int][]string{0: {byConfig, byTokens, byText, byTemplate}}, ""},
		"no such file":   {map[string]string{byGeneration: ""}, nil, map[int][]string{0: {byConfig, byTokens, byText, byTemplate}}, ""},
		"token's object": {map[string]string{byTokens: `{"eos_token":{"content":"<|user|>"}}`}, nil, map[int][]string{0: {byGeneration, byConfig, byText}, 1: {byTokens}}, ""},
		"the map alone":  {map[string]string{byTokens: "{}", byMap: `{"eos_token":"<|user|>"}`}, nil, map[int][]string{0: {byGeneration, byConfig, byText}, 1: {byMap}}, ""},
		"the template's own": {
			map[string]string{"chat_template.jinja": strings.Replace(closes, "CLOSE", "<|user|>\n", 1)},
			nil,
			map[int][]string{0: {byGeneration, byConfig, byTokens, byText}, 1: {byTemplate}},
			"",
		},
		"the template's, after white space": {
			map[string]string{"chat_template.jinja": strings.Replace(closes, "CLOSE", " \n<|assistant|><|end|>", 1)},
			nil,
			map[int][]string{0: {byGeneration, byConfig, byTokens, byText}, 2: {byTemplate}},
			"",
		},
		"by text": {
			nil,
			map[string]string{"<|user|>": "<|im_end|>"},
			map[int][]string{0: {byGeneration, byConfig, byTokens, byText, byTemplate}, 1: {byText}},
			"",
		},
		"closed by no token": {
			map[string]string{"chat_template.jinja": strings.Replace(closes, "CLOSE", "\n### Human:", 1)},
			nil,
			map[int][]string{0: {byGeneration, byConfig, byTokens, byText}},
			`closes an answer with "### Human:", which is no token`,
		},
		"closed by nothing": {
			map[string]string{"chat_template.jinja": strings.Replace(closes, "CLOSE", "\n", 1)},
			nil,
			map[int][]string{0: {byGeneration, byConfig, byTokens, byText}},
			`closes an answer with nothing: answers end only where the model writes "<|end|>"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := copyBase(t, "config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "generation_config.json")
			renameTokens(t, dir, c.renamed)
			for file, text := range c.files {
				if path := filepath.Join(dir, file); text != "" {
					writeFile(t, path, []byte(text))
				} else if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			}
			got, m := endsOf(t, dir)
			if !maps.EqualFunc(got, c.want, slices.Equal) {
				t.Errorf("answers end with %v, want %v", got, c.want)
			}
			if notes := strings.Join(m.Notes(), "\n"); c.note == "" && notes != "" || !strings.Contains(notes, c.note) {
				t.Errorf("notes %q, want %q", notes, c.note)
			}
		})
	}
}

// TestEndsOfGGUF: files of llama.cpp's converter have one end token; the others are found by their texts, those of a message in the harmony
// format left out, and by the template.
func TestEndsOfGGUF(t *testing.T) {
	eos, eot, eom := "tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"
	for name, c := range map[string]struct {
		names map[int]string // of tokens; the base's template closes with token 0, whatever it is called
		meta  ggufParts
		want  map[int][]string
	}{
		"Phi-3":    {map[int]string{0: "<|end|>", 3: "<|endoftext|>"}, ggufParts{eos: uint32(3)}, map[int][]string{3: {eos, byText}, 0: {byText, byTemplate}}},
		"Gemma 3":  {map[int]string{0: "<end_of_turn>", 3: "<eos>"}, ggufParts{eos: uint32(3)}, map[int][]string{3: {eos, byText}, 0: {byText, byTemplate}}},
		"Llama 3":  {map[int]string{0: "<|eot_id|>", 3: "<|end_of_text|>", 4: "<|eom_id|>"}, ggufParts{eos: uint32(0), eot: uint32(0), eom: uint32(4)}, map[int][]string{0: {eos, eot, byText, byTemplate}, 3: {byText}, 4: {eom, byText}}},
		"Qwen":     {map[int]string{0: "<|im_end|>", 3: "<|endoftext|>", 4: "<|fim_pad|>", 5: "<|repo_name|>", 6: "<|file_sep|>"}, ggufParts{eos: uint32(0)}, map[int][]string{0: {eos, byText, byTemplate}, 3: {byText}, 4: {byText}, 5: {byText}, 6: {byText}}},
		"harmony":  {map[int]string{0: "<|other|>", 3: "<|end|>", 4: "<|return|>", 5: "<|call|>"}, ggufParts{eos: uint32(4)}, map[int][]string{4: {eos, byText}, 5: {byText}, 0: {byTemplate}}},
		"no end":   {map[int]string{0: "<|other|>", 3: "</s>", 4: "<|tool_response>"}, ggufParts{eos: uint32(1)}, map[int][]string{1: {eos}, 4: {byText}, 0: {byTemplate}}},
		"DeepSeek": {map[int]string{0: "<｜end▁of▁sentence｜>"}, ggufParts{eos: uint32(0)}, map[int][]string{0: {eos, byText, byTemplate}}},
	} {
		t.Run(name, func(t *testing.T) {
			meta := baseMeta().withTokenizer(t)
			tokens, types := meta["tokenizer.ggml.tokens"].([]string), meta["tokenizer.ggml.token_type"].([]int32)
			template := strings.ReplaceAll(meta["tokenizer.chat_template"].(string), "<|end|>", c.names[0])
			for id, text := range c.names {
				tokens[id], types[id] = text, 3
			}
			meta["tokenizer.chat_template"], meta["tokenizer.ggml.merges"] = template, []string{}
			maps.Copy(meta, c.meta)
			got, m := endsOf(t, meta.write(t, filepath.Join(t.TempDir(), "a.gguf")))
			if !maps.EqualFunc(got, c.want, slices.Equal) {
				t.Errorf("answers end with %v, want %v", got, c.want)
			}
			if len(m.Notes()) != 0 {
				t.Errorf("notes %q", m.Notes())
			}
		})
	}
}
