package tokenizer

import (
	"strings"
	"unicode/utf8"
)

// GPT-2's byte alphabet spells every byte as one visible character: the printable ones of Latin-1 as themselves, the others
// in order from U+0100. A space is Ġ (U+0120), a newline Ċ (U+010A).
var (
	byteChar [256]rune
	charByte [0x144]int16 // -1: the character is not in the alphabet
)

func init() {
	for i := range charByte {
		charByte[i] = -1
	}
	next := rune(0x100)
	for b := range 256 {
		r := rune(b)
		if !(b >= '!' && b <= '~' || b >= 0xA1 && b <= 0xAC || b >= 0xAE) {
			r = next
			next++
		}
		byteChar[b], charByte[r] = r, int16(b)
	}
}

// ByteToken returns the spelling of one byte in the byte alphabet.
func ByteToken(b byte) string { return string(byteChar[b]) }

// toByteChars spells the bytes of s in the byte alphabet.
func toByteChars(s string) string {
	var b strings.Builder
	b.Grow(len(s) + len(s)/4)
	for i := range len(s) {
		b.WriteRune(byteChar[s[i]])
	}
	return b.String()
}

// fromByteChars appends the bytes that s spells; ok is false, and nothing appended, where s has a character that is not in
// the alphabet.
func fromByteChars(dst []byte, s string) (out []byte, ok bool) {
	out = dst
	for _, r := range s {
		if r >= rune(len(charByte)) || r == utf8.RuneError || charByte[r] < 0 {
			return dst, false
		}
		out = append(out, byte(charByte[r]))
	}
	return out, true
}

// byteLevel cuts a text into words with GPT-2's pattern and spells them in the byte alphabet.
type byteLevel struct {
	AddPrefixSpace bool `json:"add_prefix_space"`
	UseRegex       bool `json:"use_regex"`
	raw            bool // leave the words as bytes: the model works on bytes
}

func (b *byteLevel) stage(next emit, spent *budget) emit {
	if !b.raw {
		after := next
		next = func(p piece) {
			if spent.write("pre-tokenizer ByteLevel", 2*len(p.text)) {
				after(p.rewritten(toByteChars))
			}
		}
	}
	cut := next
	if b.UseRegex {
		cut = scanStage(scanGPT2, next)
	}
	if !b.AddPrefixSpace {
		return cut
	}
	return func(p piece) {
		if !strings.HasPrefix(p.text, " ") && spent.write("pre-tokenizer ByteLevel", 1+len(p.text)) {
			p = p.prefixed(" ")
		}
		cut(p)
	}
}

// byteLevelNormalizer spells the whole text in the byte alphabet.
type byteLevelNormalizer struct{}

func (byteLevelNormalizer) normalize(s string, _ *budget) string { return toByteChars(s) }

// byteLevelDecoder joins the tokens' bytes and reads them as UTF-8.
type byteLevelDecoder struct{}

func (byteLevelDecoder) decode(tokens []string) []string {
	var out []byte
	for _, t := range tokens {
		var ok bool
		if out, ok = fromByteChars(out, t); !ok {
			out = append(out, t...)
		}
	}
	return []string{validUTF8(string(out))}
}
