package tokenizer

import (
	"cmp"
	"errors"
	"fmt"

	"golang.org/x/text/unicode/norm"
)

// FromGGUF builds the tokenizer that a GGUF file carries in its metadata, under the keys tokenizer.ggml.*. Known are byte-level
// BPE (model gpt2, with the split patterns of [pre]) and SentencePiece BPE (model llama).
//
// Arrays are slices of their elements' Go type: []string, []int32, []float32. A GGUF says nothing of the flags lstrip, rstrip
// and single_word of its added tokens: they are lost.
func FromGGUF(meta map[string]any) (*Tokenizer, error) {
	t, err := ggufMetadata(meta).build()
	if err != nil {
		return nil, fmt.Errorf("tokenizer of the GGUF file: %w", err)
	}
	return t, nil
}

// ggufMetadata is read under the prefix of all its keys.
type ggufMetadata map[string]any

const ggufPrefix = "tokenizer.ggml."

func (m ggufMetadata) build() (*Tokenizer, error) {
	v, err := m.vocabulary()
	if err != nil {
		return nil, err
	}
	var t Tokenizer
	switch kind := get(m, "model", ""); kind {
	case "gpt2":
		err = m.byteLevelBPE(&t, v)
	case "llama":
		err = m.sentencePiece(&t, v)
	case "":
		err = errors.New("tokenizer.ggml.model is missing")
	default:
		err = fmt.Errorf("tokenizer.ggml.model %q is not known: gpt2 and llama are", kind)
	}
	if err != nil {
		return nil, err
	}
	if t.template, err = m.template(v); err != nil {
		return nil, err
	}
	added, err := m.addedTokens(v)
	if err != nil {
		return nil, err
	}
	t.unused = m.unused()
	return &t, t.assemble(added, 0)
}

// GGUFNote says what users should know of the tokenizer of a GGUF file; empty: nothing.
func GGUFNote(meta map[string]any) string {
	m := ggufMetadata(meta)
	if get(m, "model", "") != "gpt2" || get(m, "pre", "") != "" {
		return ""
	}
	return "the GGUF file does not say how text is cut into words (tokenizer.ggml.pre): it is cut as llama.cpp does by default, which may not be what the model was trained on"
}

// get returns the value of a key, or byDefault where it is absent or of another type.
func get[T any](m ggufMetadata, key string, byDefault T) T {
	if v, ok := m[ggufPrefix+key].(T); ok {
		return v
	}
	return byDefault
}

// id returns the token id under a key.
func (m ggufMetadata) id(key string) (int, bool) {
	switch v := m[ggufPrefix+key].(type) {
	case uint32:
		return int(v), true
	case int32:
		return int(v), true
	case uint64:
		return int(v), true
	case int64:
		return int(v), true
	}
	return 0, false
}

// vocabulary reads the list of tokens: a token's id is its place. Of equal tokens the last counts.
func (m ggufMetadata) vocabulary() (vocabulary, error) {
	tokens := get[[]string](m, "tokens", nil)
	if len(tokens) == 0 {
		return vocabulary{}, errors.New("tokenizer.ggml.tokens is missing or empty")
	}
	ids := make(map[string]int, len(tokens))
	for id, token := range tokens {
		ids[validUTF8(token)] = id
	}
	v, err := newVocabulary(ids)
	if err != nil {
		return v, err
	}
	for len(v.tokens) < len(tokens) {
		v.tokens, v.has = append(v.tokens, ""), append(v.has, false)
	}
	for id, token := range tokens {
		v.tokens[id], v.has[id] = validUTF8(token), true
	}
	return v, nil
}

// Types of tokens: control and user-defined ones are cut out of the text, unused ones fill the vocabulary up. The others are normal, unknown
// and bytes.
const (
	ggufControl     = 3
	ggufUserDefined = 4
	ggufUnused      = 5
)

// addedTokens returns the control tokens, which are special, and the user-defined ones, which are not.
func (m ggufMetadata) addedTokens(v vocabulary) ([]Token, error) {
	types := get[[]int32](m, "token_type", nil)
	if types != nil && len(types) != len(v.tokens) {
		return nil, fmt.Errorf("tokenizer.ggml.token_type has %d entries for %d tokens", len(types), len(v.tokens))
	}
	var added []Token
	for id, kind := range types {
		if kind == ggufControl || kind == ggufUserDefined {
			added = append(added, Token{Content: v.tokens[id], Special: kind == ggufControl})
		}
	}
	return added, nil
}

// unused lists the tokens that no text has.
func (m ggufMetadata) unused() map[int]bool {
	out := map[int]bool{}
	for id, kind := range get[[]int32](m, "token_type", nil) {
		if kind == ggufUnused {
			out[id] = true
		}
	}
	return out
}

// template puts BOS and EOS around a text where the metadata ask for them. Where they don't say, SentencePiece models want
// a BOS, and so do some of the byte-level ones.
func (m ggufMetadata) template(v vocabulary) (template, error) {
	bosByDefault := get(m, "model", "") == "llama" || ggufSplits[get(m, "pre", "")].bos
	out := plain
	if get(m, "add_bos_token", bosByDefault) {
		if id, ok := m.id("bos_token_id"); ok {
			out = append(template{{id: id}}, out...)
		}
	}
	if get(m, "add_eos_token", false) {
		if id, ok := m.id("eos_token_id"); ok {
			out = append(out[:len(out):len(out)], templatePart{id: id})
		}
	}
	for _, part := range out {
		if part.id < 0 || part.id >= len(v.tokens) {
			return nil, fmt.Errorf("BOS or EOS is token %d of %d", part.id, len(v.tokens))
		}
	}
	return out, nil
}

// byteLevelBPE fills in the parts of a tokenizer whose model is gpt2.
func (m ggufMetadata) byteLevelBPE(t *Tokenizer, v vocabulary) error {
	pre := cmp.Or(get(m, "pre", ""), "default")
	split, ok := ggufSplits[pre]
	if !ok {
		return fmt.Errorf("tokenizer.ggml.pre %q is not known", pre)
	}
	lines, ok := m[ggufPrefix+"merges"].([]string)
	if !ok {
		return errors.New("tokenizer.ggml.merges is missing: without it no text can be split into tokens as the model was trained on")
	}
	merges := make([]mergePair, 0, len(lines))
	for i, line := range lines {
		pair, err := splitMerge(validUTF8(line))
		if err != nil {
			return fmt.Errorf("tokenizer.ggml.merges[%d]: %w", i, err)
		}
		merges = append(merges, pair)
	}
	var err error
	if t.preTokenizer, err = split.preTokenizer(); err != nil {
		return err
	}
	if split.nfc {
		t.normalizer = unicodeForm{norm.NFC}
	}
	t.decoder = byteLevelDecoder{}
	t.model, err = newBPE(bpeConfig{IgnoreMerges: split.ignoreMerges}, v, merges)
	return err
}
