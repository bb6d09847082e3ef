package jinja

import (
	"strings"
	"testing"
	"time"
)

// hostile are templates that would not end, or eat the machine.
var hostile = map[string]string{
	"loops in loops":     "{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}",
	"endless recursion":  "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
	"mutual recursion":   "{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{% endmacro %}{{ a() }}",
	"doubling string":    "{% set ns = namespace(s='xxxxxxxx') %}{% for i in range(100) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
	"doubling by ~":      "{% set ns = namespace(s='xxxxxxxx') %}{% for i in range(100) %}{% set ns.s = ns.s ~ ns.s %}{% endfor %}",
	"doubling list":      "{% set ns = namespace(s=[1]) %}{% for i in range(100) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
	"doubling nesting":   "{% set ns = namespace(s=[1]) %}{% for i in range(100) %}{% set ns.s = [ns.s, ns.s] %}{% endfor %}{{ ns.s }}",
	"doubling json":      "{% set ns = namespace(s=[1]) %}{% for i in range(100) %}{% set ns.s = [ns.s, ns.s] %}{% endfor %}{{ ns.s|tojson }}",
	"doubling equality":  "{% set ns = namespace(s=[1], t=[1]) %}{% for i in range(40) %}{% set ns.s = [ns.s, ns.s] %}{% set ns.t = [ns.t, ns.t] %}{% endfor %}{{ ns.s == ns.t }}",
	"doubling order":     "{% set ns = namespace(s=[1], t=[1]) %}{% for i in range(40) %}{% set ns.s = [ns.s, ns.s] %}{% set ns.t = [ns.t, ns.t] %}{% endfor %}{{ ns.s < ns.t }}",
	"doubling key":       "{% set ns = namespace(s=(1,)) %}{% for i in range(40) %}{% set ns.s = (ns.s, ns.s) %}{% endfor %}{{ {ns.s: 1} }}",
	"deep nesting":       "{% set ns = namespace(s=[]) %}{% for i in range(100000) %}{% set ns.s = [ns.s] %}{% endfor %}{{ ns.s }}",
	"deep key":           "{% set ns = namespace(s=()) %}{% for i in range(100000) %}{% set ns.s = (ns.s,) %}{% endfor %}{{ {ns.s: 1} }}",
	"namespace in self":  "{% set ns = namespace() %}{% set ns.s = ns %}{{ ns }}",
	"repeated string":    "{{ 'x' * 1000000000000 }}",
	"repeated list":      "{{ [1] * 1000000000000 }}",
	"repeated in a loop": "{% for i in range(100000) %}{% set x = 'x' * 60000000 %}{% endfor %}",
	"replace":            "{% set x = 'x' * 10000000 %}{{ x.replace('x', x) }}",
	"replace filter":     "{% set x = 'x' * 10000000 %}{{ x|replace('', x) }}",
	"join":               "{% set x = 'x' * 10000000 %}{{ x.join(range(10000)|map('string')) }}",
	"indent":             "{% set x = '\\nx' * 10000000 %}{{ x|indent(1000) }}",
	"long output":        "{% set x = 'x' * 60000000 %}{{ x }}{{ x }}",
	"range":              "{{ range(100000000000)|length }}",
	"power":              "{{ 10 ** 1000000000 }}",
	"long chain":         "{{ 1" + strings.Repeat("+1", 100000) + " }}",
	"deep brackets":      "{{ " + strings.Repeat("[", 100000) + " }}",
	"deep not":           "{{ " + strings.Repeat("not ", 100000) + "1 }}",
	"deep minus":         "{{ " + strings.Repeat("- ", 100000) + "1 }}",
	"deep blocks":        strings.Repeat("{% if 1 %}", 100000),
	"deep targets":       "{% set " + strings.Repeat("(", 100000),
	"long postfix":       "{{ x" + strings.Repeat("[0]", 100000) + " }}",
	"long inline if":     "{{ 1" + strings.Repeat(" if 1 else 1", 100000) + " }}",
	"split in a loop":    "{% set x = 'x' * 30000000 %}{% for i in range(100000) %}{% set y = x[::-1] %}{% endfor %}",
	"search in a loop":   "{% set x = 'x' * 30000000 %}{% for i in range(100000) %}{% set y = 'y' in x %}{% endfor %}",
	"upper in a loop":    "{% set x = 'x' * 1000000 %}{% for i in range(100000) %}{% set y = x|upper %}{% endfor %}",
	"sort in a loop":     "{% for i in range(100000) %}{% set y = range(100000)|sort %}{% endfor %}",
	"dict in a loop":     "{% set d = dict(range(100000)|map('string')|map('list')) %}",
}

func TestHostileTemplatesEnd(t *testing.T) {
	for name, source := range hostile {
		start := time.Now()
		if _, err := renderSource(source, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("%s: took %v", name, d)
		} else if d > time.Second {
			t.Logf("%s: took %v", name, d)
		}
	}
}

func FuzzRender(f *testing.F) {
	variables, snippets := readSnippets(f)
	for _, s := range snippets {
		f.Add(s.Source)
	}
	for _, source := range hostile {
		if len(source) < 200 && !strings.Contains(source, "00000") {
			f.Add(source)
		}
	}
	f.Fuzz(func(t *testing.T, source string) {
		got, err := renderSource(source, variables)
		again, err2 := renderSource(source, variables)
		if got != again || (err == nil) != (err2 == nil) {
			t.Fatalf("two renderings differ: %q %v and %q %v", got, err, again, err2)
		}
		if len(got) > maxOutput {
			t.Fatalf("%d bytes", len(got))
		}
	})
}
