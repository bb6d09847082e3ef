package tokenizer

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// precompiled is SentencePiece's table of replacements: a double-array trie whose values are places in one long string of
// zero-terminated texts.
type precompiled struct {
	units []uint32
	texts []byte
}

// parsePrecompiled reads {"precompiled_charsmap": base64 of: size of the trie in bytes, trie, texts}.
func parsePrecompiled(raw json.RawMessage) (normalizer, error) {
	var c struct {
		Map string `json:"precompiled_charsmap"`
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, fmt.Errorf("Precompiled: %w", err)
	}
	data, err := base64.StdEncoding.DecodeString(c.Map)
	if err != nil {
		return nil, fmt.Errorf("Precompiled: precompiled_charsmap: %w", err)
	}
	if len(data) < 4 {
		return nil, errors.New("Precompiled: precompiled_charsmap is too short")
	}
	size := int(binary.LittleEndian.Uint32(data))
	if data = data[4:]; size > len(data) || size%4 != 0 {
		return nil, fmt.Errorf("Precompiled: precompiled_charsmap: trie of %d bytes in %d", size, len(data))
	}
	p := &precompiled{texts: data[size:], units: make([]uint32, size/4)}
	for i := range p.units {
		p.units[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return p, nil
}

// longestCluster is the length in bytes from which a grapheme cluster is replaced character by character only.
const longestCluster = 6

// normalize replaces each grapheme cluster that the table has, else each of its characters that it has.
func (p *precompiled) normalize(s string, spent *budget) string {
	var b strings.Builder
	state := -1
	for len(s) > 0 {
		var cluster string
		cluster, s, _, state = uniseg.FirstGraphemeClusterInString(s, state)
		if b.Len() > spent.step && !spent.write("normalizer Precompiled", b.Len()) {
			return ""
		}
		if len(cluster) < longestCluster {
			if text, ok := p.lookup(cluster); ok {
				b.Write(text)
				continue
			}
		}
		for i, r := range cluster {
			part := cluster[i : i+utf8.RuneLen(r)]
			if text, ok := p.lookup(part); ok {
				b.Write(text)
			} else {
				b.WriteString(part)
			}
		}
	}
	return b.String()
}

// lookup returns the text for the shortest key that s begins with, as the reference does.
func (p *precompiled) lookup(s string) ([]byte, bool) {
	if len(p.units) == 0 {
		return nil, false
	}
	at := trieOffset(p.units[0])
	for i := 0; i < len(s) && s[i] != 0; i++ {
		at ^= uint32(s[i])
		if int(at) >= len(p.units) {
			return nil, false
		}
		unit := p.units[at]
		if unit&(1<<31|0xFF) != uint32(s[i]) {
			return nil, false
		}
		at ^= trieOffset(unit)
		if unit>>8&1 == 1 {
			return p.text(at)
		}
	}
	return nil, false
}

// trieOffset is where the children of a unit lie, to be xored with their label.
func trieOffset(unit uint32) uint32 { return unit >> 10 << (unit & (1 << 9) >> 6) }

// text returns the text that the leaf at a place points to.
func (p *precompiled) text(at uint32) ([]byte, bool) {
	if int(at) >= len(p.units) {
		return nil, false
	}
	start := int(p.units[at] & (1<<31 - 1))
	if start > len(p.texts) {
		return nil, false
	}
	text := p.texts[start:]
	if end := bytes.IndexByte(text, 0); end >= 0 {
		text = text[:end]
	}
	return text, utf8.Valid(text)
}
