package form

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// A decimal is a number as it is written, in full and without zeros that mean nothing.
type decimal struct {
	negative        bool
	whole, fraction string // digits; whole is "0" of numbers below 1, fraction has no zeros at its end
}

// mostDigits bounds numbers in schemas.
const mostDigits = 400

// parseDecimal reads a number of JSON.
func parseDecimal(s string) (decimal, error) {
	mantissa, power, scaled := strings.Cut(strings.ToLower(s), "e")
	exponent := 0
	if scaled {
		var err error
		if exponent, err = strconv.Atoi(power); err != nil {
			exponent = mostDigits + 1
		}
	}
	digits, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	if max(exponent, -exponent)+len(whole)+len(fraction) > mostDigits {
		return decimal{whole: "0"}, fmt.Errorf("the number %s has more than %d digits", s, mostDigits)
	}
	if exponent > 0 {
		fraction += strings.Repeat("0", exponent)
		whole, fraction = whole+fraction[:exponent], fraction[exponent:]
	} else {
		whole = strings.Repeat("0", -exponent) + whole
		at := len(whole) + exponent
		whole, fraction = whole[:at], whole[at:]+fraction
	}
	d := decimal{negative, strings.TrimLeft(whole, "0"), strings.TrimRight(fraction, "0")}
	if d.whole == "" {
		d.whole = "0"
		d.negative = d.negative && d.fraction != ""
	}
	return d, nil
}

func (d decimal) String() string {
	s := strings.TrimSuffix(d.whole+"."+d.fraction, ".")
	if d.negative {
		s = "-" + s
	}
	return s
}

func (d decimal) zero() bool { return d.whole == "0" && d.fraction == "" }

// rat is the exact value.
func (d decimal) rat() *big.Rat {
	r, _ := new(big.Rat).SetString(d.String()) // digits always parse
	return r
}

// A bound is where numbers begin or end.
type bound struct {
	decimal
	open bool // the number itself is outside
	none bool
}

// bounds are the least and the greatest number.
type bounds struct{ low, high bound }

// numberBounds reads those of a schema: of two bounds the narrower one.
func numberBounds(v value, at string) bounds {
	return bounds{
		narrower(readBound(v, "minimum", false, at), readBound(v, "exclusiveMinimum", true, at), 1),
		narrower(readBound(v, "maximum", false, at), readBound(v, "exclusiveMaximum", true, at), -1),
	}
}

func readBound(v value, name string, open bool, at string) bound {
	m, ok := v.member(name)
	if !ok {
		return bound{none: true}
	}
	if m.kind != number {
		refuse(at, "%s must be a number", name)
	}
	d, err := parseDecimal(m.text)
	if err != nil {
		refuse(at, "%s: %v", name, err)
	}
	return bound{decimal: d, open: open}
}

// narrower is the one of two bounds that excludes more: the larger one where sign is 1, the smaller one where it is -1.
func narrower(closed, open bound, sign int) bound {
	if open.none || !closed.none && closed.rat().Cmp(open.rat())*sign > 0 {
		return closed
	}
	return open
}

// numeral adds numbers within bounds.
func (c *compiler) numeral(b bounds, integer bool, at string, from, to int32) {
	if b.low.none && b.high.none {
		expression := `-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`
		if integer {
			expression = `-?(0|[1-9][0-9]*)`
		}
		c.parts(parseExpression(expression, at)[0].parts, at, from, to, false)
		return
	}
	if integer {
		b = b.whole()
	}
	if !b.low.none && !b.high.none {
		if order := b.low.rat().Cmp(b.high.rat()); order > 0 || order == 0 && (b.low.open || b.high.open) {
			refuse(at, "nothing fits between the least and the greatest number")
		}
	}
	zero := bound{decimal: decimal{whole: "0"}}
	if b.high.none || !b.high.negative && !(b.high.zero() && b.high.open) {
		low := b.low
		if low.none || low.negative {
			low = zero
		}
		c.magnitudes(bounds{low, b.high}, integer, from, to)
	}
	if b.low.none || b.low.negative {
		least := zero
		least.open = true
		if b.high.negative {
			least = b.high
		}
		minus := c.newNode()
		c.edge(from, '-', '-', minus)
		if integer && least.zero() {
			least = bound{decimal: decimal{whole: "1"}}
		}
		c.magnitudes(bounds{least, b.low}, integer, minus, to)
	}
}

// whole is the bounds of the integers within bounds.
func (b bounds) whole() bounds {
	return bounds{b.low.round(1), b.high.round(-1)}
}

// round is the first integer at or behind a bound, in the direction of sign.
func (b bound) round(sign int64) bound {
	if b.none {
		return b
	}
	r := b.rat()
	n := new(big.Int).Div(r.Num(), r.Denom()) // rounds down: denominators are positive
	switch {
	case r.IsInt() && b.open:
		n.Add(n, big.NewInt(sign))
	case !r.IsInt() && sign > 0:
		n.Add(n, big.NewInt(1))
	}
	return bound{decimal: decimal{n.Sign() < 0, new(big.Int).Abs(n).String(), ""}}
}

// A magnitude makes the automaton of numbers without a sign within bounds, whose signs it ignores.
type magnitude struct {
	*compiler
	bounds
	integer bool
	to      int32
	nodes   map[place]int32
}

// A place is how far a number is written, and whether it is so far the beginning of a bound.
type place struct {
	left      int  // digits before the point still to come; -1: behind the point
	at        int  // digits written in this part, where one of the bounds is followed
	low, high bool // the bound is followed
}

// magnitudes adds the numbers without sign within bounds.
func (c *compiler) magnitudes(b bounds, integer bool, from, to int32) {
	m := &magnitude{c, b, integer, to, map[place]int32{}}
	shortest, longest := len(b.low.whole), len(b.high.whole)
	m.whole(from, place{shortest, 0, true, !b.high.none && shortest == longest}, shortest > 1)
	if !b.high.none && shortest < longest {
		m.whole(from, place{longest, 0, false, true}, true)
	}
	// Numbers with more digits than the least and fewer than the greatest are all within. They share their nodes, however many lengths there are.
	first := byte('1')
	for n := 1; b.high.none && n <= shortest+1 || n < longest; n++ {
		next := c.newNode()
		c.edge(from, first, '9', next)
		if n > shortest {
			m.behindWhole(next, false, false)
		}
		from, first = next, '0'
	}
	if b.high.none {
		c.edge(from, '0', '9', from)
	}
}

// whole adds the digits before the point that may come next.
func (m *magnitude) whole(node int32, p place, leading bool) {
	if p.left == 0 {
		m.behindWhole(node, p.low, p.high)
		return
	}
	first, last := byte('0'), byte('9')
	if leading {
		first = '1'
	}
	if p.low {
		first = max(first, m.low.whole[p.at])
	}
	if p.high {
		last = m.high.whole[p.at]
	}
	for d := first; d <= last; d++ {
		next := place{p.left - 1, p.at + 1, p.low && d == m.low.whole[p.at], p.high && d == m.high.whole[p.at]}
		if !next.low && !next.high {
			next.at = 0
		}
		m.digit(node, d, next, func(n int32) { m.whole(n, next, false) })
	}
}

// digit adds an edge to a place, which fill makes where it is new.
func (m *magnitude) digit(node int32, d byte, p place, fill func(node int32)) {
	to, ok := m.nodes[p]
	if !ok {
		to = m.newNode()
		m.nodes[p] = to
		fill(to)
	}
	m.edge(node, d, d, to)
}

// behindWhole adds what may follow the digits before the point.
func (m *magnitude) behindWhole(node int32, low, high bool) {
	if !(low && (m.low.fraction != "" || m.low.open)) && !(high && m.high.fraction == "" && m.high.open) {
		m.empty(node, m.to)
	}
	if m.integer {
		return
	}
	dot := m.newNode()
	m.edge(node, '.', '.', dot)
	m.fraction(dot, place{-1, 0, low && (m.low.fraction != "" || m.low.open), high})
}

// fraction adds the digits behind the point that may come next. Behind the last digit of a whole number zeros may follow; those of a greatest number
// with a fraction are its last.
func (m *magnitude) fraction(node int32, p place) {
	first, last := byte('0'), byte('9')
	if p.low {
		first = digitAt(m.low.fraction, p.at)
	}
	if p.high {
		if last = digitAt(m.high.fraction, p.at); p.at >= len(m.high.fraction) && m.high.fraction != "" {
			return
		}
	}
	for d := first; d <= last; d++ {
		next := place{-1, min(p.at+1, max(len(m.low.fraction), len(m.high.fraction))), p.low && d == first, p.high && d == last}
		if next.low && next.at >= len(m.low.fraction) && !m.low.open {
			next.low = false // no digit leads below any more
		}
		if !next.low && !next.high {
			next.at = 0
		}
		m.digit(node, d, next, func(n int32) {
			if !next.low && !(next.high && next.at >= len(m.high.fraction) && m.high.open) {
				m.empty(n, m.to)
			}
			m.fraction(n, next)
		})
	}
}

func digitAt(digits string, i int) byte {
	if i < len(digits) {
		return digits[i]
	}
	return '0'
}
