package form_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"weak"

	"parley/model/form"
)

// ofSchema is a schema as Parse reads it.
func ofSchema(schema string) string { return `{"schema":` + schema + `}` }

// chain is a schema of n references, each to the next.
func chain(n int) string {
	var defs []string
	for i := range n {
		defs = append(defs, fmt.Sprintf(`"d%d":{"$ref":"#/$defs/d%d"}`, i, i+1))
	}
	return fmt.Sprintf(`{"$ref":"#/$defs/d0","$defs":{%s,"d%d":{"type":"null"}}}`, strings.Join(defs, ","), n)
}

func TestRefusals(t *testing.T) {
	for text, want := range map[string]string{
		ofSchema(`{"properties":{"a":{"uniqueItems":true}}}`):                                       "/properties/a: uniqueItems cannot be forced",
		ofSchema(`{"properties":{"a/b":{"items":{"not":{}}}}}`):                                     "/properties/a~1b/items: not cannot be forced",
		ofSchema(`{"anyOf":[{"type":"null"},{"prefixItems":[true,3]}]}`):                            "/anyOf/1/prefixItems/1: a schema is an object, true or false",
		ofSchema(`{"$defs":{"A":{"type":"x"}},"$ref":"#/$defs/A"}`):                                 "/$defs/A: type must be of string, number, integer, boolean, null, array, object",
		ofSchema(`{"$ref":"#/$defs/A"}`):                                                            `the reference "#/$defs/A" leads nowhere`,
		ofSchema(`{"$ref":"#/properties/a"}`):                                                       `the reference "#/properties/a" must be #, or begin with #/$defs/ or #/definitions/`,
		ofSchema(`{"$ref":"#"}`):                                                                    "it has no finite text",
		ofSchema(chain(65)):                                                                         "/$defs/d63: more than 64 references lead on from each other",
		ofSchema(`{"type":"string","minLength":3,"maxLength":2}`):                                   "nothing fits: minLength is 3, maxLength is 2",
		ofSchema(`{"type":"array","maxItems":1.5}`):                                                 "maxItems must be a whole number from 0",
		ofSchema(`{"type":"integer","exclusiveMinimum":2,"maximum":2}`):                             "nothing fits between the least and the greatest number",
		ofSchema(`{"type":"integer","enum":["a"]}`):                                                 "nothing fits: enum has no value of the type",
		ofSchema(`{"enum":["a"],"minLength":3}`):                                                    "minLength beside enum cannot be forced",
		ofSchema(`{"type":"number","minimum":true}`):                                                "minimum must be a number",
		ofSchema(`{"type":"number","minimum":1e999}`):                                               "minimum: the number 1e999 has more than 400 digits",
		ofSchema(`{"type":"string","pattern":"a\\b"}`):                                              "the expression cannot be forced: it has \\b, or ^ or $ elsewhere than at the ends of an alternative at the top",
		ofSchema(`{"type":"string","pattern":"a^b"}`):                                               "the expression cannot be forced: it has \\b, or ^ or $ elsewhere than at the ends of an alternative at the top",
		ofSchema(`{"type":"string","format":3}`):                                                    "format must be a text",
		ofSchema(`{"const":{"x":["a\ud800"]}}`):                                                     `the text "a�" has a character that is none, or U+FFFD`,
		ofSchema(`{"type":"string","format":"date","pattern":"a"}`):                                 "pattern beside format cannot be forced",
		ofSchema(`{"type":"array","items":[{}]}`):                                                   "items must be a schema; write the list as prefixItems",
		ofSchema(`{"type":"string","maxLength":99999}`):                                             "its rules take more than 10000 places",
		ofSchema(`{"a":1,"a":2}`):                                                                   `the key "a" is there twice`,
		ofSchema(strings.Repeat("[", 600)):                                                          "its JSON is nested more than 500 deep",
		ofSchema(`{"title":"` + strings.Repeat("x", 1<<16) + `"}`):                                  "it has 65559 bytes, at most 65536 can be forced",
		ofSchema(`{"type":"object"}`) + "x":                                                         "there is more behind its JSON",
		form.OfRegex("a`{1001}`"):                                                                   "the expression cannot be forced: invalid repeat count: `{1001}`",
		form.OfRegex("(a"):                                                                          "the expression cannot be forced: missing closing ): `(a`",
		form.OfRegex("[^\\x00-\\x{10FFFF}]"):                                                        "it has no finite text",
		`{"regex":3}`:                                                                               `a form is {"schema": …}, {"regex": "…"} or {"any": […]}`,
		`{"any":[[{"word":"x"}]]}`:                                                                  `a part is {"text": "…"}, {"token": ID} or {"schema": …}`,
		`{"schema":{"type":"null"},"regex":"a"}`:                                                    `a form is {"schema": …}, {"regex": "…"} or {"any": […]}`,
		ofSchema(`{"properties":{"a":{}},"required":["b"]}`):                                        `nothing fits: "b" is required, and not among properties`,
		ofSchema(`{"properties":{"a":{"$ref":"#/$defs/B","type":"null"}},"$defs":{"B":{}}}`):        "/properties/a: type beside $ref cannot be forced",
		ofSchema(`{"type":"object","additionalProperties":{"maxProperties":1},"properties":{}}`):    "/additionalProperties: maxProperties cannot be forced",
		ofSchema(`{"type":"object","properties":{"n":{"const":"x","type":"string","pattern":""}}}`): "/properties/n: pattern beside const cannot be forced",
	} {
		_, err := form.Parse(text)
		if e, ok := errors.AsType[*form.Error](err); !ok || e.Error() != want {
			t.Errorf("%.80s\n error %v\n  want %s", text, err, want)
		}
	}
}

// accepted says whether a form has a text.
func accepted(t *testing.T, text, candidate string) bool {
	t.Helper()
	f, err := form.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	m, err := f.NewMatcher()
	if err != nil {
		t.Fatal(err)
	}
	s := m.Start()
	for _, b := range []byte(candidate) {
		if s, err = m.Step(s, b); err != nil {
			t.Fatal(err)
		}
	}
	return s.Ends()
}

func TestTexts(t *testing.T) {
	for _, c := range []struct {
		form  string
		has   []string
		lacks []string
	}{
		{ofSchema(`{"type":"number","minimum":1.25,"exclusiveMaximum":1.5}`), []string{"1.25", "1.250", "1.3", "1.4999"}, []string{"1", "1.2", "1.5", "1.249", "1.5000"}},
		{ofSchema(`{"type":"number","minimum":-2,"maximum":2.25}`), []string{"-2", "-2.0", "2.2", "2.25", "2", "0", "-0.5"}, []string{"-2.01", "2.26", "-0", "-0.0", "1e0"}},
		{ofSchema(`{"type":"number","minimum":98,"maximum":1003}`), []string{"98", "99.5", "100", "999.75", "1000", "1003.00"}, []string{"97.9", "9", "10", "1003.01", "1004", "0100"}},
		{ofSchema(`{"type":"number","minimum":-1.7976931348623157e308,"maximum":1.7976931348623157e308}`), []string{"0", "-1.5", strings.Repeat("9", 308) + ".5", "1" + strings.Repeat("0", 308)}, []string{"1e5", "2" + strings.Repeat("0", 308), "01", "-0"}},
		{ofSchema(`{"type":"integer","minimum":-0.5,"exclusiveMaximum":12.5}`), []string{"0", "12"}, []string{"-1", "-0", "13"}},
		{ofSchema(`{"type":"integer","minimum":123456789012345678901234567890}`), []string{"123456789012345678901234567890", "1000000000000000000000000000000"}, []string{"123456789012345678901234567889"}},
		{ofSchema(`{"enum":[1e2,1.50,-0.0,"\u0001é/\u007f"]}`), []string{"100", "1.5", "0", `"\u0001é/\u007F"`}, []string{"1e2", "1.50", "-0", `"\u0001\u00e9/\u007f"`}},
		{ofSchema(`{"required":["z"],"additionalProperties":{"type":"null"},"properties":{"a":{"type":"null"}}}`), []string{`{"z":null}`, `{"a":null, "z":null,"b": null,"b":null}`}, []string{`{"z":null,"a":null}`, `{"z":null,"z":null}`, `{"a":null}`}},
		{ofSchema(`{"properties":{"a":{"type":"null"},"b":false}}`), []string{`{}`, `{"a":null}`}, []string{`{"b":null}`, `{"a":null,"b":1}`}},
		{ofSchema(`{"properties":{"":{"type":"null"},"a\n":{"type":"null"}},"additionalProperties":{"type":"null"}}`), []string{`{"":null,"a\n":null}`, `{"a":null,"\n":null}`}, []string{`{"a\u000a":null,"":null}`, `{"a":null,"":null}`}},
		{ofSchema(`{"properties":{"a":{"type":"string","minLength":2},"a#string":{"type":"null"}}}`), []string{`{"a#string":null}`}, []string{`{"a#string":"xx"}`}},
		{ofSchema(`{"properties":{"a":{}},"additionalProperties":{"type":"null"}}`), []string{`{"a":{"x":1},"b":null}`}, []string{`{"b":1}`}},
		{ofSchema(`{"type":["integer","number"]}`), []string{"1.5", "1"}, []string{"1."}},
		{ofSchema(`{"minItems":1}`), []string{"[1]", `"x"`, "{}"}, []string{"[]"}},
		{ofSchema(`{"items":{"type":"null"},"properties":{}}`), []string{"[null]", "{}"}, []string{"null"}},
		{ofSchema(`{"type":"string","format":"uri","minLength":1}`), []string{`"x"`}, []string{`""`}},
		{ofSchema(`{"type":"string","pattern":"^a|b$|^c$"}`), []string{`"ax"`, `"xb"`, `"c"`, `"a\u000A"`}, []string{`"cx"`, `"xa"`, `"bx"`}},
		{ofSchema(`{"type":"string","pattern":"^(?i)é\\.[\\x00-\\x1f\"]$"}`), []string{`"É.\""`, `"é.\t"`, `"é.\u0009"`, `"é.\u001F"`}, []string{`"ex\""`, `"é. "`}},
		{ofSchema(`{"type":"string","pattern":"^ab$|^ac"}`), []string{`"ab"`, `"acx"`}, []string{`"abx"`}},
		{ofSchema(`{"$defs":{"a b":{"type":"null"},"c/d~":{"type":"boolean"}},"anyOf":[{"$ref":"#/$defs/a%20b"},{"$ref":"#/$defs/c~1d~0"}]}`), []string{"null", "true"}, nil},
		{form.OfRegex(`^(yes|no)$|maybe\n`), []string{"yes", "no", "maybe\n"}, []string{"maybe", "yes\n"}},
		{form.OfRegex(`(?s:.)\p{Greek}{1,2}.`), []string{"\nαx", "éβγ€"}, []string{"xx", "αα\n"}},
		{form.OfRegex(`(a*)*b+?(?:c|)`), []string{"b", "aabbc"}, []string{"", "a"}},
		{`{"any":[[{"text":"f("},{"schema":{"type":"integer"}},{"text":")"}],[{"text":"g"}]]}`, []string{"f(12)", "g"}, []string{"f()", "f(1"}},
		{`{"any":[[]` + strings.Repeat(`,[{"text":"la"},{"text":"bel"}]`, 300) + `,[{"text":"label"},{"schema":{"type":"integer"}}],[{"text":"lab"}]]}`, []string{"", "lab", "label", "label12"}, []string{"la", "labe", "label-"}},
	} {
		for _, text := range c.has {
			if !accepted(t, c.form, text) {
				t.Errorf("%s does not have %q", c.form, text)
			}
		}
		for _, text := range c.lacks {
			if accepted(t, c.form, text) {
				t.Errorf("%s has %q", c.form, text)
			}
		}
	}
}

func TestAmbiguous(t *testing.T) {
	f, err := form.Parse(form.OfRegex("(a|b)*a[ab]{300}"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := f.NewMatcher()
	if err != nil {
		t.Fatal(err)
	}
	s := m.Start()
	for range 300 {
		if s, err = m.Step(s, 'a'); err != nil {
			break
		}
	}
	if !errors.Is(err, form.ErrAmbiguous) {
		t.Errorf("error %v, want that it is too ambiguous", err)
	}
}

// TestForgotten: states that nobody holds any more are not kept, however many texts were followed.
func TestForgotten(t *testing.T) {
	f, err := form.Parse(ofSchema("{}"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := f.NewMatcher()
	if err != nil {
		t.Fatal(err)
	}
	follow := func(n int) *form.State { // into an array where n has a 1, else into an object
		s := m.Start()
		for i := range 12 {
			text := `{"":`
			if n>>i&1 == 1 {
				text = "["
			}
			for _, b := range []byte(text) {
				if s, err = m.Step(s, b); err != nil {
					t.Fatal(err)
				}
			}
		}
		return s
	}
	first := weak.Make(follow(0))
	for n := range 1 << 12 {
		if s := follow(n); !s.Alive() || s.Shortest() < 12 {
			t.Fatalf("%b: %d bytes are missing", n, s.Shortest())
		}
	}
	runtime.GC()
	if first.Value() != nil {
		t.Error("a state of the first text is still held")
	}
	runtime.KeepAlive(m)
}

func TestOfSchema(t *testing.T) {
	text, err := form.OfSchema([]byte("{ \"type\" :\n\"null\"}"))
	if err != nil || text != `{"schema":{"type":"null"}}` {
		t.Errorf("%s, %v", text, err)
	}
	if _, err = form.OfSchema([]byte("{")); err == nil || !strings.HasPrefix(err.Error(), "it is no JSON") {
		t.Errorf("error %v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		ofSchema(`{"type":"object","properties":{"a":{"type":"integer","minimum":-3,"exclusiveMaximum":1.5e2}},"required":["a","b"],"additionalProperties":true}`),
		ofSchema(`{"$defs":{"A":{"anyOf":[{"const":[1,"x"]},{"items":{"$ref":"#/$defs/A"},"maxItems":2}]}},"$ref":"#/$defs/A"}`),
		ofSchema(`{"type":"string","pattern":"^(a|\\p{L}*)+$"}`),
		form.OfRegex("(a|b)*[^\\n]{1,20}"),
		`{"any":[[{"text":"x"},{"token":3},{"schema":{}}]]}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := form.Parse(text)
		if err != nil {
			if _, ok := errors.AsType[*form.Error](err); !ok {
				t.Errorf("%v", err)
			}
			return
		}
		if !strings.Contains(text, "token") {
			follow(t, parsed)
		}
	})
}

// follow goes along a shortest text of a form, byte by byte.
func follow(t *testing.T, f *form.Form) {
	m, err := f.NewMatcher()
	if err != nil {
		return // it is too ambiguous
	}
	s := m.Start()
	for left := min(s.Shortest(), 300); left > 0; left-- {
		nearer := func(b int) bool {
			next, err := m.Step(s, byte(b))
			return errors.Is(err, form.ErrAmbiguous) || err == nil && next.Alive() && next.Shortest() == s.Shortest()-1
		}
		b := 0
		for ; b < 256 && !nearer(b); b++ {
		}
		if b == 256 {
			t.Fatalf("no byte leads nearer to the end, which is %d away", s.Shortest())
		}
		if s, err = m.Step(s, byte(b)); err != nil {
			return
		}
	}
}
