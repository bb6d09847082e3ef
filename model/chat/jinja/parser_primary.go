package jinja

import (
	"math/big"
	"strconv"
	"strings"
)

// primary reads a name, a literal, or what stands in brackets.
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
