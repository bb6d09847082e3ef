package bpetrain

import (
	"bytes"
	"encoding/json"
	"strings"

	"parley/model/tokenizer"
)

// spell returns a token in GPT-2's byte alphabet.
func spell(token string) string {
	var b strings.Builder
	for i := range len(token) {
		b.WriteString(tokenizer.ByteToken(token[i]))
	}
	return b.String()
}

// fileJSON is a tokenizer.json, with all the fields that Hugging Face's tokenizers asks for, in its order.
type fileJSON struct {
	Version       string      `json:"version"`
	Truncation    *struct{}   `json:"truncation"`
	Padding       *struct{}   `json:"padding"`
	AddedTokens   []addedJSON `json:"added_tokens"`
	Normalizer    *struct{}   `json:"normalizer"`
	PreTokenizer  splitJSON   `json:"pre_tokenizer"`
	PostProcessor *struct{}   `json:"post_processor"`
	Decoder       byteLevel   `json:"decoder"`
	Model         modelJSON   `json:"model"`
}

type addedJSON struct {
	ID         int    `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"`
	LStrip     bool   `json:"lstrip"`
	RStrip     bool   `json:"rstrip"`
	Normalized bool   `json:"normalized"`
	Special    bool   `json:"special"`
}

type splitJSON struct {
	Type          string `json:"type"`
	PreTokenizers []any  `json:"pretokenizers"`
}

type digits struct {
	Type       string `json:"type"`
	Individual bool   `json:"individual_digits"`
}

type byteLevel struct {
	Type           string `json:"type"`
	AddPrefixSpace bool   `json:"add_prefix_space"`
	TrimOffsets    bool   `json:"trim_offsets"`
	UseRegex       bool   `json:"use_regex"`
}

var bytes256 = byteLevel{Type: "ByteLevel", TrimOffsets: true, UseRegex: true}

type modelJSON struct {
	Type         string      `json:"type"`
	Dropout      *float64    `json:"dropout"`
	UnkToken     *string     `json:"unk_token"`
	Prefix       *string     `json:"continuing_subword_prefix"`
	Suffix       *string     `json:"end_of_word_suffix"`
	FuseUnk      bool        `json:"fuse_unk"`
	ByteFallback bool        `json:"byte_fallback"`
	IgnoreMerges bool        `json:"ignore_merges"`
	Vocab        vocabulary  `json:"vocab"`
	Merges       [][2]string `json:"merges"`
}

// vocabulary is written as an object of token to id, in the order of the ids.
type vocabulary []string

// MarshalJSON writes the object.
func (v vocabulary) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for id, token := range v {
		if id > 0 {
			b.WriteByte(',')
		}
		key, err := json.Marshal(token)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(id)
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// file returns the tokenizer.json of what was learned so far.
func (l *learner) file() ([]byte, error) {
	f := fileJSON{
		Version:      "1.0",
		AddedTokens:  []addedJSON{},
		PreTokenizer: splitJSON{"Sequence", []any{digits{"Digits", true}, bytes256}},
		Decoder:      bytes256,
		Model:        modelJSON{Type: "BPE", Merges: [][2]string{}},
	}
	for id, token := range l.tokens {
		if id < l.special {
			f.AddedTokens = append(f.AddedTokens, addedJSON{ID: id, Content: token, Special: true})
		} else {
			token = spell(token)
		}
		f.Model.Vocab = append(f.Model.Vocab, token)
	}
	for _, m := range l.merges {
		f.Model.Merges = append(f.Model.Merges, [2]string{spell(l.tokens[m.left]), spell(l.tokens[m.right])})
	}
	return json.MarshalIndent(&f, "", " ")
}
