package tokenizer

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// parseDecoder reads the "decoder" of a tokenizer.json; nil where there is none.
func parseDecoder(raw json.RawMessage, depth int) (decoder, error) {
	kind, err := kindOf(raw, depth)
	if err != nil {
		return nil, err
	}
	switch kind {
	case "":
		return nil, nil
	case "Sequence":
		return parseDecoders(raw, depth)
	case "ByteLevel":
		return byteLevelDecoder{}, nil
	case "ByteFallback":
		return byteFallback{}, nil
	case "Fuse":
		return fuse{}, nil
	case "Replace":
		return parseAs[replaceDecoder](raw, kind)
	case "Strip":
		return parseStripDecoder(raw)
	case "Metaspace":
		return parseMetaspace(raw)
	case "WordPiece":
		return decoderWithDefaults(raw, kind, &wordPieceDecoder{Prefix: "##", Cleanup: true})
	case "BPEDecoder":
		return decoderWithDefaults(raw, kind, &bpeDecoder{Suffix: "</w>"})
	case "CTC":
		return decoderWithDefaults(raw, kind, &ctcDecoder{PadToken: "<pad>", WordDelimiterToken: "|", Cleanup: true})
	}
	return nil, unknownKind("decoder", kind)
}

func parseDecoders(raw json.RawMessage, depth int) (decoder, error) {
	var s struct{ Decoders []json.RawMessage }
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, err
	}
	all := make(decoders, 0, len(s.Decoders))
	for _, each := range s.Decoders {
		d, err := parseDecoder(each, depth+1)
		if err != nil {
			return nil, err
		}
		if d != nil {
			all = append(all, d)
		}
	}
	return all, nil
}

// decoderWithDefaults reads raw over the defaults in d.
func decoderWithDefaults(raw json.RawMessage, kind string, d decoder) (decoder, error) {
	if err := json.Unmarshal(raw, d); err != nil {
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	return d, nil
}

func parseStripDecoder(raw json.RawMessage) (decoder, error) {
	d, err := parseAs[stripDecoder](raw, "Strip")
	if err != nil {
		return nil, err
	}
	if _, n := utf8.DecodeRuneInString(d.Content); n == 0 || n != len(d.Content) {
		return nil, fmt.Errorf("Strip: content %q is not one character", d.Content)
	}
	return d, nil
}
