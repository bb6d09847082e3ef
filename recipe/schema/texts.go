package schema

import (
	"fmt"
	"reflect"
	"strings"
)

// A struct says what its keys mean in a Markdown file that is part of the program: its method KeyTexts returns the file's name and what is in it. A
// heading "## KEY" begins the text of a key. Keys of a section within are named from the struct on, such as "## tools.use", unless the struct of that
// section has a file of its own.
type explained interface {
	KeyTexts() (file, text string)
}

// explanation is the file of a struct itself, not one that an embedded struct lends it; ok: it has one.
func explanation(t reflect.Type) (file, content string, ok bool) {
	s, ok := reflect.Zero(t).Interface().(explained)
	if !ok {
		return "", "", false
	}
	file, content = s.KeyTexts()
	for field := range t.Fields() {
		lender, ok := reflect.Zero(field.Type).Interface().(explained)
		if !ok || !field.Anonymous {
			continue
		}
		if lent, _ := lender.KeyTexts(); lent == file {
			return "", "", false
		}
	}
	return file, content, true
}

// texts are what a file says of the keys under a section.
type texts struct {
	file    string
	section string // its path
	of      map[string]*keyText
	missing []string // keys without a text
}

// A keyText is what stands under a heading.
type keyText struct {
	line int // of the heading
	text string
	used bool
}

// textsOf are those of the keys of a struct in a section. A struct without a file has them in that of the struct around it.
func textsOf(section *Field, t reflect.Type, around *texts) *texts {
	file, content, own := explanation(t)
	if !own {
		return around
	}
	in := &texts{file: file, section: section.Path, of: map[string]*keyText{}}
	in.read(content)
	in.refuse("has no text under its heading", func(k *keyText) bool { return k.text == "" })
	return in
}

// read reads a file. The lines of a text are joined; what stands above the first heading is for readers of the file alone.
func (t *texts) read(content string) {
	var at *keyText
	line := 0
	for text := range strings.Lines(content) {
		line++
		text = strings.TrimSpace(text)
		key, heading := strings.CutPrefix(text, "## ")
		switch {
		case heading:
			if t.of[key] != nil {
				t.refuse(fmt.Sprintf("has another text in line %d", line), func(k *keyText) bool { return k == t.of[key] })
			}
			at = &keyText{line: line}
			t.of[key] = at
		case at != nil:
			at.text = strings.TrimSpace(at.text + " " + text)
		}
	}
}

// give gives a field its text, if there is one.
func (t *texts) give(f *Field) {
	if t == nil {
		return
	}
	key := f.Path
	if t.section != "" {
		key = strings.TrimPrefix(key, t.section+".")
	}
	switch k := t.of[key]; {
	case k != nil:
		f.Doc, k.used = k.text, true
	case !f.Section():
		t.missing = append(t.missing, key)
	}
}

// refuseUnused panics where a text is one of no key of the struct.
func (t *texts) refuseUnused(of reflect.Type) {
	message := fmt.Sprintf("is no key of %v", of)
	if len(t.missing) > 0 {
		message += ", of which these have no text: " + strings.Join(t.missing, ", ")
	}
	t.refuse(message, func(k *keyText) bool { return !k.used })
}

// refuse panics with the first heading for which something is wrong: the file is part of the program, as tags are.
func (t *texts) refuse(message string, wrong func(*keyText) bool) {
	first := ""
	for key, k := range t.of {
		if wrong(k) && (first == "" || k.line < t.of[first].line) {
			first = key
		}
	}
	if first != "" {
		panic(fmt.Sprintf("internal error: %s:%d: %s %s", t.file, t.of[first].line, first, message))
	}
}
