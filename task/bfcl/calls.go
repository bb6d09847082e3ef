package bfcl

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"go.starlark.net/syntax"
)

// A Call is one call of a function.
type Call struct {
	Name      string
	Arguments map[string]any
}

// key is the same for calls of one name and the same arguments, as they stand.
func (c Call) key() string { return c.Name + literal(c.Arguments) }

// fenced finds code between fences; one that is not closed goes on to the end.
var fenced = regexp.MustCompile("(?s)```(?:[\\w+-]*[ \t]*\n)?(.*?)(?:```|\\z)")

// read reads the calls of a text. ok is false where it has none and does not say so.
func read(text string, functions []function) (calls []Call, ok bool) {
	if blocks := fenced.FindAllStringSubmatch(text, -1); blocks != nil {
		var inside []string
		for _, b := range blocks {
			inside = append(inside, b[1])
		}
		text = strings.Join(inside, "\n")
	}
	if text = strings.TrimSpace(text); text == "" {
		return nil, true
	}
	if v, err := readJSON([]byte(text)); err == nil {
		return fromJSON(v)
	}
	return fromPython(text, functions)
}

// fromJSON reads an object or a list of them.
func fromJSON(v any) (calls []Call, ok bool) {
	list, many := v.([]any)
	if !many {
		list = []any{v}
	}
	for _, one := range list {
		object, _ := one.(map[string]any)
		c, ok := fromObject(object)
		if !ok {
			return nil, false
		}
		calls = append(calls, c)
	}
	return calls, true
}

// fromObject reads {"name": …, "arguments": {…}} and {NAME: {…}}.
func fromObject(object map[string]any) (c Call, ok bool) {
	if name, named := object["name"].(string); named {
		for _, key := range []string{"arguments", "parameters"} {
			if arguments, ok := object[key].(map[string]any); ok {
				return Call{name, arguments}, true
			}
		}
	}
	for name, v := range object {
		arguments, ok := v.(map[string]any)
		return Call{name, arguments}, ok && len(object) == 1
	}
	return c, false
}

// longest is how many bytes of Python are read: the parser calls itself at every bracket.
const longest = 1 << 16

// fromPython reads calls, one a statement, or one list of them.
func fromPython(text string, functions []function) (calls []Call, ok bool) {
	if len(text) > longest {
		return nil, false
	}
	file, err := (&syntax.FileOptions{}).Parse("answer", text, 0)
	if err != nil {
		return nil, false
	}
	var list []syntax.Expr
	for _, s := range file.Stmts {
		expression, ok := s.(*syntax.ExprStmt)
		if !ok {
			return nil, false
		}
		list = append(list, expression.X)
	}
	if len(list) == 1 {
		if all, ok := list[0].(*syntax.ListExpr); ok {
			list = all.List
		}
	}
	for _, x := range list {
		c, ok := fromCall(x, functions)
		if !ok {
			return nil, false
		}
		calls = append(calls, c)
	}
	return calls, len(calls) > 0
}

func fromCall(x syntax.Expr, functions []function) (c Call, ok bool) {
	call, ok := x.(*syntax.CallExpr)
	if !ok {
		return c, false
	}
	if c.Name, ok = dotted(call.Fn); !ok {
		return c, false
	}
	c.Arguments = map[string]any{}
	positions := order(functions, c.Name)
	for i, a := range call.Args {
		name := ""
		if named, ok := a.(*syntax.BinaryExpr); ok && named.Op == syntax.EQ {
			name, _ = dotted(named.X)
			a = named.Y
		} else if i < len(positions) {
			name = positions[i]
		}
		v, ok := value(a)
		if _, twice := c.Arguments[name]; !ok || twice || name == "" {
			return c, false
		}
		c.Arguments[name] = v
	}
	return c, true
}

// order is which arguments of a function come by position: those required, then the others as they are declared.
func order(functions []function, name string) []string {
	for _, f := range functions {
		if f.name == name {
			return f.order
		}
	}
	return nil
}

// dotted is a name such as math.sqrt.
func dotted(x syntax.Expr) (name string, ok bool) {
	switch x := x.(type) {
	case *syntax.Ident:
		return x.Name, true
	case *syntax.DotExpr:
		of, ok := dotted(x.X)
		return of + "." + x.Name.Name, ok
	}
	return "", false
}

var constants = map[string]any{"True": true, "False": false, "None": nil, "true": true, "false": false, "null": nil}

// value reads a literal.
func value(x syntax.Expr) (v any, ok bool) {
	switch x := x.(type) {
	case *syntax.ParenExpr:
		return value(x.X)
	case *syntax.Ident:
		v, ok = constants[x.Name]
		return v, ok
	case *syntax.Literal:
		if f, ok := x.Value.(float64); ok {
			return float(f), true
		}
		if x.Token == syntax.INT {
			return number(fmt.Sprint(x.Value)), true
		}
		return x.Value, x.Token == syntax.STRING
	case *syntax.UnaryExpr:
		return negative(x)
	case *syntax.ListExpr:
		return values(x.List)
	case *syntax.TupleExpr:
		return values(x.List)
	case *syntax.DictExpr:
		return dict(x)
	}
	return nil, false
}

func negative(x *syntax.UnaryExpr) (v any, ok bool) {
	v, _ = value(x.X)
	switch v := v.(type) {
	case *big.Int:
		return new(big.Int).Neg(v), x.Op == syntax.MINUS
	case float:
		return -v, x.Op == syntax.MINUS
	}
	return nil, false
}

func values(list []syntax.Expr) (v any, ok bool) {
	out := []any{}
	for _, x := range list {
		one, ok := value(x)
		if !ok {
			return nil, false
		}
		out = append(out, one)
	}
	return out, true
}

func dict(x *syntax.DictExpr) (v any, ok bool) {
	out := map[string]any{}
	for _, e := range x.List {
		entry := e.(*syntax.DictEntry)
		k, known := value(entry.Key)
		one, ok := value(entry.Value)
		if !known || !ok || slices.Contains([]string{"array", "dict"}, kind(k)) {
			return nil, false
		}
		name, isText := k.(string)
		if !isText {
			name = "\x00" + literal(k)
		}
		out[name] = one
	}
	return out, true
}

// merge lists the calls of all agents in their order, equal ones once.
func merge(agents ...[]Call) (merged []Call) {
	said := map[string]bool{}
	for _, calls := range agents {
		for _, c := range calls {
			if !said[c.key()] {
				said[c.key()] = true
				merged = append(merged, c)
			}
		}
	}
	return merged
}
