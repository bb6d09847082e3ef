package jinja

import (
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
