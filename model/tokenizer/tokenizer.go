// Package tokenizer turns text into token ids and back, as the checkpoint's own tokenizer does.
//
// It reads a tokenizer.json in full with the tokens that the files beside it declare, and the tokenizer that a GGUF file carries in its metadata. Ids and texts equal those
// of Hugging Face's tokenizers library, which the tests compare with on many texts.
//
// A text goes through five steps, each of one small kind of part:
//
//	added tokens    <|im_start|> and the like are cut out of the text           matcher
//	normalizer      what lies between is rewritten (NFC, lower case, ...)       normalizer
//	pre-tokenizer   and cut into words                                          preTokenizer
//	model           each word becomes ids (BPE, Unigram, WordPiece, WordLevel)  model
//	post-processor  special tokens are put around the ids (BOS, EOS)            template
//
// A decoder undoes this. A part of a type that is not known is an error that names it, never a guess.
//
// Byte-level BPE, which nearly all present models use, has a fast path: the words stay bytes of the text instead of being
// rewritten in GPT-2's byte alphabet, the usual split patterns are matched by hand-written scanners instead of a regular
// expression engine, and each word's ids are remembered.
package tokenizer

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"parley/internal/plainfile"
)

// A Tokenizer encodes and decodes text. It is safe for concurrent use.
type Tokenizer struct {
	normalizer   normalizer   // nil: none
	preTokenizer preTokenizer // nil: the whole text is one word
	model        model
	template     template
	decoder      decoder // nil: tokens joined by spaces
	added        addedTokens
	asksStart    bool // a pre-tokenizer treats the beginning of the text in another way
	size         int
	unused       map[int]bool // ids that fill a vocabulary up
	workers      workerPool
}

// A model turns one word into ids.
type model interface {
	// encode appends the ids of word to ids.
	encode(ids []int, word string, w *worker) []int
	id(token string) (int, bool)
	token(id int) (string, bool)
	size() int // ids are below this
	len() int  // number of distinct tokens
}

// Load reads a tokenizer.json, or the tokenizer of a folder in Hugging Face layout.
func Load(path string) (*Tokenizer, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		t, err := LoadFS(plainfile.Dir(path, maxText))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return t, nil
	}
	data, err := plainfile.Read(path)
	if err != nil {
		return nil, fmt.Errorf("reading the tokenizer: %w", err)
	}
	t, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// maxText bounds the files of a tokenizer.
const maxText = 512 << 20

// LoadFS reads the tokenizer of a folder in Hugging Face layout: tokenizer.json, and the tokens that the files beside it declare.
// Its error wraps [fs.ErrNotExist] where there is no tokenizer.json.
func LoadFS(folder fs.FS) (*Tokenizer, error) { return LoadRows(folder, 0) }

// LoadRows is LoadFS for a model whose embedding has so many rows. A token that no file has, only the tokenizer's class, is left out where there
// is no row for it.
func LoadRows(folder fs.FS, rows int) (*Tokenizer, error) {
	data, declared, err := readFolder(folder)
	if err != nil {
		return nil, err
	}
	return parse(data, declared, rows)
}

func readFolder(folder fs.FS) ([]byte, *Declared, error) {
	data, err := fs.ReadFile(folder, "tokenizer.json")
	if err != nil {
		return nil, nil, fmt.Errorf("reading the tokenizer: %w", err)
	}
	declared, err := ReadDeclared(folder, ".")
	return data, declared, err
}

// Encode returns the ids of text. Added tokens inside the text are recognised in any case; with special, the
// post-processor also puts its special tokens (BOS, EOS) around them. Bytes of text that are not UTF-8 are read as U+FFFD.
//
// The error is of a tokenizer whose parts search without end, or let texts grow without bound.
func (t *Tokenizer) Encode(text string, special bool) ([]int, error) {
	w := t.workers.get()
	defer t.workers.put(w)
	ids := make([]int, 0, len(text)/3+8)
	text = validUTF8(text)
	if !special {
		return t.encodeText(ids, text, w)
	}
	var err error
	for _, part := range t.template {
		if !part.text {
			ids = append(ids, part.id)
		} else if ids, err = t.encodeText(ids, text, w); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// Counter counts the tokens of texts. Of a text that cannot be encoded it counts none, and failed is the first error.
func (t *Tokenizer) Counter() (count func(text string) int, failed *error) {
	failed = new(error)
	return func(text string) int {
		ids, err := t.Encode(text, false)
		if *failed == nil {
			*failed = err
		}
		return len(ids)
	}, failed
}

// encodeText appends the ids of text without the post-processor's additions.
func (t *Tokenizer) encodeText(ids []int, text string, w *worker) ([]int, error) {
	err := t.cut(text, nil, func(id int) { ids = append(ids, id) }, func(p piece) { ids = t.model.encode(ids, p.text, w) })
	return ids, err
}

// cut calls token for each added token in text and word for each word between, in order. Special tokens are found only where the text
// has no byte of content.
func (t *Tokenizer) cut(text string, content places, token func(id int), word emit) error {
	b := newBudget(len(text))
	if t.preTokenizer != nil {
		word = t.preTokenizer.stage(word, b)
	}
	t.added.raw.split(text, content.allows(), token, func(start, end int) {
		section, within := t.normalized(text[start:end], content.within(start, end), b)
		lead := 0
		if start == 0 {
			lead = t.lead(text[:end], section, b)
		}
		t.added.normalized.split(section, within.allows(), token, func(i, j int) {
			word(piece{section[i:j], lead - i})
		})
	})
	if b.err != nil {
		return fmt.Errorf("tokenizer: %w", b.err)
	}
	return nil
}

// Words returns the words that text is cut into, as the model sees them: added tokens are left out, and with byte-level BPE
// a word is the bytes of the text.
func (t *Tokenizer) Words(text string) ([]string, error) {
	var words []string
	err := t.cut(validUTF8(text), nil, func(int) {}, func(p piece) { words = append(words, p.text) })
	return words, err
}

// Decode returns the text of ids. Ids that are no tokens are passed over, and without keepSpecial special tokens too.
func (t *Tokenizer) Decode(ids []int, keepSpecial bool) string {
	tokens := make([]string, 0, len(ids))
	for _, id := range ids {
		token, ok := t.Token(id)
		if ok && (keepSpecial || !t.added.special[token]) {
			tokens = append(tokens, token)
		}
	}
	return t.decodeTokens(tokens)
}

// Bytes returns what a token is written as, which may be part of a character.
func (t *Tokenizer) Bytes(id int) []byte {
	if spelling, ok := t.Spelling(id); ok {
		return spelling
	}
	return []byte(t.Decode([]int{id}, true))
}

// decodeTokens returns the text of tokens, which it may overwrite.
func (t *Tokenizer) decodeTokens(tokens []string) string {
	if t.decoder == nil {
		return strings.Join(tokens, " ")
	}
	return strings.Join(t.decoder.decode(tokens), "")
}

// Size returns the number that all ids are below: the least number of rows of an embedding for this tokenizer.
func (t *Tokenizer) Size() int { return t.size }

// ID returns the id of a token in the vocabulary's own spelling (for byte-level BPE: in GPT-2's byte alphabet).
func (t *Tokenizer) ID(token string) (int, bool) {
	if id, ok := t.added.ids[token]; ok {
		return id, true
	}
	return t.model.id(token)
}

// Token returns the token with an id, in the vocabulary's own spelling.
func (t *Tokenizer) Token(id int) (string, bool) {
	if token, ok := t.added.contents[id]; ok {
		return token, true
	}
	return t.model.token(id)
}

// Used reports whether texts are made of the token with an id: it is there, and the checkpoint does not say that it only fills the
// vocabulary up.
func (t *Tokenizer) Used(id int) bool {
	_, ok := t.Token(id)
	return ok && !t.unused[id]
}

// SpecialTexts lists what special tokens are written as, in order; those that are looked for in the normalized text also as they are there.
func (t *Tokenizer) SpecialTexts() []string {
	var out []string
	for text := range t.added.special {
		out = append(out, text)
		if id, ok := t.added.ids[text]; ok {
			out = append(out, t.added.contents[id])
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Special reports whether id is a special token: one that decoding leaves out unless asked to keep it.
func (t *Tokenizer) Special(id int) bool {
	token, ok := t.Token(id)
	return ok && t.added.special[token]
}
