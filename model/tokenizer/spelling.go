package tokenizer

import "strings"

// A spelledDecoder tells what a token adds to a text in its middle without looking at the tokens around it.
type spelledDecoder interface {
	spell(token string) (string, bool)
}

// Spelling returns the bytes that a token adds in the middle of a text; ok is false for special tokens and those that no text is made of, and for all tokens of a
// tokenizer of which [Tokenizer.Spells] says no.
func (t *Tokenizer) Spelling(id int) (bytes []byte, ok bool) {
	token, ok := t.Token(id)
	d, spells := t.decoder.(spelledDecoder)
	if !ok || !spells || t.unused[id] || t.added.special[token] {
		return nil, false
	}
	s, ok := d.spell(token)
	return []byte(s), ok
}

// Spells says whether what a token adds to a text follows from the token alone.
func (t *Tokenizer) Spells() bool {
	d, ok := t.decoder.(spelledDecoder)
	if ok {
		_, ok = d.spell("")
	}
	return ok
}

func (byteLevelDecoder) spell(token string) (string, bool) { //nolint:unparam // others cannot say
	if b, ok := fromByteChars(nil, token); ok {
		return string(b), true
	}
	return token, true
}

func (m *metaspace) spell(token string) (string, bool) {
	return strings.ReplaceAll(token, m.replacement, " "), true
}

func (byteFallback) spell(token string) (string, bool) { //nolint:unparam // others cannot say
	if b, ok := byteToken(token); ok {
		return string([]byte{b}), true
	}
	return token, true
}

func (fuse) spell(token string) (string, bool) { return token, true }

func (d *replaceDecoder) spell(token string) (string, bool) {
	return d.decode([]string{token})[0], d.re == nil
}

// spell passes over what is taken from the front of a text: of tokens that are one by then.
func (d decoders) spell(token string) (string, bool) {
	fused := false
	for _, each := range d {
		if s, ok := each.(*stripDecoder); ok && fused && s.Stop == 0 {
			continue
		}
		one, ok := each.(spelledDecoder)
		if ok {
			token, ok = one.spell(token)
		}
		if !ok {
			return "", false
		}
		_, isFuse := each.(fuse)
		fused = fused || isFuse
	}
	return token, true
}
