package schema

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A literal is one scalar as it was written.
type literal struct {
	text   string
	quoted bool // quotes or a block: text, whatever it looks like
	typed  bool // YAML takes it for a number, a truth value or null
	null   bool
}

// assign reads lit as a value of f into v. A problem is returned as a message and a hint; v is then unchanged.
func (f *Field) assign(v reflect.Value, lit literal) (message, hint string) {
	switch v.Kind() {
	case reflect.Pointer:
		return f.assignPointer(v, lit)
	case reflect.String:
		return f.assignText(v, lit)
	case reflect.Bool:
		return f.assignBool(v, lit)
	case reflect.Int:
		return f.assignInt(v, lit)
	case reflect.Float64:
		return f.assignFloat(v, lit)
	}
	panic("internal error: field " + f.Path + " of type " + v.Type().String())
}

func (f *Field) assignPointer(v reflect.Value, lit literal) (message, hint string) {
	if lit.null {
		v.SetZero()
		return "", ""
	}
	fresh := reflect.New(v.Type().Elem())
	if message, hint = f.assign(fresh.Elem(), lit); message == "" {
		v.Set(fresh)
	}
	return message, hint
}

func (f *Field) assignText(v reflect.Value, lit literal) (message, hint string) {
	switch {
	case lit.null:
		return fmt.Sprintf("%s has no value, expected a %s", f.Path, f.Kind()), "write a value or leave the key out"
	case lit.typed && f.Words == nil && lit.text != f.takes:
		return f.notText(lit)
	case !utf8.ValidString(lit.text):
		return f.Path + " is not valid UTF-8", "save the file as UTF-8"
	case f.Words != nil && !slices.Contains(f.Words, lit.text):
		return fmt.Sprintf("%s is %q, expected %s", f.Path, lit.text, f.Range()), f.meantWord(lit.text)
	}
	v.SetString(lit.text)
	return "", ""
}

// meantWord is the hint for a word that f does not have.
func (f *Field) meantWord(word string) string {
	if hint, ok := f.Hints[word]; ok {
		return hint
	}
	return meant(word, f.Words)
}

// notText says what to write in the place of a number or a truth value: with its unit where that is what it lacks.
func (f *Field) notText(lit literal) (message, hint string) {
	if f.takes != "" && (lit.text == "true" || lit.text == "false") {
		return fmt.Sprintf("%s is %s, expected a text or %s", f.Path, lit.text, f.takes), "leave the key out"
	}
	if _, err := strconv.ParseFloat(lit.text, 64); err == nil && f.unit != "" {
		return fmt.Sprintf("%s is %s, expected a number with a unit", f.Path, lit.text), "write " + lit.text + f.unit
	}
	return fmt.Sprintf("%s is %s, expected a text", f.Path, lit.text), fmt.Sprintf("write %q", lit.text)
}

func (f *Field) assignBool(v reflect.Value, lit literal) (message, hint string) {
	switch {
	case lit.quoted:
		return f.wrongType(lit)
	case lit.text == "true", lit.text == "false":
		v.SetBool(lit.text == "true")
		return "", ""
	}
	message, hint = f.wrongType(lit)
	switch strings.ToLower(lit.text) {
	case "yes", "on", "true":
		hint = "write true"
	case "no", "off", "false":
		hint = "write false"
	}
	return message, hint
}

func (f *Field) assignInt(v reflect.Value, lit literal) (message, hint string) {
	if f.zero != "" && (lit.null || lit.text == f.zero) {
		v.SetInt(0)
		return "", ""
	}
	n, err := strconv.Atoi(lit.text)
	if err != nil || lit.quoted {
		return f.wrongType(lit)
	}
	if message = f.outOfRange(float64(n)); message == "" && f.most > 0 && (n > f.most || n < -f.most) {
		message = fmt.Sprintf("%s is %d, expected at most %d", f.Path, n, f.most)
		if n < 0 {
			message = fmt.Sprintf("%s is %d, expected at least %d", f.Path, n, -f.most)
		}
	}
	if message == "" {
		v.SetInt(int64(n))
	}
	return message, ""
}

func (f *Field) assignFloat(v reflect.Value, lit literal) (message, hint string) {
	if f.auto != nil && lit.text == autoWord { // in JSON a word has quotes
		v.SetFloat(*f.auto)
		return "", ""
	}
	x, err := strconv.ParseFloat(lit.text, 64)
	if lit.quoted || strings.ContainsAny(lit.text, "xX_pP") || err != nil {
		return f.wrongType(lit)
	}
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return fmt.Sprintf("%s is %s, expected a finite number", f.Path, lit.text), ""
	}
	if message = f.outOfRange(x); message == "" {
		message = f.beyond(x)
	}
	if message == "" {
		v.SetFloat(x)
	}
	return message, ""
}

// beyond says that a number is greater than any that is meant, where the key names no bound on that side: seconds above it are none that a clock
// can wait for, and products of it are no finite rewards.
func (f *Field) beyond(x float64) string {
	switch {
	case f.max == nil && x > mostWhole:
		return fmt.Sprintf("%s is %s, expected at most %d", f.Path, Number(x), mostWhole)
	case f.min == nil && x < -mostWhole:
		return fmt.Sprintf("%s is %s, expected at least %d", f.Path, Number(x), -mostWhole)
	}
	return ""
}

func (f *Field) wrongType(lit literal) (message, hint string) {
	expected := f.Kind()
	if expected != "true or false" {
		expected = "a " + expected
	}
	switch {
	case lit.null:
		return fmt.Sprintf("%s has no value, expected %s", f.Path, expected), "write a value or leave the key out"
	case lit.quoted:
		return fmt.Sprintf("%s is the text %q, expected %s", f.Path, lit.text, expected), "leave out the quotes"
	}
	return fmt.Sprintf("%s is %q, expected %s", f.Path, lit.text, expected), ""
}

func (f *Field) outOfRange(x float64) string {
	if f.min != nil && x < *f.min || f.max != nil && x > *f.max {
		return fmt.Sprintf("%s is %s, expected %s", f.Path, Number(x), f.Range())
	}
	return ""
}

// autoWord is what stands in a file for a number that is left to the program.
const autoWord = "auto"

// Number prints x without an exponent where that is short; strconv.ParseFloat of it gives x again.
func Number(x float64) string {
	if a := math.Abs(x); a != 0 && (a < 1e-7 || a >= 1e15) {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}
