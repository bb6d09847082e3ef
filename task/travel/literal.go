package travel

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// words are those of Python that JSON writes in another way.
var words = map[string]string{"None": "null", "nan": "null", "NaN": "null", "True": "true", "False": "false", "null": "null", "true": "true", "false": "false"}

// literal is the JSON of a literal of Python, as tables have it in their cells: lists, dicts and texts, which may stand in either quotes. What is JSON
// stays as it is.
func literal(text string) (json.RawMessage, error) {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text), nil
	}
	var b strings.Builder
	for rest := text; rest != ""; {
		switch c := rest[0]; {
		case c == '\'' || c == '"':
			said, behind, err := quoted(rest[1:], c)
			if err != nil {
				return nil, err
			}
			data, err := json.Marshal(said)
			if err != nil {
				return nil, err
			}
			b.Write(data)
			rest = behind
		case unicode.IsLetter(rune(c)):
			word := rest[:len(rest)-len(strings.TrimLeftFunc(rest, unicode.IsLetter))]
			b.WriteString(cmp.Or(words[word], word)) // what is no word is part of a number, 1e3, or no JSON
			rest = rest[len(word):]
		default:
			b.WriteByte(c)
			rest = rest[1:]
		}
	}
	if out := b.String(); json.Valid([]byte(out)) {
		return json.RawMessage(out), nil
	}
	return nil, fmt.Errorf("%.40q is no list and no dict of Python, and no JSON", text)
}

// quoted is a text of Python up to its closing quote, and what stands behind that.
func quoted(rest string, quote byte) (text, behind string, err error) {
	var b strings.Builder
	for rest != "" {
		if rest[0] == quote {
			return b.String(), rest[1:], nil
		}
		if len(rest) > 1 && rest[0] == '\\' && (rest[1] == '\'' || rest[1] == '"') { // either may be escaped in either
			b.WriteByte(rest[1])
			rest = rest[2:]
			continue
		}
		r, _, tail, err := strconv.UnquoteChar(rest, 0)
		if err != nil {
			return "", "", fmt.Errorf("%.20q is no character of a text: %w", rest, err)
		}
		b.WriteRune(r)
		rest = tail
	}
	return "", "", errors.New("a text has no closing quote")
}
