package chat

import (
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"pgregory.net/rapid"
)

func mustParse(t testing.TB, source string) *Template {
	t.Helper()
	tmpl, err := Parse(source)
	if err != nil {
		t.Fatal(err)
	}
	return tmpl
}

func TestTextChatML(t *testing.T) {
	tmpl := mustParse(t, ChatML)
	turns := []Turn{{"system", "Be brief."}, {"user", "Hi {{ x }}"}, {"assistant", "Yo"}, {"user", "ok"}}
	got, err := tmpl.Text(turns, true)
	want := "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi {{ x }}<|im_end|>\n<|im_start|>assistant\nYo<|im_end|>\n" +
		"<|im_start|>user\nok<|im_end|>\n<|im_start|>assistant\n"
	if err != nil || got != want {
		t.Errorf("got %q %v\nwant %q", got, err, want)
	}
}

// TestChatMLMatchesGolden: the built-in template agrees with the published ChatML.
func TestChatMLMatchesGolden(t *testing.T) {
	source, err := os.ReadFile("testdata/templates/chatml.jinja")
	if err != nil {
		t.Fatal(err)
	}
	own, published := mustParse(t, ChatML), mustParse(t, string(source))
	rapid.Check(t, func(t *rapid.T) {
		turns := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Turn {
			return Turn{rapid.SampledFrom([]string{"system", "user", "assistant"}).Draw(t, "role"), rapid.String().Draw(t, "content")}
		}), 1, 5).Draw(t, "turns")
		add := rapid.Bool().Draw(t, "add")
		got, err := own.Text(turns, add)
		want, err2 := published.Text(turns, add)
		if got != want || err != nil || err2 != nil {
			t.Fatalf("got %q %v\nwant %q %v", got, err, want, err2)
		}
	})
}

func TestRenderWithMask(t *testing.T) {
	tmpl := mustParse(t, ChatML)
	in := Input{Messages: []Message{NewObject("role", "user", "content", "é"), NewObject("role", "assistant", "content", "ü!")}}
	text, spans, err := tmpl.RenderWithMask(in)
	if err != nil || len(spans) != 1 {
		t.Fatalf("%v %v", spans, err)
	}
	if got := text[spans[0].Start:spans[0].End]; got != "ü!<|im_end|>" {
		t.Errorf("the assistant wrote %q", got)
	}
}

func TestTokens(t *testing.T) {
	tmpl := mustParse(t, "{{ bos_token }}|{{ eos_token }}|{{ bos_token is defined }}")
	for _, c := range []struct {
		bos, in, want string
	}{{"", "", "||False"}, {"<a>", "", "<a>||True"}, {"<a>", "<b>", "<b>||True"}} {
		tmpl.BOS = c.bos
		if got, err := tmpl.Render(Input{BOS: c.in}); err != nil || got != c.want {
			t.Errorf("got %q %v, want %q", got, err, c.want)
		}
	}
}

func TestErrorsNameTheLine(t *testing.T) {
	for source, want := range map[string]string{
		"a\n\n{{ 1 + }}":                         "line 3: ",
		"a\n{# x\n #}{% include 'x' %}":          "line 3: tag \"include\" is not supported",
		"a\n{{ x|nosuch }}":                      "line 2: filter \"nosuch\" is not supported",
		"{% if true %}\n{{ none + 1 }}{%endif%}": "line 2: ",
		"\n{{ raise_exception('no\nway') }}":     "line 2: no\nway",
		"{% if true %}\n\nx":                     "line 3: the template ends where {% endif %} is missing",
		"x\n{% for a in b %}\n{% endif %}":       "line 3: found {% endif %} where {% endfor %} is missing",
		"\r\n\r\n{{ 'a' - 1 }}":                  "line 3: ",
	} {
		_, err := renderSource(source, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", source, err, want)
		}
	}
}

func TestRaised(t *testing.T) {
	_, err := renderSource("{% macro m() %}{{ raise_exception('no ' ~ 1) }}{% endmacro %}{{ m() }}", nil)
	var raised *RaisedError
	if !errors.As(err, &raised) || raised.Message != "no 1" {
		t.Errorf("got %v", err)
	}
}

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

func TestLoad(t *testing.T) {
	const list = `{"chat_template":[{"name":"rag","template":"r"},{"name":"default","template":"{{ bos_token }}d"}],"bos_token":{"content":"<b>"},"eos_token":null}`
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"in the config": {map[string]string{"tokenizer_config.json": `{"chat_template":"{{ eos_token }}x","eos_token":"</s>"}`}, "</s>x"},
		"a list":        {map[string]string{"tokenizer_config.json": list}, "<b>d"},
		"own file wins": {map[string]string{"tokenizer_config.json": list, "chat_template.jinja": "{{ bos_token }}f\n"}, "<b>f"},
		"file only":     {map[string]string{"chat_template.jinja": "f"}, "f"},
	} {
		fsys := fstest.MapFS{}
		for file, text := range c.files {
			fsys["m/"+file] = &fstest.MapFile{Data: []byte(text)}
		}
		tmpl, err := LoadFS(fsys, "m")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, err := tmpl.Text(nil, false); err != nil || got != c.want {
			t.Errorf("%s: got %q %v, want %q", name, got, err, c.want)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	for text, want := range map[string]error{
		``:                       nil,
		`{}`:                     ErrNoTemplate,
		`{"chat_template":null}`: ErrNoTemplate,
		`{"chat_template":[{"name":"rag","template":"r"}]}`: ErrNoTemplate,
		`{"chat_template":5}`:                               nil,
		`{"chat_template":"{% x %}"}`:                       nil,
	} {
		_, err := LoadFS(fstest.MapFS{"tokenizer_config.json": {Data: []byte(text)}}, ".")
		if err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", text, err, want)
		}
	}
	if _, err := Load(t.TempDir()); !errors.Is(err, ErrNoTemplate) {
		t.Errorf("empty folder: %v", err)
	}
}

func TestFromGGUF(t *testing.T) {
	tmpl, err := FromGGUF(map[string]any{"tokenizer.chat_template": "{{ bos_token }}{{ eos_token }}",
		"tokenizer.ggml.tokens": []string{"a", "b"}, "tokenizer.ggml.bos_token_id": uint32(1), "tokenizer.ggml.eos_token_id": uint32(9)})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := tmpl.Text(nil, false); got != "b" || err != nil {
		t.Errorf("got %q %v", got, err)
	}
	if _, err := FromGGUF(nil); !errors.Is(err, ErrNoTemplate) {
		t.Errorf("got %v", err)
	}
}

func TestInputJSON(t *testing.T) {
	var in Input
	text := `{"messages":[{"role":"user","content":"é"}],"tools":[],"add_generation_prompt":true,"bos_token":"<s>","z":{"b":1,"a":2.0}}`
	if err := json.Unmarshal([]byte(text), &in); err != nil {
		t.Fatal(err)
	}
	got, err := mustParse(t, "{{ bos_token }}{{ messages[0].content }}{{ tools }}{{ add_generation_prompt }}{{ z|tojson }}").Render(in)
	if want := `<s>é[]True{"b": 1, "a": 2.0}`; got != want || err != nil {
		t.Errorf("got %q %v, want %q", got, err, want)
	}
	for _, bad := range []string{`[]`, `{"messages":{}}`, `{"messages":[1]}`, `{"tools":{}}`, `{"bos_token":1}`, `{"add_generation_prompt":1}`} {
		if err := json.Unmarshal([]byte(bad), &in); err == nil {
			t.Errorf("%s was accepted", bad)
		}
	}
}

// TestObjectJSON: what is read is written back, keys in order.
func TestObjectJSON(t *testing.T) {
	for _, text := range []string{`{}`, `{"b": 1, "a": [1.0, true, null, "é\n"], "c": {"z": -1, "y": 12345678901234567890}}`} {
		var o Object
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			t.Fatal(err)
		}
		got, err := o.MarshalJSON()
		if err != nil || string(got) != text {
			t.Errorf("got %s %v, want %s", got, err, text)
		}
	}
	deep := strings.Repeat(`{"a":`, 600) + `1` + strings.Repeat(`}`, 600)
	if err := new(Object).UnmarshalJSON([]byte(deep)); err == nil {
		t.Error("600 levels were accepted")
	}
}

func TestObjectOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfDistinct(rapid.String(), rapid.ID[string]).Draw(t, "keys")
		o := NewObject()
		for i, k := range keys {
			o.Set(k, i)
		}
		for i, k := range keys {
			o.Set(k, i+1)
			if v, ok := o.Get(k); !ok || v != int64(i+1) {
				t.Fatalf("%q is %v", k, v)
			}
		}
		if got := o.Keys(); len(keys) > 0 && !reflect.DeepEqual(got, keys) {
			t.Fatalf("keys %q, want %q", got, keys)
		}
	})
}

func TestFromGoTypes(t *testing.T) {
	o := NewObject("i", 1, "f", float32(0.5), "s", []string{"a"}, "o", []*Object{NewObject("k", nil)}, "l", []any{2})
	got, err := str(o)
	if want := "{'i': 1, 'f': 0.5, 's': ['a'], 'o': [{'k': None}], 'l': [2]}"; err != nil || got != want {
		t.Errorf("got %s %v, want %s", got, err, want)
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
