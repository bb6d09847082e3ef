package tokenizer

import (
	"sync"
	"unicode"
	"unicode/utf8"
)

// A class is a set of the character properties that split patterns ask for.
type class uint8

const (
	letter  class = 1 << iota // \p{L}
	number                    // \p{N}
	space                     // \s, the newlines included
	newline                   // \r or \n
	mark                      // \p{M}
	punct                     // \p{P}
	symbol                    // \p{S}
	other                     // none of these
)

// classTables holds the characters of each class.
var classTables = map[class][]*unicode.RangeTable{
	letter: {unicode.L, newLetters}, number: {unicode.N, newNumbers}, mark: {unicode.M, newMarks},
	punct: {unicode.P, newPunct}, symbol: {unicode.S, newSymbols}, space: {unicode.White_Space},
}

// classes returns the class of every character of the basic plane.
var classes = sync.OnceValue(func() *[1 << 16]class {
	table := new([1 << 16]class)
	for c, tables := range classTables {
		for _, ranges := range tables {
			for _, r := range ranges.R16 {
				for i := int(r.Lo); i <= int(r.Hi); i += int(r.Stride) {
					table[i] |= c
				}
			}
		}
	}
	table['\r'] |= newline
	table['\n'] |= newline
	for i := range table {
		if table[i] == 0 {
			table[i] = other
		}
	}
	return table
})

// classOf returns the class and the length in bytes of the character at the start of s, which is not empty.
func classOf(table *[1 << 16]class, s string) (class, int) {
	if s[0] < utf8.RuneSelf {
		return table[s[0]], 1
	}
	r, n := utf8.DecodeRuneInString(s)
	if r < 1<<16 {
		return table[r], n
	}
	return astralClass(r), n
}

// astralClass is the class of a character outside of the basic plane; none of them is white space.
func astralClass(r rune) class {
	for _, c := range [...]class{letter, symbol, mark, number, punct} {
		if unicode.In(r, classTables[c]...) {
			return c
		}
	}
	return other
}
