package jinja

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode"
)

// str is Python's str(): how a value prints in a template.
func str(v any) (string, error) {
	if s, ok := text(v); ok {
		return s, nil
	}
	if _, ok := v.(undefined); ok {
		return "", nil
	}
	var b strings.Builder
	err := repr(&b, v, 0)
	return b.String(), err
}

// repr writes Python's repr(): how a value prints inside a container.
func repr(b *strings.Builder, v any, depth int) error {
	if depth > maxDepth {
		return errDepth
	}
	if b.Len() > maxOutput {
		return errOutput
	}
	switch v := v.(type) {
	case nil:
		b.WriteString("None")
	case bool:
		if v {
			b.WriteString("True")
		} else {
			b.WriteString("False")
		}
	case int64:
		b.WriteString(strconv.FormatInt(v, 10))
	case *big.Int:
		b.WriteString(v.String())
	case float64:
		b.WriteString(floatText(v))
	case string:
		reprString(b, v)
	case markup:
		b.WriteString("Markup(")
		reprString(b, string(v))
		b.WriteByte(')')
	case []any:
		return reprItems(b, "[", v, "]", depth)
	case tuple:
		if len(v) == 1 {
			return reprItems(b, "(", v, ",)", depth)
		}
		return reprItems(b, "(", v, ")", depth)
	case *Object:
		return reprObject(b, v, depth)
	case undefined:
		b.WriteString("Undefined")
	case *view:
		return reprView(b, v, depth)
	case *namespace:
		b.WriteString("<Namespace ")
		if err := reprObject(b, v.vars, depth); err != nil {
			return err
		}
		b.WriteByte('>')
	default:
		return fmt.Errorf("printing a %s is not supported", TypeName(v))
	}
	return nil
}

func reprItems(b *strings.Builder, open string, items []any, end string, depth int) error {
	b.WriteString(open)
	for i, item := range items {
		if i > 0 {
			b.WriteString(", ")
		}
		if err := repr(b, item, depth+1); err != nil {
			return err
		}
	}
	b.WriteString(end)
	return nil
}

func reprObject(b *strings.Builder, o *Object, depth int) error {
	b.WriteByte('{')
	for i := range o.Len() {
		if i > 0 {
			b.WriteString(", ")
		}
		if err := repr(b, o.keys[i], depth+1); err != nil {
			return err
		}
		b.WriteString(": ")
		if err := repr(b, o.values[i], depth+1); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}

// reprView prints dict views with their items and ranges by their bounds. Generators print an address in Python.
func reprView(b *strings.Builder, v *view, depth int) error {
	switch {
	case !v.sized:
		return fmt.Errorf("printing a generator is not meaningful; make it a list with |list or join it with |join")
	case v.indexable:
		b.WriteString(v.text)
		return nil
	}
	b.WriteString(v.text)
	return reprItems(b, "([", v.items, "])", depth)
}

// reprString quotes as Python does: with ' unless the string holds ' and no ".
func reprString(b *strings.Builder, s string) {
	quote := '\''
	if strings.ContainsRune(s, '\'') && !strings.ContainsRune(s, '"') {
		quote = '"'
	}
	b.WriteRune(quote)
	for _, c := range s {
		switch {
		case c == quote || c == '\\':
			b.WriteRune('\\')
			b.WriteRune(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\t':
			b.WriteString(`\t`)
		case c == ' ' || unicode.IsPrint(c):
			b.WriteRune(c)
		case c < 0x100:
			fmt.Fprintf(b, `\x%02x`, c)
		case c < 0x10000:
			fmt.Fprintf(b, `\u%04x`, c)
		default:
			fmt.Fprintf(b, `\U%08x`, c)
		}
	}
	b.WriteRune(quote)
}

// floatText is Python's repr of a float: the shortest digits that read back, with an exponent below 1e-4 and from 1e16 on.
func floatText(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	if a := math.Abs(f); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}
