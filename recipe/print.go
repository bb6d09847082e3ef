package recipe

import (
	"bytes"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// YAML prints the whole recipe in struct order, every default filled in, with the meaning of each key as a comment.
// Parsing the print gives the recipe again.
func (r *Recipe) YAML() []byte { return r.print(func(*field) bool { return true }) }

// ApplyingYAML prints like [Recipe.YAML], without the keys that have no effect in r and without sections in which no key is left. Parsing
// the print gives the recipe again.
func (r *Recipe) ApplyingYAML() []byte {
	idle, start := r.idle(), r.language.start(r.Preset, r.choice())
	return r.print(func(leaf *field) bool {
		// A value that the print's reader would not begin with has to stand in it, whether it has an effect or not.
		return !idle[leaf.path] || !reflect.DeepEqual(leaf.at(r).Interface(), leaf.at(start).Interface())
	})
}

// print prints the keys that are shown, and the sections with one.
func (r *Recipe) print(shown func(leaf *field) bool) []byte {
	var b bytes.Buffer
	printSection(&b, r.schema(), reflect.ValueOf(r).Elem(), "", shown)
	return b.Bytes()
}

func printSection(b *bytes.Buffer, f *field, v reflect.Value, indent string, shown func(leaf *field) bool) {
	behindSection := false
	for _, c := range f.fields {
		if !c.anyLeaf(shown) {
			continue
		}
		value := c.in(v)
		if behindSection && !c.section() {
			b.WriteByte('\n')
		}
		behindSection = c.section()
		if c.section() {
			fmt.Fprintf(b, "\n%s%s:\n", indent, c.name)
			printSection(b, c, value, indent+"  ", shown)
			continue
		}
		printComment(b, c, indent)
		fmt.Fprintf(b, "%s%s:%s\n", indent, c.name, c.valueText(value, indent))
	}
}

// commentWidth is where comments are wrapped.
const commentWidth = 110

func printComment(b *bytes.Buffer, f *field, indent string) {
	text := f.doc
	if r := f.rangeText(); r != "" {
		text += " (" + r + ")"
	}
	line := indent + "#"
	for _, word := range strings.Fields(text) {
		if len(line)+1+len(word) > commentWidth {
			b.WriteString(line + "\n")
			line = indent + "#"
		}
		line += " " + word
	}
	b.WriteString(line + "\n")
}

// valueText is [valueText] of a value of f.
func (f *field) valueText(v reflect.Value, indent string) string {
	if f.auto != nil && v.Float() == *f.auto {
		return " " + autoWord
	}
	return valueText(v, indent)
}

// valueText is what stands after the colon, with the space or line break before it.
func valueText(v reflect.Value, indent string) string {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return " null"
		}
		return valueText(v.Elem(), indent)
	case reflect.Slice:
		if list, ok := v.Interface().(Variants); ok {
			return list.text(indent)
		}
		return listText(v, indent)
	case reflect.String:
		return " " + text(v.String(), indent)
	case reflect.Bool:
		return " " + strconv.FormatBool(v.Bool())
	case reflect.Int:
		return " " + strconv.FormatInt(v.Int(), 10)
	}
	return " " + number(v.Float())
}

func listText(v reflect.Value, indent string) string {
	if v.Len() == 0 {
		return " []"
	}
	var b strings.Builder
	for i := range v.Len() {
		b.WriteString("\n" + indent + "  -" + valueText(v.Index(i), indent+"  "))
	}
	return b.String()
}

// plain matches texts that need no quotes in YAML and that nothing takes for a number; words with a meaning are left out below.
var plain = regexp.MustCompile(`^[A-Za-z](?:[A-Za-z0-9_./()+ -]*[A-Za-z0-9_./()])?$`)

var reserved = map[string]bool{"true": true, "false": true, "null": true, "yes": true, "no": true, "on": true, "off": true, "y": true, "n": true}

// text writes s as a scalar: plain, as a block of lines, or quoted.
func text(s, indent string) string {
	switch {
	case plain.MatchString(s) && !reserved[strings.ToLower(s)]:
		return s
	case blockable(s):
		return block(s, indent+"  ")
	}
	return quote(s)
}

// blockable says whether s survives as a literal block: several lines of printable characters, none empty at either end.
func blockable(s string) bool {
	if !strings.Contains(s, "\n") || strings.ContainsAny(s[:1], " \n") || strings.HasSuffix(s, "\n\n") {
		return false
	}
	for line := range strings.SplitSeq(s, "\n") {
		if strings.HasSuffix(line, " ") {
			return false
		}
	}
	for _, c := range s {
		if c != '\n' && (c == unicode.ReplacementChar || c == '\ufeff' || !unicode.IsPrint(c)) {
			return false
		}
	}
	return true
}

func block(s, indent string) string {
	head := "|-"
	if strings.HasSuffix(s, "\n") {
		head, s = "|", s[:len(s)-1]
	}
	var b strings.Builder
	b.WriteString(head)
	for line := range strings.SplitSeq(s, "\n") {
		b.WriteString("\n")
		if line != "" {
			b.WriteString(indent + line)
		}
	}
	return b.String()
}

// quote writes s in double quotes with YAML's escapes.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			b.WriteRune('\\')
			b.WriteRune(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case unicode.IsPrint(c) && c != '\ufeff':
			b.WriteRune(c)
		case c <= 0xff:
			fmt.Fprintf(&b, `\x%02x`, c)
		case c <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			fmt.Fprintf(&b, `\U%08x`, c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
