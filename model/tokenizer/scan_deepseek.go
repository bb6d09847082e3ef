package tokenizer

import "unicode/utf8"

// scanNumber3 matches [number3Pattern].
func scanNumber3(table *[1 << 16]class, s string) int { return scanNumbers(table, s, 3) }

// scanCJK matches [cjkPattern].
func scanCJK(_ *[1 << 16]class, s string) int {
	for i, r := range s {
		if !(r >= 0x4E00 && r <= 0x9FA5 || r >= 0x3040 && r <= 0x30FF) {
			return i
		}
	}
	return len(s)
}

// scanDeepseek matches [deepseekPattern].
func scanDeepseek(table *[1 << 16]class, s string) int {
	if n := asciiPunctWord(s); n > 0 {
		return n
	}
	has, n := classOf(table, s)
	lead := 0
	if has&(newline|letter|punct|symbol) == 0 {
		lead = n
	}
	if k := run(table, s[lead:], letter|mark); k > 0 {
		return lead + k
	}
	if has&mark != 0 {
		return n // a lone mark: the optional first character matched nothing
	}
	if k := scanPunct(table, s); k > 0 {
		return k
	}
	if k := scanNewlines(table, s); k > 0 {
		return k
	}
	return scanSpace(table, s)
}

// asciiPunctWord matches a punctuation character or symbol of ASCII and [A-Za-z]+.
func asciiPunctWord(s string) int {
	if c := s[0]; c <= ' ' || c >= utf8.RuneSelf-1 || isASCIILetter(c) || c >= '0' && c <= '9' {
		return 0
	}
	i := 1
	for i < len(s) && isASCIILetter(s[i]) {
		i++
	}
	if i == 1 {
		return 0
	}
	return i
}

func isASCIILetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// scanPunct matches " ?[\p{P}\p{S}]+[\r\n]*".
func scanPunct(table *[1 << 16]class, s string) int {
	lead := 0
	if s[0] == ' ' {
		lead = 1
	}
	n := run(table, s[lead:], punct|symbol)
	if n == 0 {
		return 0
	}
	n += lead
	return n + run(table, s[n:], newline)
}
