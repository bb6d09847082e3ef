package plainfile

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// Bounds of a text.
const (
	MaxYAML       = 256 << 10 // bytes
	maxYAMLTokens = 20_000    // words, marks and brackets, without comments
	MaxYAMLDepth  = 64        // collections in each other
)

// BoundedYAML reports whether any parser of YAML can be given a text: it keeps the bounds of recipes, and has no aliases, which can make it grow.
func BoundedYAML(text string) bool {
	if len(text) > MaxYAML {
		return false
	}
	tokens, _, message := YAMLTokens(text)
	return message == "" && !slices.ContainsFunc(tokens, func(t *token.Token) bool { return t.Type == token.AliasType })
}

// YAMLTokens returns the tokens of a text, or where and why it is too much for the parser.
func YAMLTokens(text string) (tokens token.Tokens, at token.Position, message string) {
	tokens = lexer.Tokenize(text)
	var n nesting
	count := 0
	for i, t := range tokens {
		if t.Type != token.CommentType {
			count++
		}
		n.add(tokens, i)
		switch {
		case count > maxYAMLTokens:
			message = fmt.Sprintf("the text goes on after %d words and marks, expected at most so many", maxYAMLTokens)
		case n.depth() > MaxYAMLDepth:
			message = fmt.Sprintf("sections and lists are in each other more than %d deep", MaxYAMLDepth)
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

// Shipped are the YAML files of one folder that come in the binary, such as recipes and studies, by their names without the ending. There are no others in it.
type Shipped struct {
	FS     fs.ReadFileFS
	Folder string
}

const ending = ".yaml"

// Names lists the files in alphabetical order.
func (f Shipped) Names() []string {
	entries, err := fs.ReadDir(f.FS, f.Folder)
	if err != nil {
		panic("internal error: " + err.Error())
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ending)
	}
	slices.Sort(names) // with their endings they sort otherwise: a dash comes before the dot
	return names
}

// Text is that of the file of a name, if there is one.
func (f Shipped) Text(name string) (text []byte, ok bool) {
	text, err := f.FS.ReadFile(f.Folder + "/" + name + ending)
	return text, err == nil
}
