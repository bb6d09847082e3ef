package tokenizer

import (
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"
)

// sentencePieceSpace is how SentencePiece spells a space.
const sentencePieceSpace = "▁"

// sentencePiece fills in the parts of a tokenizer whose model is llama.
func (m ggufMetadata) sentencePiece(t *Tokenizer, v vocabulary) error {
	scores := get[[]float32](m, "scores", nil)
	if len(scores) != len(v.tokens) {
		return fmt.Errorf("tokenizer.ggml.scores has %d entries for %d tokens", len(scores), len(v.tokens))
	}
	c := bpeConfig{FuseUnk: true, ByteFallback: true}
	if id, ok := m.id("unknown_token_id"); ok && id >= 0 && id < len(v.tokens) {
		c.UnkToken = &v.tokens[id]
	}
	var err error
	if t.model, err = newBPE(c, v, scoredMerges(v, scores)); err != nil {
		return err
	}
	spaces := &replace{pattern{literal: " "}, sentencePieceSpace}
	t.normalizer = spaces
	decode := decoders{&replaceDecoder{Pattern: pattern{literal: sentencePieceSpace}, Content: " "}, byteFallback{}, fuse{}}
	if get(m, "add_space_prefix", true) {
		t.normalizer = normalizers{&prepend{sentencePieceSpace}, spaces}
		decode = append(decode, &stripDecoder{Content: " ", Start: 1})
	}
	t.decoder = decode
	return nil
}

// scoredMerges rebuilds the merges of a SentencePiece vocabulary. Every way to cut a token into two tokens is a merge; better
// tokens come first, and among equal ones those with the longer left part, then the longer right part, then lower ids.
func scoredMerges(v vocabulary, scores []float32) []mergePair {
	type merge struct {
		mergePair
		score               float32
		left, right         int // lengths in characters
		whole, first, after int // ids
	}
	var all []merge
	for id, token := range v.tokens {
		if v.ids[token] != id {
			continue
		}
		length, left := utf8.RuneCountInString(token), 0
		for i := range token {
			if i > 0 {
				left++
				first, ok := v.ids[token[:i]]
				after, also := v.ids[token[i:]]
				if ok && also {
					all = append(all, merge{mergePair{token[:i], token[i:]}, scores[id], left, length - left, id, first, after})
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b merge) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.left, a.left), cmp.Compare(b.right, a.right),
			cmp.Compare(a.whole, b.whole), cmp.Compare(a.first, b.first), cmp.Compare(a.after, b.after))
	})
	merges := make([]mergePair, len(all))
	for i, m := range all {
		merges[i] = m.mergePair
	}
	return merges
}
