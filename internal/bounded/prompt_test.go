package bounded

import (
	"fmt"
	"strings"
	"testing"
	"text/template"
)

var data = map[string]any{"Q": "why?", "All": []string{"a", "b", "c"}, "Last": map[string]string{"x": "y"}}

// TestHostile: templates that would write or turn for hours are errors at once.
func TestHostilePrompts(t *testing.T) {
	chain := strings.Builder{}
	for i := range 40 {
		fmt.Fprintf(&chain, `{{define "t%d"}}{{template "t%d"}}{{template "t%d"}}{{end}}`, i, i+1, i+1)
	}
	chain.WriteString(`{{define "t40"}}{{end}}{{template "t0"}}`)
	for name, c := range map[string]struct{ source, want string }{
		"loop":             {"{{range 1000000000}}x{{end}}", "rounds"},
		"empty loop":       {"{{range 1000000000}}{{end}}", "rounds"},
		"loops in loops":   {"{{range 100000}}{{range 100000}}{{end}}{{end}}", "rounds"},
		"loop in else":     {"{{range .None}}{{else}}{{range 1000000000}}{{end}}{{end}}", "rounds"},
		"loop in if":       {"{{if .Q}}{{range 1000000000}}{{end}}{{end}}", "rounds"},
		"loop in with":     {"{{with .Q}}{{range 1000000000}}{{end}}{{end}}", "rounds"},
		"loop in template": {`{{define "a"}}{{range 1000000000}}{{end}}{{end}}{{template "a"}}`, "rounds"},
		"continued":        {"{{range 1000000000}}{{continue}}{{end}}", "rounds"},
		"recursion":        {`{{define "a"}}{{template "a"}}{{end}}{{template "a"}}`, "depth"},
		"twice and twice":  {chain.String(), "rounds"},
		"doubling":         {"{{$x := .Q}}{{range 40}}{{$x = print $x $x}}{{end}}", "MiB"},
		"doubling, unseen": {"{{$x := .Q}}" + strings.Repeat("{{$x = print $x $x}}", 40), "MiB"},
		"doubling, format": {"{{$x := .Q}}{{range 40}}{{$x = printf \"%s%s\" $x $x}}{{end}}", "MiB"},
		"doubling, html":   {"{{$x := \"<\"}}{{range 40}}{{$x = print (html $x) $x}}{{end}}", "MiB"},
		"width":            {`{{printf "%1000000d" 1}}`, "width"},
		"width given":      {`{{printf "%*d" 1000000 1}}`, "width"},
		"precision":        {`{{printf "%.100000f" 1.0}}`, "width"},
		"long":             {strings.Repeat("x", mostBytes+1), "MiB"},
	} {
		m := map[string]any{"None": []string{}}
		for k, v := range data {
			m[k] = v
		}
		p, err := ParsePrompt(name, c.source)
		if err == nil {
			_, err = p.Fill(m)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %.200v, expected %q", name, err, c.want)
		}
	}
}

// TestSame: a template gives what text/template gives, each time.
func TestSamePrompts(t *testing.T) {
	for _, source := range []string{
		"{{.Q}}", "{{range $i, $a := .All}}{{$i}}{{$a}},{{else}}none{{end}}", "{{range 3}}{{.}}{{end}}", `{{define "a"}}<{{.}}>{{end}}{{template "a" .Q}}{{template "a" 3}}`,
		`{{printf "%5.2f %s %q" 1.5 .Q "a"}}`, "{{print 1 2 \"a\"}}{{println .Q}}", "{{html \"<a>\"}}{{js \"'\"}}{{urlquery \"a b\"}}", "{{with .Q}}{{.}}{{end}}{{if eq .Q \"why?\"}}yes{{else}}no{{end}}",
		"{{range .All}}{{if eq . \"b\"}}{{continue}}{{end}}{{.}}{{end}}", "{{range .All}}{{.}}{{break}}{{end}}", "{{$x := 1}}{{range .All}}{{$x = print $x .}}{{end}}{{$x}}", "{{- range .All }} {{.}} {{- end -}} ",
		`{{block "b" .Q}}[{{.}}]{{end}}`, "{{.None}}", "{{index .Last \"x\"}}{{len .All}}{{slice .Q 1 2}}",
	} {
		plain := template.Must(template.New("t").Option("missingkey=error").Parse(source))
		var want strings.Builder
		wrong := plain.Execute(&want, data)
		p, err := ParsePrompt("t", source)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			got, err := p.Fill(data)
			if (err == nil) != (wrong == nil) || err == nil && got != want.String() || err != nil && err.Error() != wrong.Error() {
				t.Errorf("%s: %q, %v; want %q, %v", source, got, err, want.String(), wrong)
			}
		}
	}
}
