// Package usererror marks mistakes in what the user asked for: a recipe, a file, a flag. Nothing has been started when one is found, and
// the program exits with 2 instead of 1.
package usererror

import (
	"fmt"
	"regexp"
	"strings"
)

// An Error is a mistake in what the user asked for; nothing was started.
type Error struct{ Err error }

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// Errorf is [fmt.Errorf] as an [Error]. Flags in the format are written as whoever reads writes them ([Spoken]).
func Errorf(format string, args ...any) error {
	if false {
		_ = fmt.Errorf(format, args...) // go vet looks at the calls of who makes such a call
	}
	return &Error{fmt.Errorf(Spoken(format), args...)}
}

// Nearest returns the word that was probably meant by one that is not among words: the one at the least edit distance, if
// that is at most a third of the word's length (at least one letter). It returns "" where nothing is near.
func Nearest(word string, words []string) string {
	best, least := "", max(1, len([]rune(word))/3)+1
	for _, w := range words {
		if d := editDistance(word, w); d < least {
			best, least = w, d
		}
	}
	return best
}

// editDistance is the least number of insertions, deletions, replacements and swaps of neighbours that make b from a.
func editDistance(a, b string) int {
	s, t := []rune(a), []rune(b)
	before, last, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(s); i++ {
		row[0] = i
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(t)]
}

// plain matches words that mean themselves in every shell: zsh takes a word that begins with an equals sign for a program.
var plain = regexp.MustCompile(`^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+=:,./-]*$`)

// Quote joins words to a command line that a POSIX shell splits into the same words again.
func Quote(words ...string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = w
		if !plain.MatchString(w) {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}
