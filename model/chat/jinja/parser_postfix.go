package jinja

import "errors"

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

// filtersAndTests reads what binds least after an expression: |filter, is test, and a call of their result.
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

// unsupported fails at the name just read, or returns the error for when it is reached: templates guard by if what not every
// version of Jinja has.
func (p *parser) unsupported(what, name string) error {
	if p.ifs == 0 {
		p.at--
		p.fail("%s %q is not supported", what, name)
	}
	return errors.New("it is not supported")
}

// filter reads a filter's name and arguments.
func (p *parser) filter(x expr) *filterExpr {
	name := p.expectName()
	fn, ok := filters[name]
	if !ok {
		err := p.unsupported("filter", name)
		fn = func(*run, any, callArgs) (any, error) { return nil, err }
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
		err := p.unsupported("test", name)
		fn = func(*run, any, []any) (bool, error) { return false, err }
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

// endsTest says whether a word after a test belongs to what is around it. As in Jinja, other words such as if are taken for the argument, so
// that "x is defined if y" is an error: the test needs parentheses.
func endsTest(word string) bool { return word == "and" || word == "or" || word == "else" }
