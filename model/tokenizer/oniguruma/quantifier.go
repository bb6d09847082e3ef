package oniguruma

import (
	"regexp"
	"strconv"
	"strings"
)

// mostRepeats is the highest number of a repetition.
const mostRepeats = 100_000

// interval is {n}, {n,}, {,m} or {n,m}; other braces stand for themselves.
var interval = regexp.MustCompile(`^\{(?:(\d+)(,?)(\d*)|(,)(\d+))\}`)

// quantified reads the quantifier of an atom, if there is one.
func (p *parser) quantified(atom string) string {
	if p.rest == "" {
		return atom
	}
	var out string
	if m := interval.FindStringSubmatch(p.rest); m != nil {
		p.rest = p.rest[len(m[0]):]
		out = p.repeated(atom, m)
	} else if strings.IndexByte("*+?", p.rest[0]) >= 0 {
		out = atom + string(p.next())
		switch {
		case p.take("?"):
			out += "?"
		case p.take("+"):
			if p.behind {
				p.failf("a look-behind has a possessive quantifier")
			}
			out = "(?>" + out + ")"
		}
	} else {
		return atom
	}
	if p.rest != "" && (strings.IndexByte("*+?", p.rest[0]) >= 0 || interval.MatchString(p.rest)) {
		p.failf("a quantifier of a quantifier is not supported: %.20q", p.rest)
	}
	return out
}

// repeated writes an interval. An interval with a plus is repeated as a whole; {n} with a question mark matches n times
// or not at all.
func (p *parser) repeated(atom string, m []string) string {
	low, high := p.count(m[1]), p.count(m[3]+m[5])
	exact := m[2]+m[4] == ""
	out := atom + "{" + strconv.Itoa(low) + "}"
	switch {
	case exact:
	case m[3]+m[5] == "":
		out = atom + "{" + strconv.Itoa(low) + ",}"
	case low > high:
		p.failf("a repetition from %d to %d is not supported", low, high)
	default:
		out = atom + "{" + strconv.Itoa(low) + "," + strconv.Itoa(high) + "}"
	}
	switch lazy := p.take("?"); {
	case lazy && exact:
		return "(?:" + out + ")?"
	case lazy:
		return out + "?"
	case p.take("+"):
		return "(?:" + out + ")+"
	}
	return out
}

// count reads the number of a repetition, 0 where there is none.
func (p *parser) count(digits string) int {
	if digits == "" {
		return 0
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n > mostRepeats {
		p.failf("a repetition has more than %d times", mostRepeats)
	}
	return n
}
