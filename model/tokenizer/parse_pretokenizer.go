package tokenizer

import (
	"encoding/json"
	"fmt"
	"unicode"
	"unicode/utf8"
)

// parsePreTokenizer reads the "pre_tokenizer" of a tokenizer.json; nil where there is none.
func parsePreTokenizer(raw json.RawMessage, depth int) (preTokenizer, error) {
	kind, err := kindOf(raw, depth)
	if err != nil {
		return nil, err
	}
	switch kind {
	case "":
		return nil, nil
	case "Sequence":
		return parsePreTokenizers(raw, depth)
	case "ByteLevel":
		return parseByteLevel(raw)
	case "Split":
		return parseSplit(raw)
	case "Metaspace":
		return parseMetaspace(raw)
	case "Digits":
		return parseDigits(raw)
	case "Punctuation":
		return parsePunctuation(raw)
	case "CharDelimiterSplit":
		return parseDelimiter(raw)
	case "FixedLength":
		return parseFixedLength(raw)
	case "WhitespaceSplit":
		return whitespaceSplit, nil
	case "Whitespace":
		return &splitter{find: findWords, behavior: removed, invert: true}, nil
	case "BertPreTokenizer":
		return preTokenizers{whitespaceSplit, &splitter{find: findRunes(isPunctuation), behavior: isolated}}, nil
	case "UnicodeScripts":
		return scriptSplit{}, nil
	}
	return nil, unknownKind("pre-tokenizer", kind)
}

// whitespaceSplit cuts at white space.
var whitespaceSplit = &splitter{find: findRunes(unicode.IsSpace), behavior: removed}

func parsePreTokenizers(raw json.RawMessage, depth int) (preTokenizer, error) {
	var s struct{ PreTokenizers []json.RawMessage }
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, err
	}
	all, err := parseEach[preTokenizers](s.PreTokenizers, depth, parsePreTokenizer)
	if err != nil {
		return nil, err
	}
	return all, checkCount("pre-tokenizers", len(all))
}

func parseByteLevel(raw json.RawMessage) (preTokenizer, error) {
	b := &byteLevel{AddPrefixSpace: true, UseRegex: true}
	if err := json.Unmarshal(raw, b); err != nil {
		return nil, fmt.Errorf("ByteLevel: %w", err)
	}
	return b, nil
}

func parseSplit(raw json.RawMessage) (preTokenizer, error) {
	var c struct {
		Pattern  *pattern
		Behavior behavior
		Invert   bool
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, fmt.Errorf("Split: %w", err)
	}
	if c.Pattern == nil {
		return nil, fmt.Errorf("Split: there is no pattern")
	}
	if err := c.Behavior.check(); err != nil {
		return nil, fmt.Errorf("Split: %w", err)
	}
	if c.Pattern.empty() {
		if err := c.Pattern.compile(""); err != nil { // the places between all characters
			return nil, fmt.Errorf("Split: %w", err)
		}
	}
	if c.Pattern.scan != nil && c.Behavior == isolated {
		return scanned{c.Pattern.scan}, nil
	}
	return &splitter{c.Pattern.find, c.Behavior, c.Invert}, nil
}

func parseDigits(raw json.RawMessage) (preTokenizer, error) {
	c, err := parseAs[struct {
		Individual bool `json:"individual_digits"`
	}](raw, "Digits")
	if err != nil {
		return nil, err
	}
	if c.Individual {
		return scanned{scanDigit}, nil
	}
	return &splitter{find: findRunes(isNumber), behavior: contiguous}, nil
}

func parsePunctuation(raw json.RawMessage) (preTokenizer, error) {
	c := struct{ Behavior behavior }{isolated}
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, fmt.Errorf("Punctuation: %w", err)
	}
	if err := c.Behavior.check(); err != nil {
		return nil, fmt.Errorf("Punctuation: %w", err)
	}
	return &splitter{find: findRunes(isPunctuation), behavior: c.Behavior}, nil
}

func parseDelimiter(raw json.RawMessage) (preTokenizer, error) {
	c, err := parseAs[struct{ Delimiter string }](raw, "CharDelimiterSplit")
	if err != nil {
		return nil, err
	}
	want, n := utf8.DecodeRuneInString(c.Delimiter)
	if n == 0 || n != len(c.Delimiter) {
		return nil, fmt.Errorf("CharDelimiterSplit: delimiter %q is not one character", c.Delimiter)
	}
	return &splitter{find: findRunes(func(r rune) bool { return r == want }), behavior: removed}, nil
}

func parseFixedLength(raw json.RawMessage) (preTokenizer, error) {
	c := fixedLength{Length: 5}
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, fmt.Errorf("FixedLength: %w", err)
	}
	if c.Length < 1 {
		return nil, fmt.Errorf("FixedLength: length %d is not positive", c.Length)
	}
	return &c, nil
}
