package lexicon

import (
	"cmp"
	"slices"
)

// A vocabulary is the bytes of all tokens, as a trie. It is never changed once it is made.
type vocabulary struct {
	size int
	// The trie's nodes in the order of a walk: each followed by those below it.
	bytes  []byte
	depths []int32 // of a node of tokens' first bytes: 0
	behind []int32 // the first node that is not below
	tokens [][]int32
	single [256]bool // a token is that byte alone
	long   int       // bytes of the longest token
}

func newVocabulary(size int, bytesOf func(id int) ([]byte, bool)) *vocabulary {
	type token struct {
		id    int
		bytes []byte
	}
	var all []token
	for id := range size {
		if b, ok := bytesOf(id); ok && len(b) > 0 {
			all = append(all, token{id, b})
		}
	}
	slices.SortFunc(all, func(a, b token) int { return cmp.Or(slices.Compare(a.bytes, b.bytes), cmp.Compare(a.id, b.id)) })
	v := &vocabulary{size: size}
	var path []int32 // nodes from the root to the token before
	for i, t := range all {
		shared := 0
		for i > 0 && shared < min(len(path), len(t.bytes)) && v.bytes[path[shared]] == t.bytes[shared] {
			shared++
		}
		v.leave(path[shared:])
		path = path[:shared]
		for depth := shared; depth < len(t.bytes); depth++ {
			path = append(path, int32(len(v.bytes)))
			v.bytes, v.depths = append(v.bytes, t.bytes[depth]), append(v.depths, int32(depth))
			v.behind, v.tokens = append(v.behind, 0), append(v.tokens, nil)
		}
		last := path[len(path)-1]
		v.tokens[last] = append(v.tokens[last], int32(t.id))
		if len(t.bytes) == 1 {
			v.single[t.bytes[0]] = true
		}
		v.long = max(v.long, len(t.bytes))
	}
	v.leave(path)
	return v
}

// leave notes that nodes have nothing more below them.
func (v *vocabulary) leave(nodes []int32) {
	for _, n := range nodes {
		v.behind[n] = int32(len(v.bytes))
	}
}
