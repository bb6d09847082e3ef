package schema

import (
	"fmt"
	"slices"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// Bounds of a text. The YAML parser takes time and memory that grow with the square of the tokens and with the depth; its lexer does not.
const (
	maxSize   = 256 << 10 // bytes
	maxTokens = 20_000    // words, marks and brackets, without comments
	maxDepth  = 64        // collections in each other
)

// Bounded reports whether any parser of YAML can be given a text: it keeps the bounds of recipes, and has no aliases, which can make it grow.
func Bounded(text string) bool {
	if len(text) > maxSize {
		return false
	}
	tokens, _, message := tokenize(text)
	return message == "" && !slices.ContainsFunc(tokens, func(t *token.Token) bool { return t.Type == token.AliasType })
}

// tokenize returns the tokens of a text, or where and why it is too much for the parser.
func tokenize(text string) (tokens token.Tokens, at Origin, message string) {
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
		case n.depth() > maxDepth:
			message = fmt.Sprintf("sections and lists are in each other more than %d deep", maxDepth)
		default:
			continue
		}
		return nil, Origin{Line: t.Position.Line, Column: t.Position.Column}, message
	}
	return tokens, Origin{}, ""
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
