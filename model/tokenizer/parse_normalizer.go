package tokenizer

import (
	"encoding/json"

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
		return parseAs[replace](raw, kind)
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
		if n != nil {
			all = append(all, n)
		}
	}
	return all, nil
}
