package chat

import (
	"math/big"
	"strconv"
	"strings"
)

// expression reads one expression, inline if included.
func (p *parser) expression() expr {
	p.enter()
	defer p.leave()
	x := p.or()
	for p.accept(tokName, "if") {
		c := &condExpr{then: x, cond: p.or()}
		if p.accept(tokName, "else") {
			c.otherwise = p.expression()
		}
		x = c
	}
	return x
}

// tuple reads one expression, or several with commas between them as a tuple. Without conditional, an if ends it.
func (p *parser) tuple(conditional bool) expr {
	one := p.or
	if conditional {
		one = p.expression
	}
	x := one()
	if !p.op(",") {
		return x
	}
	t := &tupleExpr{items: []expr{x}}
	for p.accept(tokOp, ",") {
		if p.tupleEnds() {
			break
		}
		t.items = append(t.items, one())
	}
	return t
}

func (p *parser) tupleEnds() bool {
	switch p.peek().kind {
	case tokVarEnd, tokBlockEnd, tokEOF:
		return true
	}
	return p.op(")") || p.word("if")
}

func (p *parser) or() expr {
	x := p.and()
	for p.accept(tokName, "or") {
		x = &logicExpr{true, x, p.and()}
	}
	return x
}

func (p *parser) and() expr {
	x := p.not()
	for p.accept(tokName, "and") {
		x = &logicExpr{false, x, p.not()}
	}
	return x
}

func (p *parser) not() expr {
	p.enter()
	defer p.leave()
	if p.accept(tokName, "not") {
		return &unaryExpr{"not", p.not()}
	}
	return p.compare()
}

func (p *parser) compare() expr {
	x := p.sum()
	c := &compareExpr{x: x}
	for {
		op := p.compareOp()
		if op == "" {
			break
		}
		c.ops, c.rest = append(c.ops, op), append(c.rest, p.sum())
	}
	if len(c.ops) == 0 {
		return x
	}
	return c
}

// compareOp consumes a comparison operator, if there is one.
func (p *parser) compareOp() string {
	t := p.peek()
	switch {
	case t.kind == tokOp && strings.Contains(" == != < <= > >= ", " "+t.text+" "):
		return p.next().text
	case p.accept(tokName, "in"):
		return "in"
	case p.word("not") && p.tokens[p.at+1].kind == tokName && p.tokens[p.at+1].text == "in":
		p.next()
		p.next()
		return "not in"
	}
	return ""
}

func (p *parser) sum() expr { return p.binary(p.concat, "+", "-") }

func (p *parser) concat() expr {
	x := p.product()
	if !p.op("~") {
		return x
	}
	c := &concatExpr{parts: []expr{x}}
	for p.accept(tokOp, "~") {
		c.parts = append(c.parts, p.product())
	}
	return c
}

func (p *parser) product() expr { return p.binary(p.power, "*", "/", "//", "%") }
func (p *parser) power() expr {
	return p.binary(func() expr { return p.unary(true) }, "**")
}

// binary reads a left-associative chain of operands with one of ops between them.
func (p *parser) binary(operand func() expr, ops ...string) expr {
	x := operand()
next:
	for {
		for _, op := range ops {
			if p.accept(tokOp, op) {
				x = &binaryExpr{op, x, operand()}
				continue next
			}
		}
		return x
	}
}

// unary reads a sign, a primary, and what follows it. Filters bind less than a sign.
func (p *parser) unary(filters bool) expr {
	p.enter()
	defer p.leave()
	var x expr
	switch {
	case p.accept(tokOp, "-"):
		x = &unaryExpr{"-", p.unary(false)}
	case p.accept(tokOp, "+"):
		x = &unaryExpr{"+", p.unary(false)}
	default:
		x = p.primary()
	}
	x = p.postfix(x)
	if filters {
		x = p.filtersAndTests(x)
	}
	return x
}

func (p *parser) primary() expr {
	t := p.next()
	switch t.kind {
	case tokName:
		return primaryName(t.text)
	case tokString:
		s := t.text
		for p.peek().kind == tokString {
			s += p.next().text
		}
		return &literal{s}
	case tokInt:
		return p.integer(t.text)
	case tokFloat:
		f, _ := strconv.ParseFloat(t.text, 64) // an overflow is infinity, as in Python
		return &literal{f}
	case tokOp:
		switch t.text {
		case "(":
			return p.parenthesised()
		case "[":
			return p.list()
		case "{":
			return p.dict()
		}
	}
	p.at--
	p.fail("expected an expression, found %s", t)
	return nil
}

func primaryName(s string) expr {
	switch s {
	case "true", "True":
		return &literal{true}
	case "false", "False":
		return &literal{false}
	case "none", "None":
		return &literal{nil}
	}
	return &name{s}
}

func (p *parser) integer(s string) expr {
	if i, err := strconv.ParseInt(s, 0, 64); err == nil {
		return &literal{i}
	}
	i, ok := new(big.Int).SetString(strings.TrimLeft(s, "0"), 10)
	switch {
	case strings.Trim(s, "0") == "":
		return &literal{int64(0)}
	case !ok || len(s) > 1000 || s[0] == '0':
		p.fail("%s is not a whole number", s)
	}
	return &literal{i}
}

func (p *parser) parenthesised() expr {
	if p.accept(tokOp, ")") {
		return &tupleExpr{}
	}
	x := p.tuple(true)
	p.expect(tokOp, ")")
	return x
}

func (p *parser) list() expr {
	x := &listExpr{}
	for !p.accept(tokOp, "]") {
		if len(x.items) > 0 {
			p.expect(tokOp, ",")
			if p.accept(tokOp, "]") {
				break
			}
		}
		x.items = append(x.items, p.expression())
	}
	return x
}

func (p *parser) dict() expr {
	x := &dictExpr{}
	for !p.accept(tokOp, "}") {
		if len(x.keys) > 0 {
			p.expect(tokOp, ",")
			if p.accept(tokOp, "}") {
				break
			}
		}
		x.keys = append(x.keys, p.expression())
		p.expect(tokOp, ":")
		x.values = append(x.values, p.expression())
	}
	return x
}

// postfix reads attributes, indices and calls.
func (p *parser) postfix(x expr) expr {
	for {
		switch {
		case p.accept(tokOp, "."):
			t := p.next()
			switch t.kind {
			case tokName:
				x = &attrExpr{x, t.text}
			case tokInt:
				x = &indexExpr{x, p.integer(t.text)}
			default:
				p.at--
				p.fail("expected a name after the dot, found %s", t)
			}
		case p.accept(tokOp, "["):
			x = p.index(x)
		case p.op("("):
			x = &callExpr{x, p.args()}
		default:
			return x
		}
	}
}

// index reads an index or a slice; the [ has been consumed.
func (p *parser) index(of expr) expr {
	var parts [3]expr
	colons := 0
	for !p.accept(tokOp, "]") {
		switch {
		case colons < 2 && p.accept(tokOp, ":"):
			colons++
		case parts[colons] == nil:
			parts[colons] = p.expression()
		default:
			p.fail("expected \"]\", found %s", p.peek())
		}
	}
	if colons > 0 {
		return &sliceExpr{of, parts[0], parts[1], parts[2]}
	}
	if parts[0] == nil {
		p.fail("an index is missing between [ and ]")
	}
	return &indexExpr{of, parts[0]}
}

// args reads the arguments of a call with their parentheses.
func (p *parser) args() (a argExprs) {
	p.expect(tokOp, "(")
	for first := true; !p.accept(tokOp, ")"); first = false {
		if !first {
			p.expect(tokOp, ",")
			if p.accept(tokOp, ")") {
				break
			}
		}
		if p.op("*") || p.op("**") {
			p.fail("arguments spread with %s are not supported", p.peek())
		}
		if p.peek().kind == tokName && p.tokens[p.at+1].kind == tokOp && p.tokens[p.at+1].text == "=" {
			a.names = append(a.names, p.next().text)
			p.next()
			a.named = append(a.named, p.expression())
			continue
		}
		if len(a.names) > 0 {
			p.fail("an argument without a name follows one with a name")
		}
		a.positional = append(a.positional, p.expression())
	}
	return a
}

func (p *parser) filtersAndTests(x expr) expr {
	for {
		switch {
		case p.accept(tokOp, "|"):
			x = p.filter(x)
		case p.accept(tokName, "is"):
			x = p.test(x)
		case p.op("("):
			x = &callExpr{x, p.args()}
		default:
			return x
		}
	}
}

// filter reads a filter's name and arguments.
func (p *parser) filter(x expr) *filterExpr {
	name := p.expectName()
	fn, ok := filters[name]
	if !ok {
		p.at--
		p.fail("filter %q is not supported", name)
	}
	f := &filterExpr{x: x, name: name, fn: fn}
	if p.op("(") {
		f.args = p.args()
	}
	return f
}

// test reads what follows is: a test's name and arguments, the only one of which may stand without parentheses.
func (p *parser) test(x expr) expr {
	negated := p.accept(tokName, "not")
	name := p.expectName()
	fn, ok := tests[name]
	if !ok {
		p.at--
		p.fail("test %q is not supported", name)
	}
	t := &testExpr{x: x, name: name, fn: fn}
	switch next := p.peek(); {
	case p.op("("):
		t.args = p.args()
	case p.word("is"):
		p.fail("tests cannot be chained with is")
	case next.kind == tokString, next.kind == tokInt, next.kind == tokFloat, p.op("["), p.op("{"),
		next.kind == tokName && !endsTest(next.text):
		t.args.positional = []expr{p.postfix(p.primary())}
	}
	if negated {
		return &unaryExpr{"not", t}
	}
	return t
}

// endsTest says whether a word after a test belongs to what is around it.
func endsTest(word string) bool {
	switch word {
	case "and", "or", "else", "if", "in", "not":
		return true
	}
	return false
}
