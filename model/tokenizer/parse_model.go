package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
)

// modelFile is the "model" of a tokenizer.json, of any type.
type modelFile struct {
	bpeConfig
	Type     string          `json:"type"`
	Vocab    json.RawMessage `json:"vocab"`
	Merges   json.RawMessage `json:"merges"`
	UnkID    *int            `json:"unk_id"`
	MaxChars *int            `json:"max_input_chars_per_word"`
}

// kind returns the type of the model; old files don't say.
func (f *modelFile) kind() string {
	switch {
	case f.Type != "":
		return f.Type
	case len(f.Merges) > 0:
		return "BPE"
	case len(f.Vocab) > 0 && f.Vocab[0] == '[':
		return "Unigram"
	case f.MaxChars != nil:
		return "WordPiece"
	}
	return "WordLevel"
}

func parseModel(raw json.RawMessage) (model, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, errors.New("there is no model")
	}
	var f modelFile
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	switch f.kind() {
	case "BPE":
		return parseBPE(&f)
	case "Unigram":
		return parseUnigram(&f)
	case "WordPiece":
		return parseWordPiece(&f)
	case "WordLevel":
		return parseWordLevel(&f)
	}
	return nil, unknownKind("model", f.kind())
}

func parseBPE(f *modelFile) (model, error) {
	v, err := f.vocabulary()
	if err != nil {
		return nil, err
	}
	merges, err := parseMerges(f.Merges)
	if err != nil {
		return nil, err
	}
	return newBPE(f.bpeConfig, v, merges)
}

// vocabulary reads a vocabulary that is an object of token to id.
func (f *modelFile) vocabulary() (vocabulary, error) {
	ids, err := parseIDs(f.Vocab)
	if err != nil {
		return vocabulary{}, err
	}
	return newVocabulary(ids)
}

func parseWordPiece(f *modelFile) (model, error) {
	v, err := f.vocabulary()
	if err != nil {
		return nil, err
	}
	m := &wordPiece{vocabulary: v, prefix: "##", longest: 100, unknown: -1}
	if f.Prefix != nil {
		m.prefix = *f.Prefix
	}
	if f.MaxChars != nil {
		m.longest = *f.MaxChars
	}
	for _, token := range v.tokens {
		m.piece = max(m.piece, len(token))
	}
	m.unknown = int(v.idOrNone(f.unknownToken("[UNK]")))
	return m, nil
}

func parseWordLevel(f *modelFile) (model, error) {
	v, err := f.vocabulary()
	if err != nil {
		return nil, err
	}
	return &wordLevel{vocabulary: v, unknown: int(v.idOrNone(f.unknownToken("<unk>")))}, nil
}

// unknownToken is the token for unknown words.
func (f *modelFile) unknownToken(byDefault string) string {
	if f.UnkToken != nil {
		return *f.UnkToken
	}
	return byDefault
}

// parseUnigram reads a vocabulary that is a list of token and score.
func parseUnigram(f *modelFile) (model, error) {
	var list []scoredToken
	if err := json.Unmarshal(f.Vocab, &list); err != nil {
		return nil, fmt.Errorf("Unigram vocabulary: %w", err)
	}
	unknown := -1
	if f.UnkID != nil {
		if *f.UnkID < 0 || *f.UnkID >= len(list) {
			return nil, fmt.Errorf("Unigram model: unk_id %d is not in the vocabulary of %d tokens", *f.UnkID, len(list))
		}
		unknown = *f.UnkID
	}
	return newUnigram(list, unknown, f.ByteFallback)
}

// scoredToken is written as ["token", score].
type scoredToken struct {
	token string
	score float64
}

// UnmarshalJSON reads [token, score].
func (t *scoredToken) UnmarshalJSON(data []byte) error {
	var score json.Number
	pair := []any{&t.token, &score}
	if err := json.Unmarshal(data, &pair); err != nil {
		return err
	}
	if len(pair) != 2 {
		return fmt.Errorf("%.80s is not a pair of token and score", data)
	}
	t.score = parseScore(score.String())
	return nil
}
