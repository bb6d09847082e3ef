// Package answer reads the final answer of a text. It is pure: texts in, canonical forms out.
//
//	answer.go      an answer, the parsers of maths and of natural-language inference
//	boxed.go       the boxes of a text, \boxed{…}: the last one holds the answer
//	notation.go    one notation for what texts write in many
//	number.go      a number at one place of a text: decimals; fraction.go has fractions and whole numbers with one
//	words.go       number words behind a number
//	unit.go        what may stand before and behind the number in a box
//	text.go        a text in a box, and compared as SQuAD does
//	normal.go      a text without what a reader does not mind
//	line.go        the answer in the last line of a text; label.go has the labels before it, in many languages
//	lastnumber.go  the last number of a text, for models that put nothing in a box
//	visible.go     the text that other agents are shown, with one box at its end
//
// Section numbers without a name are those of docs/maporl.md.
package answer

import (
	"encoding/json"
	"regexp"
	"strings"
)

// An Answer is the final answer of a text. Two answers are equal exactly when their canonical forms are; all texts without a
// readable answer share the zero Answer.
type Answer struct {
	Canonical string `json:"canonical,omitempty"`
	OK        bool   `json:"ok"`
}

// A Parser returns the final answer of a text in canonical form (§8.2); ok is false when there is none. [Math] and [NLI] are
// parsers, and so is the Answer method of any task.
type Parser func(text string) (canonical string, ok bool)

// Read applies a parser to a text.
func (p Parser) Read(text string) Answer {
	canonical, ok := p(text)
	if !ok {
		return Answer{}
	}
	return Answer{Canonical: canonical, OK: true}
}

// Math returns the final answer of a solution of a maths problem (§8.2): the number in the last box, as a reduced fraction, "7", "-5/2". The box
// may name it, x = 5, and may hold its unit.
func Math(text string) (canonical string, ok bool) {
	content, ok := boxed(text)
	if !ok || len(content) > 2*maxNumber {
		return "", false
	}
	return only(name.ReplaceAllString(inOneNotation(content), ""))
}

// signOf is what may stand before the digits of a number.
var signOf = regexp.MustCompile(`^([+-]?)\s*[$€£¥₹]?\s*([+-]?)`)

// only reads a text that is a number with its unit, and nothing else.
func only(s string) (canonical string, ok bool) {
	s = unwrap(s)
	m := signOf.FindStringSubmatch(s)
	s = s[len(m[0]):]
	sign := m[1] + m[2] // before or behind a currency
	n := numeralAt(s)
	if n.value == nil || len(sign) > 1 || !isUnit(s[n.length:]) {
		return "", false
	}
	if sign == "-" {
		n.value.Neg(n.value)
	}
	return canonicalForm(n.value)
}

// NLI returns the final answer of a natural-language-inference problem (§8.2): "entailment", "neutral" or "contradiction".
func NLI(text string) (canonical string, ok bool) {
	content, ok := boxed(text)
	if !ok {
		return "", false
	}
	switch label := strings.Trim(strings.ToLower(content), "'\"`‘’“” \t\r\n.,;:!"); label {
	case "entailment", "neutral", "contradiction":
		return label, true
	}
	return "", false
}

// boxed returns the content of the last box without the markup that only changes its looks.
func boxed(text string) (content string, ok bool) {
	said, alone := Member(text, "answer")
	if alone {
		text = said
	}
	b, ok := LastBox(text)
	if !ok {
		return unwrap(said), alone
	}
	return unwrap(b.Content(text)), true
}

// Member is a member of the JSON object that a text is, as answers of a schema are: a text as it is, anything else as its JSON. ok is false where the text is no
// object, or has no such member.
func Member(text, name string) (value string, ok bool) {
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return "", false
	}
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &members) != nil {
		return "", false
	}
	raw, ok := members[name]
	if json.Unmarshal(raw, &value) != nil || string(raw) == "null" {
		value = string(raw)
	}
	return value, ok
}

// wrappers are pairs that may enclose a whole content without changing its meaning.
var wrappers = [][2]string{
	{`\text{`, `}`}, {`\textbf{`, `}`}, {`\mathrm{`, `}`}, {`\mathbf{`, `}`}, {`$`, `$`}, {`\(`, `\)`}, {`{`, `}`}, {`(`, `)`},
}

// unwrap takes away wrappers from the outside in, as long as there are any.
func unwrap(s string) string {
	for {
		s = strings.TrimSpace(s)
		inner, ok := unwrapOnce(s)
		if !ok {
			return s
		}
		s = inner
	}
}

func unwrapOnce(s string) (inner string, ok bool) {
	for _, w := range wrappers {
		if inner, ok := within(s, w[0], w[1]); ok { // \text{a} and \text{b} begins and ends like one wrapper
			return inner, true
		}
	}
	return "", false
}

// balanced says whether every closing brace has an opening one before it, and the other way round.
func balanced(s string) bool {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth < 0 {
				return false
			}
		}
	}
	return depth == 0
}
