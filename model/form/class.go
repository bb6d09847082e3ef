package form

import (
	"fmt"
	"unicode/utf8"
)

// allCharacters is the class of all characters: pairs of the first and the last of a range, as package regexp/syntax has them.
var allCharacters = []rune{0, utf8.MaxRune}

// except is the class of all characters but those listed, in ascending order.
func except(taken []rune) []rune {
	var out []rune
	next := rune(0)
	for _, r := range taken {
		if r > next {
			out = append(out, next, r-1)
		}
		next = r + 1
	}
	return append(out, next, utf8.MaxRune)
}

// class adds the characters of a class between two nodes; quoted: in all spellings that they have in strings of JSON. Those of one byte lead there at
// once, the others share a rule.
func (c *compiler) class(at int32, class []rune, to int32, quoted bool) {
	var wide, special []rune
	for i := 0; i < len(class); i += 2 {
		from, last := class[i], class[i+1]
		for r := from; r <= min(last, 0x7f); r++ {
			if quoted && escaped(r) {
				special = append(special, r)
				continue
			}
			first := r
			for r < min(last, 0x7f) && !(quoted && escaped(r+1)) {
				r++
			}
			c.edge(at, byte(first), byte(r), to)
		}
		if last > 0x7f {
			wide = append(wide, max(from, 0x80), last)
		}
	}
	if len(wide)+len(special) == 0 {
		return
	}
	key := fmt.Sprint(wide, special)
	r, ok := c.classes[key]
	if !ok {
		r = c.newRule()
		c.classes[key] = r
		c.wide(c.start(r), wide, c.end(r))
		c.escapes(c.start(r), special, c.end(r))
	}
	c.call(at, r, to)
}

// escapes adds characters that are written with a backslash.
func (c *compiler) escapes(at int32, special []rune, to int32) {
	if len(special) == 0 {
		return
	}
	slash := c.newNode()
	c.edge(at, '\\', '\\', slash)
	high := map[rune]int32{} // behind \u00 and the first of its two digits
	digits := int32(-1)
	for _, r := range special {
		for i, s := range short {
			if s == r {
				c.edge(slash, shortLetters[i], shortLetters[i], to)
			}
		}
		if r == '"' || r == '\\' {
			continue
		}
		if digits < 0 {
			digits = c.spelling(slash, literal(nil, "u00"))
		}
		if _, ok := high[r>>4]; !ok {
			high[r>>4] = c.symbol(digits, symbol(hexDigits[r>>4:r>>4+1]))
		}
		for _, digit := range []byte(eitherCase(r & 15)) {
			c.edge(high[r>>4], digit, digit, to)
		}
	}
}

// A span is an inclusive range of bytes.
type span struct{ from, to byte }

// wide adds characters of more than one byte, as UTF-8.
func (c *compiler) wide(at int32, class []rune, to int32) {
	var all [][]span
	for i := 0; i < len(class); i += 2 {
		all = spans(all, class[i], class[i+1])
	}
	c.sequences(at, all, to, map[string]int32{})
}

// sequences adds sequences of spans. Of two that begin alike the first spans are equal; so one byte leads to one node. Equal rests share their nodes.
func (c *compiler) sequences(at int32, all [][]span, to int32, shared map[string]int32) {
	for i := 0; i < len(all); {
		first := all[i][0]
		var rests [][]span
		for ; i < len(all) && all[i][0] == first; i++ {
			rests = append(rests, all[i][1:])
		}
		if len(rests[0]) == 0 {
			c.edge(at, first.from, first.to, to)
			continue
		}
		key := fmt.Sprint(rests)
		next, ok := shared[key]
		if !ok {
			next = c.newNode()
			shared[key] = next
			c.sequences(next, rests, to, shared)
		}
		c.edge(at, first.from, first.to, next)
	}
}

// spans appends the sequences of bytes that the characters from..to are in UTF-8. Surrogates are no characters.
func spans(all [][]span, from, to rune) [][]span {
	if from > to {
		return all
	}
	const firstSurrogate, lastSurrogate = 0xd800, 0xdfff
	if from <= lastSurrogate && to >= firstSurrogate {
		return spans(spans(all, from, firstSurrogate-1), lastSurrogate+1, to)
	}
	for _, last := range []rune{0x7f, 0x7ff, 0xffff} { // of one, two and three bytes
		if from <= last && to > last {
			return spans(spans(all, from, last), last+1, to)
		}
	}
	for bits := 6; bits <= 18; bits += 6 { // of the bytes behind the first
		low := rune(1)<<bits - 1
		if from&^low == to&^low {
			break
		}
		if from&low != 0 {
			return spans(spans(all, from, from|low), from|low+1, to)
		}
		if to&low != low {
			return spans(spans(all, from, to&^low-1), to&^low, to)
		}
	}
	first, last := string(from), string(to)
	sequence := make([]span, len(first))
	for i := range sequence {
		sequence[i] = span{first[i], last[i]}
	}
	return append(all, sequence)
}
