package tokenizer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// fileWith returns a tokenizer.json with some fields, a model by default.
func fileWith(fields string) []byte {
	if !strings.Contains(fields, `"model"`) {
		fields += `,"model":{"type":"WordLevel","vocab":{"a":0,"<unk>":1},"unk_token":"<unk>"}`
	}
	return []byte("{" + strings.TrimPrefix(fields, ",") + "}")
}

// TestParseErrors: what is wrong or unknown is named.
func TestParseErrors(t *testing.T) {
	nested := strings.Repeat(`{"type":"Sequence","normalizers":[`, 20) + strings.Repeat("]}", 20)
	bpe := func(rest string) string { return `"model":{"type":"BPE","vocab":{"a":0,"b":1,"ab":2},` + rest + `}` }
	template := func(single, special string) string {
		return `"post_processor":{"type":"TemplateProcessing","single":[` + single + `],"special_tokens":` + special + `}`
	}
	for fields, want := range map[string]string{
		`"normalizer":{"type":"Rot13"}`:                                                           `normalizer of type "Rot13"`,
		`"pre_tokenizer":{"type":"Magic"}`:                                                        `pre-tokenizer of type "Magic"`,
		`"post_processor":{"type":"Extra"}`:                                                       `post-processor of type "Extra"`,
		`"decoder":{"type":"Guess"}`:                                                              `decoder of type "Guess"`,
		`"model":{"type":"Neural","vocab":{}}`:                                                    `model of type "Neural"`,
		`"normalizer":{}`:                                                                         "no type",
		`"normalizer":` + nested:                                                                  "nested more than",
		`"model":null`:                                                                            "there is no model",
		bpe(`"merges":["a b c"]`):                                                                 `merge 0: "a b c"`,
		bpe(`"merges":[["a","b"],["a"]]`):                                                         "merge 1",
		bpe(`"merges":[["a","b","c"]]`):                                                           "merge 0",
		bpe(`"merges":["a x"]`):                                                                   `"x" is not in the vocabulary`,
		bpe(`"merges":["x a"]`):                                                                   `"x" is not in the vocabulary`,
		bpe(`"merges":["b a"]`):                                                                   `"ba" is not in the vocabulary`,
		bpe(`"merges":7`):                                                                         "merge 0",
		bpe(`"merges":[],"dropout":0.1`):                                                          "dropout 0.1",
		bpe(`"merges":[],"unk_token":"?"`):                                                        `unk_token "?"`,
		bpe(`"merges":["a b"],"continuing_subword_prefix":"##"`):                                  "shorter than the prefix",
		`"model":{"type":"BPE","vocab":{"a":-1},"merges":[]}`:                                     `token "a" has id -1`,
		`"model":{"type":"BPE","vocab":{"a":4000000000},"merges":[]}`:                             "has id 4000000000",
		`"model":{"type":"BPE","vocab":{"a":1.5},"merges":[]}`:                                    "vocabulary, at byte",
		`"model":{"type":"BPE","vocab":["a"],"merges":[]}`:                                        "vocabulary, at byte",
		`"model":{"type":"Unigram","vocab":[["a"]],"unk_id":0}`:                                   "pair of token and score",
		`"model":{"type":"Unigram","vocab":[["a",0]],"unk_id":7}`:                                 "unk_id 7",
		`"pre_tokenizer":{"type":"Split","behavior":"Isolated"}`:                                  "no pattern",
		`"pre_tokenizer":{"type":"Split","pattern":{},"behavior":"Removed"}`:                      "want String or Regex",
		`"pre_tokenizer":{"type":"Split","pattern":{"Regex":"("},"behavior":"Removed"}`:           "is not closed",
		`"pre_tokenizer":{"type":"Split","pattern":{"String":"a"},"behavior":"Odd"}`:              `"Odd"`,
		`"pre_tokenizer":{"type":"Punctuation","behavior":"Odd"}`:                                 `"Odd"`,
		`"pre_tokenizer":{"type":"Metaspace","replacement":"ab"}`:                                 "not one character",
		`"pre_tokenizer":{"type":"Metaspace","prepend_scheme":"last"}`:                            `"last"`,
		`"pre_tokenizer":{"type":"Metaspace","prepend_scheme":"always","add_prefix_space":false}`: "add_prefix_space",
		`"pre_tokenizer":{"type":"CharDelimiterSplit","delimiter":""}`:                            "not one character",
		`"pre_tokenizer":{"type":"FixedLength","length":0}`:                                       "not positive",
		`"decoder":{"type":"Strip","content":"","start":1000000000,"stop":0}`:                     "not one character",
		`"normalizer":{"type":"Precompiled","precompiled_charsmap":"AAAA"}`:                       "too short",
		`"normalizer":{"type":"Precompiled","precompiled_charsmap":"/////w=="}`:                   "trie of",
		`"post_processor":{"type":"BertProcessing","cls":["a"],"sep":["a",0]}`:                    "pair of token and id",
		template(`{"SpecialToken":{"id":"x"}}`, `{}`):                                             `"x" is not in special_tokens`,
		template(`{"Sequence":{"id":"B"}}`, `{}`):                                                 "nor the Sequence A",
		template(`{"SpecialToken":{"id":"x"}}`, `{"x":{"ids":[-1]}}`):                             "not negative",
	} {
		if _, err := Parse(fileWith(fields)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s:\n error %v,\n want one with %q", fields, err, want)
		}
	}
	for _, data := range []string{"", "[]", "{}", `{"model":`} {
		if _, err := Parse([]byte(data)); err == nil {
			t.Errorf("%q: no error", data)
		}
	}
}

// TestTemplateDoesNotExplode: post-processors that double the text, one after another.
func TestTemplateDoesNotExplode(t *testing.T) {
	double := `{"type":"TemplateProcessing","single":[{"Sequence":{"id":"A"}},{"Sequence":{"id":"A"}}],"special_tokens":{}}`
	file := func(n int) []byte {
		return fileWith(`"post_processor":{"type":"Sequence","processors":[` + strings.TrimSuffix(strings.Repeat(double+",", n), ",") + `]}`)
	}
	tok, err := Parse(file(3))
	if err != nil {
		t.Fatal(err)
	}
	if got := encoded(t, tok, "a", true); len(got) != 8 {
		t.Errorf("three doublings: %v", got)
	}
	if _, err := Parse(file(60)); err == nil {
		t.Error("2^60 texts: no error")
	}
}

// TestModelWithoutType: files from before models had a type.
func TestModelWithoutType(t *testing.T) {
	for model, want := range map[string]string{
		`{"vocab":{"a":0},"merges":[]}`:                             "*tokenizer.bpe",
		`{"vocab":[["a",0.0]],"unk_id":0}`:                          "*tokenizer.unigram",
		`{"vocab":{"a":0},"max_input_chars_per_word":5}`:            "*tokenizer.wordPiece",
		`{"vocab":{"a":0},"unk_token":"a"}`:                         "*tokenizer.wordLevel",
		`{"type":"BPE","vocab":{"a":0},"merges":["#version: 0.2"]}`: "*tokenizer.bpe",
	} {
		m, err := parseModel([]byte(model))
		if got := fmt.Sprintf("%T", m); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", model, got, err, want)
		}
	}
}

// FuzzParse: no file makes Parse, or the tokenizer that it returns, panic.
func FuzzParse(f *testing.F) {
	for line := range bytes.Lines(readGolden(f, "testdata/parts.jsonl")) {
		var g partGolden
		if err := json.Unmarshal(line, &g); err != nil {
			f.Fatal(err)
		}
		f.Add(fileWith(fmt.Sprintf("%q:%s", g.Part, g.Config)))
	}
	f.Add(fileWith(`"normalizer":{"type":"Precompiled","precompiled_charsmap":"BAAAAP////8A"}`))
	f.Add(fileWith(`"model":{"type":"Unigram","vocab":[["",0],["",1],["a",-1e308]],"byte_fallback":true}`))
	f.Add(fileWith(`"model":{"type":"BPE","vocab":{"a":0,"b":0,"ab":0},"merges":["a b","b a"],"byte_fallback":true}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		tok, err := Parse(data)
		if err != nil {
			return
		}
		ids := encoded(t, tok, "a b<s> é\u0301ab 12\xff", true)
		tok.Decode(ids, true)
		s := tok.Stream()
		for _, id := range ids {
			s.Push(id)
		}
		s.Flush()
	})
}

// FuzzEncode: any text is encoded, without ids that no embedding has, and byte-level BPE gives it back.
func FuzzEncode(f *testing.F) {
	lossless := tiny(f, "tiny-smollm")
	others := []*Tokenizer{tiny(f, "tiny-added"), tiny(f, "tiny-llama2"), tiny(f, "tiny-t5"), tiny(f, "tiny-bert"), tiny(f, "tiny-deepseek")}
	f.Add("Hello, world! 123")
	f.Add("<|im_start|>user\n\xff\xe2\x82 e\u0301<S> <mask>")
	f.Fuzz(func(t *testing.T, text string) {
		if got := lossless.Decode(encoded(t, lossless, text, false), true); got != validUTF8(text) {
			t.Errorf("decode(encode(%q)) = %q", text, got)
		}
		for _, tok := range others {
			ids := encoded(t, tok, text, true)
			for _, id := range ids {
				if id < 0 || id >= tok.Size() {
					t.Errorf("id %d of %d", id, tok.Size())
				}
			}
			tok.Decode(ids, false)
		}
	})
}
