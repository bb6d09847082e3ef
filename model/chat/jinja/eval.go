package jinja

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
)

func (l *literal) eval(*run, *scope) (any, error) { return l.value, nil }

// eval returns a variable. Names that Jinja defines by itself and parley does not are refused.
func (n *name) eval(_ *run, s *scope) (any, error) {
	v := s.get(n.name)
	if _, missing := v.(undefined); missing {
		switch n.name {
		case "lipsum", "cycler", "joiner", "self", "varargs", "kwargs":
			return nil, fmt.Errorf("the name %s is not supported", n.name)
		}
	}
	return v, nil
}

func (l *listExpr) eval(r *run, s *scope) (any, error) { return r.evalAll(l.items, s) }

func (t *tupleExpr) eval(r *run, s *scope) (any, error) {
	list, err := r.evalAll(t.items, s)
	return tuple(list), err
}

// evalAll computes several expressions in order.
func (r *run) evalAll(xs []expr, s *scope) ([]any, error) {
	list := make([]any, len(xs))
	for i, x := range xs {
		v, err := r.eval(x, s)
		if err != nil {
			return nil, err
		}
		list[i] = v
	}
	return list, nil
}

func (d *dictExpr) eval(r *run, s *scope) (any, error) {
	o := &Object{}
	for i := range d.keys {
		key, err := r.eval(d.keys[i], s)
		if err != nil {
			return nil, err
		}
		value, err := r.eval(d.values[i], s)
		if err != nil {
			return nil, err
		}
		if !o.put(key, value) {
			return nil, fmt.Errorf("unhashable type: '%s'", TypeName(key))
		}
	}
	return o, nil
}

func (u *unaryExpr) eval(r *run, s *scope) (any, error) {
	v, err := r.eval(u.x, s)
	if err != nil {
		return nil, err
	}
	if u.op == "not" {
		return !truth(v), nil
	}
	if un, ok := v.(undefined); ok {
		return nil, errors.New(un.why)
	}
	sign := int64(1)
	if u.op == "-" {
		sign = -1
	}
	switch v := v.(type) {
	case bool:
		return sign * toInt(v), nil
	case int64:
		return sign * v, nil
	case float64:
		return float64(sign) * v, nil
	case *big.Int:
		return new(big.Int).Mul(v, big.NewInt(sign)), nil
	}
	return nil, fmt.Errorf("bad operand type for unary %s: '%s'", u.op, TypeName(v))
}

func (b *binaryExpr) eval(r *run, s *scope) (any, error) {
	x, err := r.eval(b.x, s)
	if err != nil {
		return nil, err
	}
	y, err := r.eval(b.y, s)
	if err != nil {
		return nil, err
	}
	return arithmetic(r, b.op, x, y)
}

// eval joins what the parts print as.
func (c *concatExpr) eval(r *run, s *scope) (any, error) {
	var b strings.Builder
	for _, part := range c.parts {
		v, err := r.eval(part, s)
		if err != nil {
			return nil, err
		}
		text, err := r.str(v)
		if err != nil {
			return nil, err
		}
		if b.Len()+len(text) > maxOutput {
			return nil, errOutput
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

// eval returns the operand that decided, as Python's and and or do.
func (l *logicExpr) eval(r *run, s *scope) (any, error) {
	v, err := r.eval(l.x, s)
	if err != nil || truth(v) == l.or {
		return v, err
	}
	return r.eval(l.y, s)
}

func (c *condExpr) eval(r *run, s *scope) (any, error) {
	v, err := r.eval(c.cond, s)
	switch {
	case err != nil:
		return nil, err
	case truth(v):
		return r.eval(c.then, s)
	case c.otherwise == nil:
		return undefined{"the inline if-expression evaluated to false and no else section was defined"}, nil
	}
	return r.eval(c.otherwise, s)
}

// eval compares left to right and stops at the first comparison that fails: a < b < c.
func (c *compareExpr) eval(r *run, s *scope) (any, error) {
	x, err := r.eval(c.x, s)
	if err != nil {
		return nil, err
	}
	for i, op := range c.ops {
		y, err := r.eval(c.rest[i], s)
		if err != nil {
			return nil, err
		}
		ok, err := relation(r, op, x, y)
		if err != nil || !ok {
			return false, err
		}
		x = y
	}
	return true, nil
}

func (a *attrExpr) eval(r *run, s *scope) (any, error) {
	v, err := r.eval(a.of, s)
	if err != nil {
		return nil, err
	}
	return attribute(v, a.name)
}

func (x *indexExpr) eval(r *run, s *scope) (any, error) {
	v, err := r.eval(x.of, s)
	if err != nil {
		return nil, err
	}
	index, err := r.eval(x.index, s)
	if err != nil {
		return nil, err
	}
	return item(r, v, index)
}

// callArgs are the arguments of a call.
type callArgs struct {
	positional []any
	named      *Object   // nil: none
	caller     *callable // the body of a call block
}

func (a *argExprs) eval(r *run, s *scope) (args callArgs, err error) {
	if args.positional, err = r.evalAll(a.positional, s); err != nil {
		return args, err
	}
	for i, key := range a.names {
		v, err := r.eval(a.named[i], s)
		if err != nil {
			return args, err
		}
		if args.named == nil {
			args.named = &Object{}
		}
		args.named.put(key, v)
	}
	return args, nil
}

func (c *callExpr) eval(r *run, s *scope) (any, error) {
	fn, err := r.eval(c.fn, s)
	if err != nil {
		return nil, err
	}
	args, err := c.args.eval(r, s)
	if err != nil {
		return nil, err
	}
	return call(r, fn, args)
}

func call(r *run, fn any, args callArgs) (any, error) {
	switch fn := fn.(type) {
	case *callable:
		return fn.call(r, args)
	case undefined:
		return nil, errors.New(fn.why)
	}
	return nil, fmt.Errorf("'%s' object is not callable", TypeName(fn))
}

func (f *filterExpr) eval(r *run, s *scope) (any, error) {
	v, err := r.eval(f.x, s)
	if err != nil {
		return nil, err
	}
	return f.apply(r, s, v)
}

func (f *filterExpr) apply(r *run, s *scope, v any) (any, error) {
	args, err := f.args.eval(r, s)
	if err != nil {
		return nil, err
	}
	out, err := f.fn(r, v, args)
	if err != nil {
		return nil, fmt.Errorf("filter %s: %w", f.name, err)
	}
	return out, nil
}

func (t *testExpr) eval(r *run, s *scope) (any, error) {
	v, err := r.eval(t.x, s)
	if err != nil {
		return nil, err
	}
	args, err := t.args.eval(r, s)
	if err != nil {
		return nil, err
	}
	ok, err := t.fn(r, v, args.positional)
	if err != nil {
		return nil, fmt.Errorf("test %s: %w", t.name, err)
	}
	return ok, nil
}
