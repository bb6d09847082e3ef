package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"parley/model/tokenizer/oniguruma"
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
		return parseReplaceDecoder(raw)
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
	all, err := parseEach[decoders](s.Decoders, depth, parseDecoder)
	if err != nil {
		return nil, err
	}
	if err := all.checkGrowth(); err != nil {
		return nil, err
	}
	return all, checkCount("decoders", len(all))
}

// mostGrowth is how many times decoders may make a text longer, one after another.
const mostGrowth = 1 << 8

// checkGrowth bounds what a sequence of decoders can make of a text.
func (d decoders) checkGrowth() error {
	times := 1
	for _, each := range d {
		if g, ok := each.(interface{ growth() int }); ok {
			if times *= g.growth(); times > mostGrowth {
				return fmt.Errorf("decoders that make a text more than %d times as long", mostGrowth)
			}
		}
	}
	return nil
}

// parseReplaceDecoder reads a Replace. Decoding has no error: of regular expressions only those are known that need time in proportion to the text.
func parseReplaceDecoder(raw json.RawMessage) (decoder, error) {
	d, err := parseAs[replaceDecoder](raw, "Replace")
	switch {
	case err != nil:
		return nil, err
	case d.Pattern.empty():
		return nil, errors.New("decoder Replace: the pattern is empty: this is not supported")
	case d.Pattern.expr != "":
		if d.re, err = oniguruma.CompileLinear(d.Pattern.expr); err != nil {
			return nil, fmt.Errorf("decoder Replace: %w", err)
		}
	}
	return d, decoders{d}.checkGrowth()
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
