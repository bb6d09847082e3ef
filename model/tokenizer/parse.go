package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
)

// file is a tokenizer.json.
type file struct {
	AddedTokens   []Token         `json:"added_tokens"`
	Normalizer    json.RawMessage `json:"normalizer"`
	PreTokenizer  json.RawMessage `json:"pre_tokenizer"`
	Model         json.RawMessage `json:"model"`
	PostProcessor json.RawMessage `json:"post_processor"`
	Decoder       json.RawMessage `json:"decoder"`
	Padding       struct {
		Token string `json:"pad_token"`
	} `json:"padding"`

	rows int // of the embedding; 0: not known
}

// Parse reads the contents of a tokenizer.json. Truncation and padding are not applied: they are matters of a batch.
func Parse(data []byte) (*Tokenizer, error) {
	return parse(data, nil, 0)
}

// parse reads a tokenizer.json; declared is what the files beside it say, or nil.
func parse(data []byte, declared *Declared, rows int) (*Tokenizer, error) {
	f, err := readFile(data, declared, rows)
	if err != nil {
		return nil, err
	}
	t, err := f.build()
	if err != nil {
		return nil, fmt.Errorf("tokenizer.json: %w", err)
	}
	return t, nil
}

// readFile takes a tokenizer.json apart. The tokens that the files beside it declare follow its own.
func readFile(data []byte, declared *Declared, rows int) (*file, error) {
	f := file{rows: rows}
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("tokenizer.json: %w", err)
	}
	if declared != nil {
		f.AddedTokens = append(f.AddedTokens, declared.Tokens(f.AddedTokens, f.Padding.Token)...)
	}
	return &f, nil
}

func (f *file) build() (*Tokenizer, error) {
	var t Tokenizer
	var err error
	if t.normalizer, err = parseNormalizer(f.Normalizer, 0); err != nil {
		return nil, err
	}
	if t.preTokenizer, err = parsePreTokenizer(f.PreTokenizer, 0); err != nil {
		return nil, err
	}
	if t.template, err = parsePostProcessor(f.PostProcessor, 0); err != nil {
		return nil, err
	}
	if t.decoder, err = parseDecoder(f.Decoder, 0); err != nil {
		return nil, err
	}
	if t.model, err = parseModel(f.Model); err != nil {
		return nil, err
	}
	if err := checkGrowth(t.normalizer); err != nil {
		return nil, err
	}
	if t.asksStart, err = asksStart(t.preTokenizer, t.normalizer); err != nil {
		return nil, err
	}
	return &t, t.assemble(f.AddedTokens, f.rows)
}

// assemble completes a tokenizer whose parts are there.
func (t *Tokenizer) assemble(added []Token, rows int) error {
	t.useBytes()
	var err error
	if t.added, err = newAddedTokens(added, t.model, t.normalizer, rows); err != nil {
		return err
	}
	t.size = t.model.size()
	for id := range t.added.contents {
		t.size = max(t.size, id+1)
	}
	return nil
}

// useBytes takes the fast path where the last pre-tokenizer is ByteLevel and the model can work on bytes.
func (t *Tokenizer) useBytes() {
	last := t.preTokenizer
	if all, ok := last.(preTokenizers); ok && len(all) > 0 {
		last = all[len(all)-1]
	}
	b, ok := last.(*byteLevel)
	if !ok {
		return
	}
	if m, ok := t.model.(*bpe); ok {
		b.raw = m.useBytes()
	}
}

// deepest is how deep sequences may be nested in each other.
const deepest = 8

// kindOf returns the "type" of a part; "" where the part is null or absent.
func kindOf(raw json.RawMessage, depth int) (string, error) {
	if depth > deepest {
		return "", fmt.Errorf("sequences nested more than %d deep", deepest)
	}
	if len(raw) == 0 || string(raw) == "null" {
		return "", nil
	}
	var c struct{ Type string }
	if err := json.Unmarshal(raw, &c); err != nil {
		return "", err
	}
	if c.Type == "" {
		return "", errors.New("a part has no type")
	}
	return c.Type, nil
}

func unknownKind(part, kind string) error {
	return fmt.Errorf("%s of type %q is not known", part, kind)
}

// parseAs reads raw into a new T, whose zero value holds the defaults.
func parseAs[T any](raw json.RawMessage, kind string) (*T, error) {
	part := new(T)
	if err := json.Unmarshal(raw, part); err != nil {
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	return part, nil
}
