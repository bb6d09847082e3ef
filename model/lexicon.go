package model

import (
	"fmt"

	"parley/model/form/lexicon"
)

// Lexicon makes what says which tokens texts of a form are made of. Tokens of no text and special tokens are not among them.
func (m *Model) Lexicon() (*lexicon.Lexicon, error) {
	if m.Tokenizer == nil || !m.Tokenizer.Spells() {
		return nil, fmt.Errorf("the base %s takes no schema and no regular expression: what its tokens add to a text does not follow from each alone", m.Name)
	}
	return lexicon.New(m.Tokenizer.Size(), m.Tokenizer.Bytes), nil
}
