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
	all := make(normalizers, 0, len(s.Normalizers))
	for _, each := range s.Normalizers {
		n, err := parseNormalizer(each, depth+1)
		if err != nil {
			return nil, err
		}
		if inner, ok := n.(normalizers); ok {
			all = append(all, inner...)
		} else if n != nil {
			all = append(all, n)
		}
	}
	return all, checkCount("normalizers", len(all))
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
