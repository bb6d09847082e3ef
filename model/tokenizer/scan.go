package tokenizer

import (
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
