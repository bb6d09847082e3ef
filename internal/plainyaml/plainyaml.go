// Package plainyaml bounds texts before a parser of YAML gets them, whose time and memory grow with the square of their tokens and with their depth.
//
//	tokens, at, message := plainyaml.Tokens(text)   // or where and why it is too much
//	if plainyaml.Bounded(text) { … }                // any parser may have it
package plainyaml

import (
	"fmt"
	"slices"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// Bounds of a text.
const (
	MaxSize   = 256 << 10 // bytes
	maxTokens = 20_000    // words, marks and brackets, without comments
	MaxDepth  = 64        // collections in each other
)

// Bounded reports whether any parser of YAML can be given a text: it keeps the bounds of recipes, and has no aliases, which can make it grow.
func Bounded(text string) bool {
	if len(text) > MaxSize {
		return false
	}
	tokens, _, message := Tokens(text)
	return message == "" && !slices.ContainsFunc(tokens, func(t *token.Token) bool { return t.Type == token.AliasType })
}

// Tokens returns the tokens of a text, or where and why it is too much for the parser.
func Tokens(text string) (tokens token.Tokens, at token.Position, message string) {
	tokens = lexer.Tokenize(text)
	var n nesting
	count := 0
	for i, t := range tokens {
		if t.Type != token.CommentType {
			count++
		}
		n.add(tokens, i)
		switch {
		case count > maxTokens:
			message = fmt.Sprintf("the text goes on after %d words and marks, expected at most so many", maxTokens)
		case n.depth() > MaxDepth:
			message = fmt.Sprintf("sections and lists are in each other more than %d deep", MaxDepth)
		default:
			continue
		}
		return nil, *t.Position, message
	}
	return tokens, token.Position{}, ""
}

// nesting bounds from above how deep the collections at a token are in each other.
type nesting struct {
	brackets int
	columns  []int // of the block collections around the token, rising
}

// depth counts two collections for a column: the items of a list may stand at the column of its key.
func (n *nesting) depth() int { return n.brackets + 2*len(n.columns) }

// add takes the next token. Within brackets indentation means nothing.
func (n *nesting) add(tokens token.Tokens, i int) {
	switch t := tokens[i]; t.Type {
	case token.SequenceStartType, token.MappingStartType:
		n.brackets++
	case token.SequenceEndType, token.MappingEndType:
		n.brackets = max(n.brackets-1, 0)
	case token.SequenceEntryType, token.MappingKeyType:
		n.block(t.Position.Column)
	case token.MappingValueType: // its collection begins at the key before it
		n.block(tokens[max(i-1, 0)].Position.Column)
	}
}

// block is the beginning of an item of a block collection at a column.
func (n *nesting) block(column int) {
	if n.brackets > 0 {
		return
	}
	i, found := slices.BinarySearch(n.columns, column)
	n.columns = n.columns[:i]
	if found || i == len(n.columns) {
		n.columns = append(n.columns, column)
	}
}
