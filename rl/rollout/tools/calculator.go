package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
)

// calculate is what a model is told of the calculator.
var calculate = Function{
	Name:        "calculate",
	Description: "Compute an expression of numbers with + - * / and parentheses, exactly.",
	Parameters:  json.RawMessage(`{"type": "object", "properties": {"expression": {"type": "string", "description": "such as 12*(3+4)"}}, "required": ["expression"]}`),
}

// longestExpression bounds the work of one call, in bytes: values have at most so many digits.
const longestExpression = 200

// calculator is the built-in function calculate. It needs no sandbox.
func calculator(_ context.Context, arguments json.RawMessage) (Result, error) {
	var in struct{ Expression string }
	if err := json.Unmarshal(arguments, &in); err != nil {
		return wrong("%w", err), nil
	}
	value, err := compute(in.Expression)
	if err != nil {
		return wrong("%w", err), nil
	}
	if value.IsInt() {
		return Result{Text: value.Num().String()}, nil
	}
	text := strings.TrimRight(value.FloatString(6), "0")
	return Result{Text: strings.TrimRight(text, ".")}, nil
}

// compute is the value of an expression.
func compute(text string) (*big.Rat, error) {
	if len(text) > longestExpression {
		return nil, fmt.Errorf("the expression has %d characters, expected at most %d", len(text), longestExpression)
	}
	p := &expression{rest: strings.Map(func(r rune) rune {
		switch r {
		case ' ', '\t', '\n', '\r':
			return -1
		case '×', '·':
			return '*'
		case '÷', ':':
			return '/'
		case '−':
			return '-'
		}
		return r
	}, text)}
	value, err := p.sum()
	if err == nil && p.rest != "" {
		err = fmt.Errorf("%.20q is no part of an expression", p.rest)
	}
	return value, err
}

// An expression is read from its beginning: sums of products of factors.
type expression struct{ rest string }

// next takes one of some characters; 0: another one comes.
func (p *expression) next(some string) byte {
	if p.rest == "" || !strings.Contains(some, p.rest[:1]) {
		return 0
	}
	c := p.rest[0]
	p.rest = p.rest[1:]
	return c
}

func (p *expression) sum() (*big.Rat, error) {
	value, err := p.product()
	for err == nil {
		op := p.next("+-")
		if op == 0 {
			return value, nil
		}
		var other *big.Rat
		if other, err = p.product(); err != nil {
			break
		}
		if op == '-' {
			other.Neg(other)
		}
		value.Add(value, other)
	}
	return nil, err
}

func (p *expression) product() (*big.Rat, error) {
	value, err := p.factor()
	for err == nil {
		op := p.next("*/")
		if op == 0 {
			return value, nil
		}
		var other *big.Rat
		if other, err = p.factor(); err != nil {
			break
		}
		if op == '/' {
			if other.Sign() == 0 {
				return nil, errors.New("division by zero")
			}
			other.Inv(other)
		}
		value.Mul(value, other)
	}
	return nil, err
}

func (p *expression) factor() (*big.Rat, error) {
	switch p.next("+-(") {
	case '-':
		value, err := p.factor()
		if err == nil {
			value.Neg(value)
		}
		return value, err
	case '+':
		return p.factor()
	case '(':
		value, err := p.sum()
		if err == nil && p.next(")") == 0 {
			err = errors.New("a parenthesis is not closed")
		}
		return value, err
	}
	n := len(p.rest) - len(strings.TrimLeft(p.rest, "0123456789."))
	value, ok := new(big.Rat).SetString(p.rest[:n])
	if !ok || n == 0 {
		return nil, fmt.Errorf("%.20q is no number", p.rest)
	}
	p.rest = p.rest[n:]
	return value, nil
}
