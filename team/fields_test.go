package team

import (
	"slices"
	"testing"
)

func TestFieldNames(t *testing.T) {
	for text, want := range map[string][]string{
		"{{.Question}}":               nil,
		"{{.Fields.a}} {{.Fields.b}}": {"a", "b"},
		"{{if .Fields.a}}x{{else}}{{range .Others}}{{$.Fields.c}}{{end}}{{end}}{{with .Fields.d}}{{.}}{{end}}": {"a", "c", "d"},
		`{{index .Fields "two words"}}{{printf "%s" .Fields.e}}`:                                               {"e", "two words"},
		"{{.Fields.a":             nil,
		`{{(index .Fields "f")}}`: {"f"},
	} {
		if got := (Prompts{First: text}).FieldNames(); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
