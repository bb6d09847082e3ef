package main

import (
	"fmt"
	"iter"

	"parley/model/tokenizer"
	"parley/tools/makebase/bpetrain"
)

// learnTokenizer learns a byte-level BPE tokenizer from the first n documents of a mixture and returns its tokenizer.json.
func learnTokenizer(root uint64, mixture []share[kind], n, vocab int) ([]byte, error) {
	var texts iter.Seq[string] = func(yield func(string) bool) {
		for i := range n {
			if !yield(corpusDocument(root, i, mixture).Text()) {
				return
			}
		}
	}
	file, err := bpetrain.Train(texts, vocab, specialTokens)
	if err != nil {
		return nil, fmt.Errorf("learn the tokenizer: %w", err)
	}
	return file, nil
}

// An example is a document in tokens; learn[i] says whether token i counts in the loss.
type example struct {
	tokens []int
	learn  []bool
}

// tokenize encodes a document span by span.
func tokenize(t *tokenizer.Tokenizer, d document) (example, error) {
	var e example
	for _, s := range d {
		ids, err := t.Encode(s.Text, false)
		if err != nil {
			return e, err
		}
		for _, id := range ids {
			e.tokens = append(e.tokens, id)
			e.learn = append(e.learn, s.Learn)
		}
	}
	return e, nil
}
