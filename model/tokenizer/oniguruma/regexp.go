// Package oniguruma runs regular expressions as Oniguruma does in its Ruby syntax, for which tokenizer.json files are written.
//
// An expression is rewritten for the engine regexp2, which backtracks as Oniguruma does:
//
//	regexp.go      [Compile], and [Regexp.Find] with its bounds of time
//	parse.go       alternatives, groups and options: ^ and $ are those of lines, (?m) lets . match a newline
//	quantifier.go  repetitions: {,n} begins at 0, a++ is possessive, a{2}+ is not
//	escape.go      what stands behind a backslash
//	class.go       [...] with ranges, names, classes in classes and intersections, as a set of characters
//	set.go         sets of characters
//	property.go    the sets that have names, in the version of Unicode that Oniguruma knows
//	fold.go        what (?i) makes of characters
//
// What is not known, or known to mean something else there, is an error, never another meaning.
package oniguruma

import (
	"errors"
	"fmt"
	"regexp"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
)

// Bounds of an expression and of a search.
const (
	longest      = 1 << 16         // bytes of an expression
	longestOut   = 1 << 20         // and of what it is rewritten to
	deepest      = 100             // groups or classes within each other
	matchTimeout = 2 * time.Second // for one match
	stackSlots   = 1 << 22         // of one match, to backtrack: 32 MiB
)

// ErrTime is wrapped by the error of a search that takes too long.
var ErrTime = errors.New("the regular expression takes too long")

// A Regexp is a compiled expression. It is safe for concurrent use.
type Regexp struct {
	source string
	re     *regexp2.Regexp
}

// Compile reads an expression.
func Compile(expr string) (*Regexp, error) {
	translated, err := translate(expr)
	if err != nil {
		return nil, fmt.Errorf("regular expression %.80q: %w", expr, err)
	}
	re, err := regexp2.Compile(translated, regexp2.None, regexp2.OptionMaxBacktrackingStackSize(stackSlots))
	if err != nil {
		return nil, fmt.Errorf("regular expression %.80q: %w", expr, err)
	}
	re.MatchTimeout = matchTimeout
	return &Regexp{expr, re}, nil
}

// CompileLinear reads an expression for the engine of Go, which needs time in proportion to the text. Expressions that look around, and those
// that do not go back, are an error.
func CompileLinear(expr string) (*regexp.Regexp, error) {
	translated, err := translate(expr)
	if err != nil {
		return nil, fmt.Errorf("regular expression %.80q: %w", expr, err)
	}
	re, err := regexp.Compile(translated)
	if err != nil {
		return nil, fmt.Errorf("regular expression %.80q needs an engine that backtracks", expr)
	}
	return re, nil
}

// String is the expression as it was written.
func (re *Regexp) String() string { return re.source }

// Find calls match with the bounds of each match in s, in bytes, from left to right. An empty match where the last one ended does not count, and
// in an empty text there is none.
// A search that is not over at the deadline, or that needs too long for a single match, is an error that wraps [ErrTime].
func (re *Regexp) Find(s string, deadline time.Time, match func(start, end int)) error {
	if s == "" {
		return nil
	}
	at, runeAt := 0, 0 // the same place in bytes and in characters
	advance := func(to int) int {
		for ; runeAt < to; runeAt++ {
			_, n := utf8.DecodeRuneInString(s[at:])
			at += n
		}
		return at
	}
	late, last := time.Now().After(deadline), -1
	err := re.re.FindRunesMatches([]rune(s), 0, func(m regexp2.MatchView) bool {
		if late = time.Now().After(deadline); late {
			return false
		}
		index, length, _ := m.GroupRange(0)
		start := advance(index)
		end := advance(index + length)
		if start == end && start == last {
			return true
		}
		last = end
		match(start, end)
		return true
	})
	switch {
	case err != nil && !errors.Is(err, regexp2.ErrBacktrackingStackLimit), late:
		return fmt.Errorf("%w: %.80q on a text of %d bytes", ErrTime, re.source, len(s))
	case err != nil:
		return fmt.Errorf("the regular expression %.80q backtracks too far on a text of %d bytes", re.source, len(s))
	}
	return nil
}
