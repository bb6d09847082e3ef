package schema

import (
	"bytes"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// Print writes a struct in the order of its schema: every key that is shown, with its meaning as a comment, and the sections with one. of points
// to the struct. Decoding the print gives the shown keys again.
func Print(root *Field, of any, shown func(leaf *Field) bool) []byte {
	var b bytes.Buffer
	printSection(&b, root, reflect.ValueOf(of).Elem(), "", shown, printComment)
	return b.Bytes()
}

// PrintBare is [Print] of all keys, without comments: for a program to read.
func PrintBare(root *Field, of any) []byte {
	var b bytes.Buffer
	printSection(&b, root, reflect.ValueOf(of).Elem(), "", func(*Field) bool { return true }, func(*bytes.Buffer, *Field, string) {})
	return b.Bytes()
}

func printSection(b *bytes.Buffer, f *Field, v reflect.Value, indent string, shown func(leaf *Field) bool, comment func(*bytes.Buffer, *Field, string)) {
	behindSection := false
	for _, c := range f.Fields {
		if !c.anyLeaf(shown) {
			continue
		}
		value := c.in(v)
		if behindSection && !c.Section() {
			b.WriteByte('\n')
		}
		behindSection = c.Section()
		if c.Section() {
			fmt.Fprintf(b, "\n%s%s:\n", indent, c.Name)
			printSection(b, c, value, indent+"  ", shown, comment)
			continue
		}
		comment(b, c, indent)
		fmt.Fprintf(b, "%s%s:%s\n", indent, c.Name, c.ValueText(value, indent))
	}
}

// commentWidth is where comments are wrapped.
const commentWidth = 110

func printComment(b *bytes.Buffer, f *Field, indent string) {
	text := f.Doc
	if r := f.Range(); r != "" {
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

// ValueText is [ValueText] of a value of f.
func (f *Field) ValueText(v reflect.Value, indent string) string {
	if f.auto != nil && v.Float() == *f.auto {
		return " " + autoWord
	}
	return ValueText(v, indent)
}

// ValueText is what stands after the colon, with the space or line break before it.
func ValueText(v reflect.Value, indent string) string {
	if isTree(v.Type()) {
		fresh := reflect.New(v.Type()) // v need not be addressable
		fresh.Elem().Set(v)
		return asTree(fresh).Write(indent)
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return " null"
		}
		return ValueText(v.Elem(), indent)
	case reflect.Slice:
		fresh := reflect.New(v.Type()) // v need not be addressable
		fresh.Elem().Set(v)
		if m := asMapping(fresh); m != nil {
			return mappingText(m, indent)
		}
		return listText(v, indent)
	case reflect.String:
		return " " + text(v.String(), indent)
	case reflect.Bool:
		return " " + strconv.FormatBool(v.Bool())
	case reflect.Int:
		return " " + strconv.FormatInt(v.Int(), 10)
	}
	return " " + Number(v.Float())
}

func listText(v reflect.Value, indent string) string {
	if v.Len() == 0 {
		return " []"
	}
	var b strings.Builder
	for i := range v.Len() {
		b.WriteString("\n" + indent + "  -" + ValueText(v.Index(i), indent+"  "))
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

// FlowList writes a list of texts on one line.
func FlowList(texts []string) string {
	items := make([]string, len(texts))
	for i, text := range texts {
		items[i] = quote(text)
	}
	return "[" + strings.Join(items, ", ") + "]"
}
