package model

import (
	"fmt"
	"slices"

	"parley/model/chat"
	"parley/model/form/lexicon"
)

// Unused lists ids of the embedding that no text is made of, as ranges from, ..., to-1: many embeddings are padded to a round number of rows,
// and tokenizers may have gaps. They are not to be sampled. End tokens are never among them; without a tokenizer nothing is known to be.
func (m *Model) Unused() [][2]int { return m.unused }

// readTokens takes from the tokenizer what is to be known of its tokens.
func (m *Model) readTokens() {
	m.unused, m.control = m.findUnused(), chat.NewControl(nil)
	if m.Tokenizer != nil {
		m.control = chat.NewControl(m.Tokenizer.SpecialTexts())
	}
}

func (m *Model) findUnused() [][2]int {
	if m.Tokenizer == nil {
		return nil
	}
	var out [][2]int
	for id := range m.embeddings() {
		if m.Tokenizer.Used(id) || slices.Contains(m.stop, id) {
			continue
		}
		if last := len(out) - 1; last >= 0 && out[last][1] == id {
			out[last][1]++
		} else {
			out = append(out, [2]int{id, id + 1})
		}
	}
	return out
}

// embeddings is how many rows the embedding has; 0: that is not known.
func (m *Model) embeddings() int {
	for _, t := range m.Source.Tensors() {
		if t.Name == "model.embed_tokens.weight" && len(t.Shape) == 2 {
			return t.Shape[0]
		}
	}
	return 0
}

// Lexicon makes what says which tokens texts of a form are made of. Tokens of no text and special tokens are not among them.
func (m *Model) Lexicon() (*lexicon.Lexicon, error) {
	if m.Tokenizer == nil || !m.Tokenizer.Spells() {
		return nil, fmt.Errorf("the base %s takes no schema and no regular expression: what its tokens add to a text does not follow from each alone", m.Name)
	}
	return lexicon.New(m.Tokenizer.Size(), m.Tokenizer.Spelling), nil
}
