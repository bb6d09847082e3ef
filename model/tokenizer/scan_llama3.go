package tokenizer

import "strings"

// scanLlama3 matches [llama3Pattern] with at most digits digits in a word.
func scanLlama3(digits int) scanner {
	return func(table *[1 << 16]class, s string) int {
		if s[0] == '\'' {
			if n := foldedContraction(s); n > 0 {
				return n
			}
		}
		has, n := classOf(table, s)
		if has&letter != 0 {
			return n + run(table, s[n:], letter)
		}
		if has&(number|newline) == 0 && n < len(s) {
			if k := run(table, s[n:], letter); k > 0 {
				return n + k
			}
		}
		if has&number != 0 {
			return scanNumbers(table, s, digits)
		}
		if k := scanOther(table, s); k > 0 {
			return k
		}
		if k := scanNewlines(table, s); k > 0 {
			return k
		}
		return scanSpace(table, s)
	}
}

// scanOther matches " ?[^\s\p{L}\p{N}]+[\r\n]*".
func scanOther(table *[1 << 16]class, s string) int {
	lead := 0
	if s[0] == ' ' {
		lead = 1
	}
	n := runNot(table, s[lead:], space|letter|number)
	if n == 0 {
		return 0
	}
	n += lead
	return n + run(table, s[n:], newline)
}

// foldedContraction matches (?i:'s|'t|'re|'ve|'m|'ll|'d), where ſ (U+017F) is a form of s.
func foldedContraction(s string) int {
	if len(s) < 2 {
		return 0
	}
	switch s[1] | 0x20 {
	case 's', 't', 'm', 'd':
		return 2
	}
	if strings.HasPrefix(s[1:], "ſ") {
		return 1 + len("ſ")
	}
	if len(s) > 2 {
		switch [2]byte{s[1] | 0x20, s[2] | 0x20} {
		case [2]byte{'r', 'e'}, [2]byte{'v', 'e'}, [2]byte{'l', 'l'}:
			return 3
		}
	}
	return 0
}
