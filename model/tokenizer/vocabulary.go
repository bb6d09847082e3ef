package tokenizer

import "fmt"

// A vocabulary holds the tokens of a model both ways.
type vocabulary struct {
	ids    map[string]int
	tokens []string // by id
	has    []bool   // by id: false where no token has the id
}

// newVocabulary indexes ids. Ids need not be dense, but far ones are refused: tables are as long as the highest.
func newVocabulary(ids map[string]int) (vocabulary, error) {
	size := 0
	limit := 2*len(ids) + 1<<16
	for token, id := range ids {
		if id < 0 || id >= limit {
			return vocabulary{}, fmt.Errorf("vocabulary: token %q has id %d; a vocabulary of %d tokens may have ids 0 to %d", token, id, len(ids), limit-1)
		}
		size = max(size, id+1)
	}
	v := vocabulary{ids: ids, tokens: make([]string, size), has: make([]bool, size)}
	for token, id := range ids {
		if !v.has[id] || token < v.tokens[id] {
			v.tokens[id], v.has[id] = token, true
		}
	}
	return v, nil
}

func (v *vocabulary) id(token string) (int, bool) {
	id, ok := v.ids[token]
	return id, ok
}

// idOrNone is the id of a token, or -1 where there is no such token.
func (v *vocabulary) idOrNone(token string) int32 {
	if id, ok := v.ids[token]; ok {
		return int32(id)
	}
	return -1
}

func (v *vocabulary) token(id int) (string, bool) {
	if id < 0 || id >= len(v.tokens) || !v.has[id] {
		return "", false
	}
	return v.tokens[id], true
}

func (v *vocabulary) size() int { return len(v.tokens) }

func (v *vocabulary) len() int { return len(v.ids) }
