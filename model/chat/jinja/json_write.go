package jinja

import (
	"fmt"
	"math"
	"math/big"
	"sort"
	"strconv"
	"strings"
	"unicode/utf16"
)

// jsonStyle is how Python's json.dumps lays out its text.
type jsonStyle struct {
	item, key string // separators
	indent    string // of one level
	lines     bool   // one item a line
	ascii     bool   // escape everything beyond ASCII
	sort      bool   // sort keys
}

// toJSON is Python's json.dumps.
func toJSON(r *run, v any, style jsonStyle) (string, error) {
	w := jsonWriter{r: r, jsonStyle: style}
	err := w.value(v, 0)
	return w.String(), err
}

type jsonWriter struct {
	r *run
	jsonStyle
	strings.Builder
}

func (w *jsonWriter) value(v any, depth int) error {
	if depth > maxDepth {
		return errDepth
	}
	if w.Len() > maxOutput {
		return errOutput
	}
	if s, ok := text(v); ok {
		w.str(s)
		return nil
	}
	if s, ok := jsonScalar(v); ok {
		w.WriteString(s)
		return nil
	}
	if list, ok := items(v); ok {
		return w.list(list, depth)
	}
	if o, ok := v.(*Object); ok {
		return w.object(o, depth)
	}
	return fmt.Errorf("Object of type %s is not JSON serializable", TypeName(v))
}

// jsonScalar is the text of what needs no quotes.
func jsonScalar(v any) (string, bool) {
	switch v := v.(type) {
	case nil:
		return "null", true
	case bool:
		return strconv.FormatBool(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	case *big.Int:
		return v.String(), true
	case float64:
		switch {
		case math.IsNaN(v):
			return "NaN", true
		case math.IsInf(v, 1):
			return "Infinity", true
		case math.IsInf(v, -1):
			return "-Infinity", true
		}
		return floatText(v), true
	}
	return "", false
}

func (w *jsonWriter) list(list []any, depth int) error {
	if len(list) == 0 {
		w.WriteString("[]")
		return nil
	}
	w.WriteByte('[')
	for i, item := range list {
		w.separate(i, depth+1)
		if err := w.value(item, depth+1); err != nil {
			return err
		}
	}
	w.newline(depth)
	w.WriteByte(']')
	return nil
}

func (w *jsonWriter) object(o *Object, depth int) error {
	if o.Len() == 0 {
		w.WriteString("{}")
		return nil
	}
	order, err := w.order(o)
	if err != nil {
		return err
	}
	w.WriteByte('{')
	for n, i := range order {
		w.separate(n, depth+1)
		key, ok := text(o.keys[i])
		if !ok {
			if key, ok = jsonScalar(o.keys[i]); !ok {
				return fmt.Errorf("keys must be str, int, float, bool or None, not %s", TypeName(o.keys[i]))
			}
		}
		w.str(key)
		w.WriteString(w.key)
		if err := w.value(o.values[i], depth+1); err != nil {
			return err
		}
	}
	w.newline(depth)
	w.WriteByte('}')
	return nil
}

// order lists the indices of keys in the order of writing.
func (w *jsonWriter) order(o *Object) ([]int, error) {
	order := make([]int, o.Len())
	for i := range order {
		order[i] = i
	}
	if !w.sort {
		return order, nil
	}
	var failed error
	sort.SliceStable(order, func(a, b int) bool {
		c, err := compare(w.r, o.keys[order[a]], o.keys[order[b]])
		if err != nil {
			failed = err
		}
		return c == -1
	})
	return order, failed
}

func (w *jsonWriter) separate(i, depth int) {
	if i > 0 {
		w.WriteString(w.item)
	}
	w.newline(depth)
}

func (w *jsonWriter) newline(depth int) {
	if w.lines {
		w.WriteByte('\n')
		w.WriteString(strings.Repeat(w.indent, depth))
	}
}

var jsonEscapes = map[rune]string{'"': `\"`, '\\': `\\`, '\n': `\n`, '\r': `\r`, '\t': `\t`, '\f': `\f`, '\b': `\b`}

func (w *jsonWriter) str(s string) {
	w.WriteByte('"')
	for _, c := range s {
		switch esc := jsonEscapes[c]; {
		case esc != "":
			w.WriteString(esc)
		case c < 0x20 || w.ascii && c > 0x7e && c < 0x10000:
			fmt.Fprintf(w, `\u%04x`, c)
		case w.ascii && c >= 0x10000:
			high, low := utf16.EncodeRune(c)
			fmt.Fprintf(w, `\u%04x\u%04x`, high, low)
		default:
			w.WriteRune(c)
		}
	}
	w.WriteByte('"')
}
