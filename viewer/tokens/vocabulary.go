package tokens

import (
	"slices"
	"strings"
	"sync"

	"parley/model"
	"parley/model/tokenizer"
	"parley/runs"
)

// BasesOf are the bases of the run in dir; one that cannot be read has none.
func BasesOf(dir string) []runs.Base {
	meta, err := runs.Read(dir)
	if err != nil {
		return nil
	}
	if len(meta.Bases) == 0 && meta.Base != "" { // of an earlier release
		return []runs.Base{{Name: meta.Base}}
	}
	return meta.Bases
}

// Vocabularies are the tokenizers of bases that somebody asked for. The zero value has none yet.
type Vocabularies struct {
	mu    sync.Mutex
	known map[string]*Vocabulary
}

// most is how many are kept.
const most = 8

// Of is the vocabulary that an agent, from 0, speaks with; nil: its base is not on this machine, or it is not known which it is.
func (v *Vocabularies) Of(bases []runs.Base, agent int) *Vocabulary {
	i := slices.IndexFunc(bases, func(b runs.Base) bool { return len(bases) == 1 || slices.Contains(b.Agents, agent+1) })
	if i < 0 {
		return nil
	}
	return v.open(bases[i].Name)
}

func (v *Vocabularies) open(name string) *Vocabulary {
	v.mu.Lock()
	defer v.mu.Unlock()
	if found, ok := v.known[name]; ok {
		return found
	}
	m, err := model.Open(name)
	if err != nil {
		return nil
	}
	found := newVocabulary(m.Tokenizer)
	_ = m.Close() // its weights were not read
	if v.known == nil || len(v.known) >= most {
		v.known = map[string]*Vocabulary{}
	}
	v.known[name] = found
	return found
}

// A Vocabulary says what the tokens of a base are.
type Vocabulary struct {
	of    *tokenizer.Tokenizer
	bytes map[string]byte // of vocabularies that write each byte as a character
}

func newVocabulary(t *tokenizer.Tokenizer) *Vocabulary {
	v := &Vocabulary{t, map[string]byte{}}
	for b := range 256 {
		v.bytes[tokenizer.ByteToken(byte(b))] = byte(b)
	}
	return v
}

// Piece returns the text of a token, which may be a part of a character, and whether it is a special one. Of such a part the bytes are read
// from the vocabulary itself.
func (v *Vocabulary) Piece(id int) (text []byte, special bool) {
	special = v.of.Special(id)
	written, ok := v.of.Token(id)
	if !ok {
		return nil, special
	}
	whole := v.of.Decode([]int{id}, true)
	switch {
	case strings.ContainsRune(whole, '�'):
		return v.parts(written), special
	case strings.HasPrefix(written, "▁") && !strings.HasPrefix(whole, " "):
		return []byte(" " + whole), special // decoding takes the space at the beginning away
	}
	return []byte(whole), special
}

func (v *Vocabulary) parts(written string) []byte {
	var out []byte
	for _, r := range written {
		b, ok := v.bytes[string(r)]
		if !ok {
			return []byte(written)
		}
		out = append(out, b)
	}
	return out
}
