package jinja

import (
	"errors"
	"fmt"
	"slices"
)

// maxParseDepth bounds nested brackets and blocks.
const maxParseDepth = 200

// parser turns tokens into statements.
type parser struct {
	tokens []token
	at     int
	depth  int
	loops  int // how many for bodies enclose this place: break and continue need one
	ifs    int // how many if bodies do: there, unknown filters and tests are errors only when they are reached
}

// syntaxError stops parsing; it is recovered in parse.
type syntaxError struct {
	line int
	err  error
}

// parse reads a whole template.
func parse(source string) (body []stmt, err error) {
	tokens, err := lex(source)
	if err != nil {
		return nil, err
	}
	p := &parser{tokens: tokens}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case syntaxError:
			body, err = nil, &Error{Line: e.line, Err: e.err}
		default:
			panic(e)
		}
	}()
	body = p.body()
	if p.peek().kind != tokEOF {
		p.next()
		p.fail("tag %s has nothing to end or continue", p.peek())
	}
	return body, nil
}

func (p *parser) fail(format string, args ...any) {
	panic(syntaxError{p.peek().line, fmt.Errorf(format, args...)})
}

func (p *parser) peek() token { return p.tokens[p.at] }

func (p *parser) next() token {
	t := p.tokens[p.at]
	if t.kind != tokEOF {
		p.at++
	}
	return t
}

// is says whether the next token is this operator or name.
func (p *parser) is(kind tokenKind, text string) bool {
	return p.peek().kind == kind && p.peek().text == text
}

func (p *parser) op(text string) bool   { return p.is(tokOp, text) }
func (p *parser) word(text string) bool { return p.is(tokName, text) }

// accept consumes the next token when it is this operator or name.
func (p *parser) accept(kind tokenKind, text string) bool {
	ok := p.is(kind, text)
	if ok {
		p.next()
	}
	return ok
}

func (p *parser) expect(kind tokenKind, text string) {
	if !p.is(kind, text) {
		p.fail("expected %q, found %s", text, p.peek())
	}
	p.next()
}

func (p *parser) expectName() string {
	if p.peek().kind != tokName {
		p.fail("expected a name, found %s", p.peek())
	}
	return p.next().text
}

// enter counts one level of nesting; leave with defer p.leave().
func (p *parser) enter() {
	if p.depth++; p.depth > maxParseDepth {
		p.fail("nested more than %d deep", maxParseDepth)
	}
}

func (p *parser) leave() { p.depth-- }

// body reads statements up to a block tag named in ends, whose {% is not consumed, or to the end of the template.
func (p *parser) body(ends ...string) []stmt {
	p.enter()
	defer p.leave()
	var body []stmt
	for {
		t := p.peek()
		switch t.kind {
		case tokEOF:
			if len(ends) > 0 {
				p.fail("the template ends where {%% %s %%} is missing", ends[len(ends)-1])
			}
			return body
		case tokData:
			p.next()
			body = append(body, &dataStmt{at{t.line}, t.text})
		case tokVar:
			p.next()
			body = append(body, &printStmt{at{t.line}, p.tuple(true)})
			p.expect(tokVarEnd, "}}")
		default:
			tag := p.tokens[p.at+1]
			if tag.kind == tokName && (slices.Contains(ends, tag.text) || isEnd(tag.text)) {
				if len(ends) > 0 && !slices.Contains(ends, tag.text) {
					p.fail("found {%% %s %%} where {%% %s %%} is missing", tag.text, ends[len(ends)-1])
				}
				return body
			}
			p.next()
			body = append(body, p.statement(at{t.line}))
		}
	}
}

// isEnd says whether a tag of this name only ever ends or continues another.
func isEnd(name string) bool {
	switch name {
	case "elif", "else", "endif", "endfor", "endset", "endmacro", "endcall", "endfilter", "endgeneration":
		return true
	}
	return false
}

// end consumes the closing tag {% name %}.
func (p *parser) end(name string) {
	p.expect(tokBlock, "{%")
	p.expect(tokName, name)
	p.blockEnd()
}

func (p *parser) blockEnd() { p.expect(tokBlockEnd, "%}") }

// statement reads a tag whose {% has been consumed, and what it encloses.
func (p *parser) statement(at at) stmt {
	if p.peek().kind != tokName {
		p.fail("a tag must begin with a name, found %s", p.peek())
	}
	switch t := p.next(); t.text {
	case "if":
		return p.ifStatement(at)
	case "for":
		return p.forStatement(at)
	case "set":
		return p.setStatement(at)
	case "macro":
		def := &macroDef{name: p.expectName()}
		p.params(def)
		p.blockEnd()
		def.body = p.macroBody("endmacro")
		return &macroStmt{at, def}
	case "call":
		return p.callStatement(at)
	case "filter":
		filters := p.filterChain()
		p.blockEnd()
		body := p.body("endfilter")
		p.end("endfilter")
		return &filterStmt{at, filters, body}
	case "generation":
		p.blockEnd()
		return &generationStmt{at, p.macroBody("endgeneration")}
	case "break", "continue":
		if p.loops == 0 {
			p.fail("%s outside of a loop", t.text)
		}
		p.blockEnd()
		return &jumpStmt{at, map[string]error{"break": errBreak, "continue": errContinue}[t.text]}
	default:
		p.at--
		p.fail("tag %s is not supported", t)
		return nil
	}
}

// macroBody reads a body that loops outside of it cannot be left from.
func (p *parser) macroBody(end string) []stmt {
	loops := p.loops
	p.loops = 0
	body := p.body(end)
	p.loops = loops
	p.end(end)
	return body
}

func (p *parser) ifStatement(at at) stmt {
	s := &ifStmt{at: at}
	for {
		s.conds = append(s.conds, p.tuple(false))
		p.blockEnd()
		p.ifs++
		s.bodies = append(s.bodies, p.body("elif", "else", "endif"))
		p.ifs--
		p.expect(tokBlock, "{%")
		switch p.next().text {
		case "elif":
			continue
		case "else":
			p.blockEnd()
			p.ifs++
			s.otherwise = p.body("endif")
			p.ifs--
			p.end("endif")
			return s
		}
		p.blockEnd()
		return s
	}
}

func (p *parser) forStatement(at at) stmt {
	s := &forStmt{at: at, target: p.target(false)}
	p.expect(tokName, "in")
	s.over = p.tuple(false)
	if p.accept(tokName, "if") {
		s.filter = p.expression()
	}
	if p.word("recursive") {
		p.fail("recursive loops are not supported")
	}
	p.blockEnd()
	p.loops++
	s.body = p.body("else", "endfor")
	p.loops--
	p.expect(tokBlock, "{%")
	if p.next().text == "else" {
		p.blockEnd()
		s.otherwise = p.body("endfor")
		p.end("endfor")
		return s
	}
	p.blockEnd()
	return s
}

func (p *parser) setStatement(at at) stmt {
	t := p.target(true)
	if p.accept(tokOp, "=") {
		s := &setStmt{at, t, p.tuple(true)}
		p.blockEnd()
		return s
	}
	s := &setBlockStmt{at: at, target: t}
	if p.accept(tokOp, "|") {
		s.filters = p.filterChain()
	}
	p.blockEnd()
	s.body = p.body("endset")
	p.end("endset")
	return s
}

// callStatement reads {% call(params) macro(args) %}.
func (p *parser) callStatement(at at) stmt {
	def := &macroDef{name: "caller"}
	if p.op("(") {
		p.params(def)
	}
	call, ok := p.expression().(*callExpr)
	if !ok {
		p.fail("{%% call %%} needs a call of a macro")
	}
	p.blockEnd()
	def.body = p.macroBody("endcall")
	return &callStmt{at, def, call}
}

// params reads the parameters of a macro.
func (p *parser) params(def *macroDef) {
	p.expect(tokOp, "(")
	for !p.op(")") {
		if len(def.params) > 0 {
			p.expect(tokOp, ",")
		}
		def.params = append(def.params, p.expectName())
		if p.accept(tokOp, "=") {
			def.defaults = append(def.defaults, p.expression())
		} else if len(def.defaults) > 0 {
			p.fail("a parameter without a default follows one with a default")
		}
	}
	p.next()
}

// filterChain reads filters without what they are applied to: name(args)|name ...
func (p *parser) filterChain() []*filterExpr {
	chain := []*filterExpr{p.filter(nil)}
	for p.accept(tokOp, "|") {
		chain = append(chain, p.filter(nil))
	}
	return chain
}

// reserved are the words that cannot be assigned to.
var reserved = []string{"true", "false", "none", "True", "False", "None", "not", "and", "or", "in", "is", "if", "else"}

// target reads what is assigned to: names, with commas between them, in parentheses or not.
func (p *parser) target(attributes bool) target {
	first := p.oneTarget(attributes)
	if !p.op(",") {
		return first
	}
	list := []target{first}
	for p.accept(tokOp, ",") {
		if p.peek().kind != tokName && !p.op("(") || p.word("in") {
			break
		}
		list = append(list, p.oneTarget(attributes))
	}
	return target{tuple: list}
}

func (p *parser) oneTarget(attributes bool) target {
	p.enter()
	defer p.leave()
	if p.accept(tokOp, "(") {
		t := p.target(false)
		p.expect(tokOp, ")")
		return t
	}
	t := target{name: p.expectName()}
	if slices.Contains(reserved, t.name) {
		p.at--
		p.fail("%q cannot be assigned to", t.name)
	}
	if attributes && p.accept(tokOp, ".") {
		t.attr = p.expectName()
	}
	return t
}

var errBreak, errContinue = errors.New("break"), errors.New("continue")
