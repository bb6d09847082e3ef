package viewer

import (
	"slices"
	"strings"
	"sync"

	"parley/model"
	"parley/model/tokenizer"
	"parley/runs"
	"parley/viewer/episodes"
)

// bases are those of a run; one that cannot be read has none.
func (s *Server) bases(id string) []runs.Base {
	dir, err := s.root.Path(id)
	if err != nil {
		return nil
	}
	meta, err := runs.Read(dir)
	if err != nil {
		return nil
	}
	if len(meta.Bases) == 0 && meta.Base != "" { // of an earlier release
		return []runs.Base{{Name: meta.Base}}
	}
	return meta.Bases
}

// vocabularies are the tokenizers of bases that somebody asked for.
type vocabularies struct {
	mu    sync.Mutex
	known map[string]*vocabulary
}

// mostVocabularies is how many are kept.
const mostVocabularies = 8

// of is the vocabulary that an agent speaks with; nil: its base is not on this machine, or it is not known which it is.
func (v *vocabularies) of(bases []runs.Base, agent int) episodes.Vocabulary {
	i := slices.IndexFunc(bases, func(b runs.Base) bool { return len(bases) == 1 || slices.Contains(b.Agents, agent+1) })
	if i < 0 {
		return nil
	}
	if found := v.open(bases[i].Name); found != nil {
		return found
	}
	return nil
}

func (v *vocabularies) open(name string) *vocabulary {
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
	if v.known == nil || len(v.known) >= mostVocabularies {
		v.known = map[string]*vocabulary{}
	}
	v.known[name] = found
	return found
}

// A vocabulary says what the tokens of a base are.
type vocabulary struct {
	of    *tokenizer.Tokenizer
	bytes map[string]byte // of vocabularies that write each byte as a character
}

func newVocabulary(t *tokenizer.Tokenizer) *vocabulary {
	v := &vocabulary{t, map[string]byte{}}
	for b := range 256 {
		v.bytes[tokenizer.ByteToken(byte(b))] = byte(b)
	}
	return v
}

// Piece implements [episodes.Vocabulary]. Where a token is a part of a character, its bytes are read from the vocabulary itself.
func (v *vocabulary) Piece(id int) (text []byte, special bool) {
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

func (v *vocabulary) parts(written string) []byte {
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
