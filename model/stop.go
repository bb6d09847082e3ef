package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"parley/model/chat"
)

// An End is a token that ends an answer, with its text and with all that says that it does: files, keys, llama.cpp's list of texts, or the
// chat template, which closes answers with it.
type End struct {
	ID   int      `json:"id"`
	Text string   `json:"text"`
	From []string `json:"from"`
}

// A declaration says that a token, by its id or by its text, ends answers.
type declaration struct {
	ids  []int
	text string
	from string
}

const (
	byText     = "its text, as llama.cpp finds it"
	byTemplate = "the chat template, which closes answers with it"
)

// settleEnds finds the end tokens of an open model. Files disagree often: an answer ends with every token that one of them declares, with
// those that llama.cpp knows by their texts, and with the one that the chat template closes an answer with.
func (m *Model) settleEnds(declared []declaration) error {
	for _, d := range declared {
		for _, id := range d.ids {
			if rows := m.embeddings(); id < 0 || rows > 0 && id >= rows {
				return fmt.Errorf("%s: end token %d is no token of the model, which has %d: remove it there", d.from, id, rows)
			}
			m.addEnd(id, d.from)
		}
		if d.text == "" || m.Tokenizer == nil {
			continue
		}
		if id, ok := m.Tokenizer.ID(d.text); ok {
			m.addEnd(id, d.from)
		}
	}
	if m.Tokenizer != nil {
		m.addKnownEnds()
		m.addClosing()
	}
	m.stop = nil
	for _, e := range m.ends {
		m.stop = append(m.stop, e.ID)
	}
	return nil
}

// addEnd adds a token, or a further reason for one.
func (m *Model) addEnd(id int, from string) {
	i := slices.IndexFunc(m.ends, func(e End) bool { return e.ID == id })
	if i < 0 {
		e := End{ID: id}
		if m.Tokenizer != nil {
			e.Text, _ = m.Tokenizer.Token(id)
		}
		m.ends, i = append(m.ends, e), len(m.ends)
	}
	if !slices.Contains(m.ends[i].From, from) {
		m.ends[i].From = append(m.ends[i].From, from)
	}
}

// addClosing adds the token with which the chat template closes an answer. Where it closes answers with none, that is noted: nothing that
// the model has learned from its template ends them.
func (m *Model) addClosing() {
	if m.template == nil || m.template.chat == nil {
		return
	}
	const answer = "Yes."
	text, err := m.template.chat.Text([]chat.Turn{{Role: "user", Content: "Is it?"}, {Role: "assistant", Content: answer}}, false)
	at := strings.LastIndex(text, answer)
	if err != nil || at < 0 {
		return // whoever renders with it reports the error
	}
	rest := strings.TrimSpace(text[at+len(answer):])
	ids, err := m.Tokenizer.Encode(rest, false)
	if err != nil {
		return // whoever encodes a prompt reports the error
	}
	for _, id := range ids {
		token, _ := m.Tokenizer.Token(id)
		if m.Tokenizer.Special(id) || token != "" && strings.HasPrefix(rest, token) && marker(token) {
			m.addEnd(id, byTemplate)
			return
		}
		if strings.TrimSpace(m.Tokenizer.Decode([]int{id}, true)) != "" {
			break
		}
	}
	if rest == "" {
		m.notes = append(m.notes, fmt.Sprintf("the chat template closes an answer with nothing: answers end only where the model writes %s", m.endTexts()))
		return
	}
	m.notes = append(m.notes, fmt.Sprintf("the chat template closes an answer with %.40q, which is no token of the tokenizer: answers end only where the model writes %s", rest, m.endTexts()))
}

// marker reports texts of tokens that are written for their meaning, as <|end|> and [/INST] are.
func marker(token string) bool {
	return len(token) > 2 && (token[0] == '<' && token[len(token)-1] == '>' || token[0] == '[' && token[len(token)-1] == ']')
}

// endTexts lists the end tokens for a note.
func (m *Model) endTexts() string {
	if len(m.ends) == 0 {
		return "an end token, and none is known"
	}
	var texts []string
	for _, e := range m.ends {
		texts = append(texts, fmt.Sprintf("%q", e.Text))
	}
	return strings.Join(texts, " or ")
}

// Stop lists the tokens that end an answer.
func (m *Model) Stop() []int { return m.stop }

// Ends lists the tokens that end an answer, and what says so.
func (m *Model) Ends() []End { return m.ends }

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
	if json.Unmarshal(data, (*[]int)(i)) != nil {
		return fmt.Errorf("eos_token_id: %.60s is no token id, and no list of them", data)
	}
	return nil
}

// folderEnds reads what the files of a folder say of end tokens; config.json must be there.
func folderEnds(folder fs.FS) ([]declaration, error) {
	var generation struct {
		EOS ids `json:"eos_token_id"`
	}
	var config struct {
		EOS  ids `json:"eos_token_id"`
		Text struct {
			EOS ids `json:"eos_token_id"`
		} `json:"text_config"`
	}
	if err := readJSON(folder, "config.json", &config); err != nil {
		return nil, err
	}
	if err := readOptional(folder, "generation_config.json", &generation); err != nil {
		return nil, err
	}
	declared := []declaration{
		{ids: generation.EOS, from: "generation_config.json"}, {ids: config.EOS, from: "config.json"}, {ids: config.Text.EOS, from: "config.json, text_config"},
	}
	for _, name := range []string{"tokenizer_config.json", "special_tokens_map.json"} {
		var tokens struct {
			EOS tokenText `json:"eos_token"`
		}
		if err := readOptional(folder, name, &tokens); err != nil {
			return nil, err
		}
		declared = append(declared, declaration{text: string(tokens.EOS), from: name})
	}
	return declared, nil
}

// tokenText is the text of a token, as a string or in an object.
type tokenText string

func (s *tokenText) UnmarshalJSON(data []byte) error {
	var object struct{ Content string }
	if json.Unmarshal(data, &object) == nil {
		*s = tokenText(object.Content)
		return nil
	}
	return json.Unmarshal(data, (*string)(s))
}

// readOptional is readJSON of a file that need not be there.
func readOptional(folder fs.FS, name string, into any) error {
	if err := readJSON(folder, name, into); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
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

// ggufEnds reads what the metadata of a GGUF file says of end tokens: those of text, turns and messages.
func ggufEnds(meta map[string]any) []declaration {
	var declared []declaration
	for _, key := range []string{"eos", "eot", "eom", "fim_pad", "fim_rep", "fim_sep"} {
		name := "tokenizer.ggml." + key + "_token_id"
		if id, ok := integer(meta[name]); ok {
			declared = append(declared, declaration{ids: []int{id}, from: name})
		}
	}
	return declared
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
