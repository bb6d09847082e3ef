package tokenizer

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A scanner returns the length of the word that a split pattern matches at the start of s, which is not empty; 0 where the
// pattern does not match there.
//
// Scanners do what a backtracking engine does with the known patterns, in one pass: alternatives in order, each as long as
// it can be.
type scanner func(table *[1 << 16]class, s string) int

// The patterns that have scanners, as their tokenizer.json files write them.
const (
	gpt2Pattern = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
	// with \p{N}{1,3} for Llama 3, \p{N} for Qwen
	llama3Pattern   = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	qwen2Pattern    = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	number3Pattern  = `\p{N}{1,3}`
	cjkPattern      = "[一-龥\u3040-ゟ゠-ヿ]+"
	deepseekPattern = "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+"
)

// scanners holds the hand-written scanner of each known pattern.
var scanners = map[string]scanner{
	gpt2Pattern:     scanGPT2,
	llama3Pattern:   scanLlama3(3),
	qwen2Pattern:    scanLlama3(1),
	number3Pattern:  scanNumber3,
	cjkPattern:      scanCJK,
	deepseekPattern: scanDeepseek,
}

// scanStage cuts texts into the words of scan and what lies between them, the behaviour called Isolated.
func scanStage(scan scanner, next emit) emit {
	table := classes()
	return func(p piece) {
		done := 0
		for i := 0; i < len(p.text); {
			n := scan(table, p.text[i:])
			if n == 0 {
				_, n = classOf(table, p.text[i:])
				i += n
				continue
			}
			if done < i {
				next(p.part(done, i))
			}
			next(p.part(i, i+n))
			i += n
			done = i
		}
		if done < len(p.text) {
			next(p.part(done, len(p.text)))
		}
	}
}

// run returns the length of the longest start of s whose characters all have one of the properties in c.
func run(table *[1 << 16]class, s string, c class) int {
	i := 0
	for i < len(s) {
		has, n := classOf(table, s[i:])
		if has&c == 0 {
			break
		}
		i += n
	}
	return i
}

// runNot is run for characters that have none of the properties.
func runNot(table *[1 << 16]class, s string, c class) int {
	i := 0
	for i < len(s) {
		has, n := classOf(table, s[i:])
		if has&c != 0 {
			break
		}
		i += n
	}
	return i
}

// scanGPT2 matches [gpt2Pattern].
func scanGPT2(table *[1 << 16]class, s string) int {
	if s[0] == '\'' {
		if n := contraction(s); n > 0 {
			return n
		}
	}
	lead := 0
	if s[0] == ' ' && len(s) > 1 {
		lead = 1
	}
	has, _ := classOf(table, s[lead:])
	switch {
	case has&letter != 0:
		return lead + run(table, s[lead:], letter)
	case has&number != 0:
		return lead + run(table, s[lead:], number)
	case has&space == 0:
		return lead + runNot(table, s[lead:], space|letter|number)
	}
	return scanSpace(table, s)
}

// contraction matches 's|'t|'re|'ve|'m|'ll|'d.
func contraction(s string) int {
	if len(s) > 1 {
		switch s[1] {
		case 's', 't', 'm', 'd':
			return 2
		}
	}
	if strings.HasPrefix(s, "'re") || strings.HasPrefix(s, "'ve") || strings.HasPrefix(s, "'ll") {
		return 3
	}
	return 0
}

// scanSpace matches \s+(?!\S)|\s+: white space up to the end of the text, else all but its last character, which then
// begins the next word, else that one character.
func scanSpace(table *[1 << 16]class, s string) int {
	end, last := 0, 0
	for end < len(s) {
		has, n := classOf(table, s[end:])
		if has&space == 0 {
			break
		}
		end, last = end+n, n
	}
	if end == len(s) || end == last {
		return end
	}
	return end - last
}

// scanNewlines matches \s*[\r\n]+: white space up to its last newline; 0 where it has none.
func scanNewlines(table *[1 << 16]class, s string) int {
	end := 0
	for i := 0; i < len(s); {
		has, n := classOf(table, s[i:])
		if has&space == 0 {
			break
		}
		i += n
		if has&newline != 0 {
			end = i
		}
	}
	return end
}

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

// scanDigit matches one character that the Digits pre-tokenizer takes for a digit.
func scanDigit(table *[1 << 16]class, s string) int {
	has, n := classOf(table, s)
	if has&number != 0 {
		return n
	}
	if r, n := utf8.DecodeRuneInString(s); n == 4 && unicode.Is(newDigits, r) {
		return n
	}
	return 0
}

// scanNumbers matches \p{N}{1,most}.
func scanNumbers(table *[1 << 16]class, s string, most int) int {
	i := 0
	for ; most > 0 && i < len(s); most-- {
		has, n := classOf(table, s[i:])
		if has&number == 0 {
			break
		}
		i += n
	}
	return i
}
