package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"

	"golang.org/x/text/unicode/norm"
)

// parseNormalizer reads the "normalizer" of a tokenizer.json; nil where there is none.
func parseNormalizer(raw json.RawMessage, depth int) (normalizer, error) {
	kind, err := kindOf(raw, depth)
	if err != nil {
		return nil, err
	}
	switch kind {
	case "":
		return nil, nil
	case "Sequence":
		return parseNormalizers(raw, depth)
	case "NFC":
		return unicodeForm{norm.NFC}, nil
	case "NFD":
		return unicodeForm{norm.NFD}, nil
	case "NFKC":
		return unicodeForm{norm.NFKC}, nil
	case "NFKD":
		return unicodeForm{norm.NFKD}, nil
	case "Lowercase":
		return lowercase{}, nil
	case "StripAccents":
		return stripAccents{}, nil
	case "Nmt":
		return nmt{}, nil
	case "ByteLevel":
		return byteLevelNormalizer{}, nil
	case "Strip":
		return parseAs[strip](raw, kind)
	case "Prepend":
		return parseAs[prepend](raw, kind)
	case "Replace":
		return parseReplace(raw)
	case "BertNormalizer":
		return parseAs[bertNormalizer](raw, kind)
	case "Precompiled":
		return parsePrecompiled(raw)
	}
	return nil, unknownKind("normalizer", kind)
}

func parseNormalizers(raw json.RawMessage, depth int) (normalizer, error) {
	var s struct{ Normalizers []json.RawMessage }
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, err
	}
	all, err := parseEach[normalizers](s.Normalizers, depth, parseNormalizer)
	if err != nil {
		return nil, err
	}
	return all, checkCount("normalizers", len(all))
}

// parseEach reads the parts of a sequence. Those of a sequence in it count as its own.
func parseEach[L ~[]T, T any](list []json.RawMessage, depth int, parse func(raw json.RawMessage, depth int) (T, error)) (L, error) {
	all := make(L, 0, len(list))
	for _, each := range list {
		part, err := parse(each, depth+1)
		if err != nil {
			return nil, err
		}
		if inner, ok := any(part).(L); ok {
			all = append(all, inner...)
		} else if any(part) != nil {
			all = append(all, part)
		}
	}
	return all, nil
}

// checkCount bounds the parts of a sequence.
func checkCount(parts string, n int) error {
	if n > mostParts {
		return fmt.Errorf("%d %s: %d are the most", n, parts, mostParts)
	}
	return nil
}

func parseReplace(raw json.RawMessage) (normalizer, error) {
	r, err := parseAs[replace](raw, "Replace")
	if err == nil && r.Pattern.empty() {
		err = errors.New("Replace: the pattern is empty, which would put the content between all characters: this is not supported")
	}
	return r, err
}

// checkGrowth tries a normalizer out on the strings that it replaces: those whose replacements are replaced again and again let a text grow
// without bound.
func checkGrowth(n normalizer) error {
	all, ok := n.(normalizers)
	if !ok && n != nil {
		all = normalizers{n}
	}
	for _, each := range all {
		r, ok := each.(*replace)
		if !ok || r.Pattern.literal == "" {
			continue
		}
		b := probe(len(r.Pattern.literal))
		if all.normalize(r.Pattern.literal, b); b.err != nil {
			return fmt.Errorf("normalizer, on %.80q: %w", r.Pattern.literal, b.err)
		}
	}
	return nil
}
