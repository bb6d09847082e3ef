// Package form says which texts have a form, byte by byte: those that satisfy a JSON schema, or that a regular expression matches. An engine that
// draws only tokens with which a text can still become one of them gives answers that always have the form.
//
// A form is parsed ([Parse]) to rules. A rule is an automaton over bytes whose edges are ranges of bytes, single tokens, calls of other rules,
// or nothing. A [State] is a set of stacks of places in rules, closed under calls and returns: what may follow a text. A [Matcher] holds the states of
// one form. Package lexicon goes from bytes to tokens.
//
// Every text of a schema is JSON that satisfies it. Not all such JSON is a text of it: one spelling is chosen, and properties come in the schema's order.
// What a schema may say is in docs/forms.md.
package form

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// Bounds of a form. A form beyond them is refused.
const (
	maxText   = 64 << 10 // bytes of its JSON
	maxNodes  = 10_000   // places in its rules
	maxDepth  = 64       // references that lead on from each other
	maxStacks = 256      // of a state
)

// An Error says what of a form cannot be forced, and where.
type Error struct {
	Pointer string // a JSON pointer into the schema; empty: the whole
	Text    string
}

func (e *Error) Error() string {
	if e.Pointer == "" {
		return e.Text
	}
	return e.Pointer + ": " + e.Text
}

// ErrAmbiguous is wrapped by the error of a text that a form can be in too many places behind.
var ErrAmbiguous = errors.New("the schema is too ambiguous")

// A Form is a set of texts. It is never changed once it is parsed.
type Form struct {
	rules
	root int32 // the rule of whole texts
}

// OfSchema is the form of a JSON schema, as [Parse] reads it.
func OfSchema(schema []byte) (string, error) {
	var b bytes.Buffer
	b.WriteString(`{"schema":`)
	if err := json.Compact(&b, schema); err != nil {
		return "", &Error{Text: "it is no JSON: " + err.Error()}
	}
	b.WriteByte('}')
	return b.String(), nil
}

// OfRegex is the form of a regular expression, as [Parse] reads it.
func OfRegex(expression string) string {
	text, _ := json.Marshal(map[string]string{"regex": expression}) // texts always have JSON
	return string(text)
}

// Parse reads a form: the JSON {"schema": SCHEMA}, {"regex": TEXT}, or {"any": [[PART, ...], ...]} with parts {"text": TEXT}, {"token": ID} and {"schema": SCHEMA}.
// Of what cannot be forced the error is an [*Error], with a pointer into the schema.
func Parse(text string) (f *Form, err error) {
	defer func() {
		if refused, ok := recover().(refusal); ok {
			f, err = nil, refused.Error
		}
	}()
	if len(text) > maxText {
		refuse("", "it has %d bytes, at most %d can be forced", len(text), maxText)
	}
	c := &compiler{named: map[string]int32{}, classes: map[string]int32{}, spelled: map[written]int32{}}
	f = &Form{root: c.form(parseValue([]byte(text)))}
	f.rules = c.rules
	f.measure()
	if f.shortest(f.root) >= never {
		refuse("", "it has no finite text")
	}
	return f, nil
}

// A refusal is an Error on its way out of the compiler: the only value that package form panics with.
type refusal struct{ *Error }

func refuse(pointer, format string, args ...any) {
	panic(refusal{&Error{pointer, fmt.Sprintf(format, args...)}})
}

// A compiler makes rules of a form.
type compiler struct {
	rules
	schema  value            // the whole schema, which references lead into
	named   map[string]int32 // rules by JSON pointer, and those of plain types by name
	classes map[string]int32 // rules of characters of more than one byte, by what they are
	spelled map[written]int32
	depth   int // references on the way to the present place
}

// form compiles what Parse reads and returns its rule.
func (c *compiler) form(v value) int32 {
	if v.kind == object && len(v.members) == 1 {
		switch m := v.members[0]; m.name {
		case "schema":
			c.schema = m.value
			return c.schemaRule(m.value, "")
		case "regex":
			if m.value.kind == text {
				return c.wholeExpression(m.value.text)
			}
		case "any":
			return c.alternatives(m.value)
		}
	}
	refuse("", `a form is {"schema": …}, {"regex": "…"} or {"any": […]}`)
	return 0
}

// alternatives compiles sequences of parts.
func (c *compiler) alternatives(v value) int32 {
	r := c.newRule()
	for _, sequence := range v.items {
		at := c.start(r)
		for _, p := range sequence.items {
			if len(p.members) != 1 {
				refuse("", aPart)
			}
			at = c.part(p.members[0], at)
		}
		c.empty(at, c.end(r))
	}
	return r
}

const aPart = `a part is {"text": "…"}, {"token": ID} or {"schema": …}`

func (c *compiler) part(m member, at int32) int32 {
	if m.name == "text" && m.value.kind == text {
		return c.spelling(at, literal(nil, m.value.text))
	}
	to := c.newNode()
	id, err := strconv.Atoi(m.value.text)
	switch {
	case m.name == "token" && m.value.kind == number && err == nil:
		c.token(at, id, to)
	case m.name == "schema":
		c.schema, c.named = m.value, map[string]int32{}
		c.call(at, c.schemaRule(m.value, ""), to)
	default:
		refuse("", aPart)
	}
	return to
}
