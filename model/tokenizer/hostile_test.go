package tokenizer

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"parley/model/tokenizer/oniguruma"
)

// repeat is a sequence of equal parts.
func repeat(kind, key, part string, n int) string {
	return fmt.Sprintf(`{"type":%q,%q:[%s]}`, kind, key, strings.TrimSuffix(strings.Repeat(part+",", n), ","))
}

// TestHostileFiles: what can be seen to let texts grow without bound is refused with the file, by the name of the part.
func TestHostileFiles(t *testing.T) {
	const doubling = `{"type":"Replace","pattern":{"String":"a"},"content":"aa"}`
	for fields, want := range map[string]string{
		`"normalizer":` + repeat("Sequence", "normalizers", doubling, 40):                                                   "without bound",
		`"normalizer":{"type":"Replace","pattern":{"String":""},"content":"x"}`:                                             "pattern is empty",
		`"normalizer":` + repeat("Sequence", "normalizers", `{"type":"NFC"}`, 300):                                          "300 normalizers: 256 are the most",
		`"pre_tokenizer":` + repeat("Sequence", "pretokenizers", `{"type":"WhitespaceSplit"}`, 300):                         "300 pre-tokenizers: 256 are the most",
		`"decoder":` + repeat("Sequence", "decoders", doubling, 40):                                                         "more than 256 times as long",
		`"decoder":{"type":"Replace","pattern":{"String":""},"content":"x"}`:                                                "pattern is empty",
		`"decoder":{"type":"Replace","pattern":{"Regex":"(?=(a+)+$)"},"content":""}`:                                        "backtracks",
		`"pre_tokenizer":{"type":"Split","pattern":{"Regex":"` + strings.Repeat("(", 500) + `"},"behavior":"Removed"}`:      "nested more than 100 deep",
		`"pre_tokenizer":{"type":"Split","pattern":{"Regex":"` + strings.Repeat("ab*", 30000) + `"},"behavior":"Removed"}`:  "are the most",
		`"pre_tokenizer":{"type":"Split","pattern":{"Regex":"` + strings.Repeat(`\\b`, 20000) + `"},"behavior":"Isolated"}`: "is too long",
	} {
		if _, err := Parse(fileWith(fields)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.200s:\n error %.300v,\n want one with %q", fields, err, want)
		}
	}
}

// TestHostileTexts: what grows with the text only, or searches without end, is an error of the text, never other ids.
func TestHostileTexts(t *testing.T) {
	const apart = `{"type":"FixedLength","length":1},{"type":"Metaspace","replacement":"x","prepend_scheme":"always"},{"type":"FixedLength","length":1},` +
		`{"type":"Metaspace","replacement":"y","prepend_scheme":"always"}`
	for fields, text := range map[string]string{
		`"pre_tokenizer":` + repeat("Sequence", "pretokenizers", `{"type":"ByteLevel","add_prefix_space":false,"use_regex":false}`, 40): "é",
		`"pre_tokenizer":` + repeat("Sequence", "pretokenizers", apart, 40):                                                             "a",
		`"normalizer":{"type":"Replace","pattern":{"Regex":"[a-z]"},"content":"` + strings.Repeat("b", 1<<18) + `"}`:                    "abc",
		`"normalizer":{"type":"Prepend","prepend":"` + strings.Repeat("b", 1<<18) + `"}`:                                                "abc",
	} {
		tok, err := Parse(fileWith(fields))
		if err != nil {
			t.Errorf("%.200s: %v", fields, err)
			continue
		}
		if ids, err := tok.Encode(text, false); err == nil || !strings.Contains(err.Error(), "without bound") {
			t.Errorf("%.200s: %d ids, error %v", fields, len(ids), err)
		}
	}
	tok, err := Parse(fileWith(`"pre_tokenizer":{"type":"Split","pattern":{"Regex":"(?:a|aa)+$"},"behavior":"Isolated"}`))
	if err != nil {
		t.Fatal(err)
	}
	_, err = tok.Encode(strings.Repeat("a", 60)+"b", false)
	if !errors.Is(err, oniguruma.ErrTime) || !strings.Contains(err.Error(), `"(?:a|aa)+$"`) {
		t.Errorf("a search without end: %v", err)
	}
}
