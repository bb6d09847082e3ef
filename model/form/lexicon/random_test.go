package lexicon_test

import (
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"parley/model"
	"parley/model/form/lexicon"
)

// shipped is the lexicon of the base in the binary.
var shipped = sync.OnceValues(func() (*lexicon.Lexicon, error) {
	m, err := model.Open(model.Shipped)
	if err != nil {
		return nil, err
	}
	return m.Lexicon()
})

// TestRandomTexts: texts of tokens drawn at random are JSON that satisfies the schema, and end within the limit.
func TestRandomTexts(t *testing.T) {
	l, err := shipped()
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.Open(model.Shipped)
	if err != nil {
		t.Fatal(err)
	}
	into := io.Discard
	if name := os.Getenv("PARLEY_FORM_TEXTS"); name != "" { // for another validator
		f, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		into = f
	}
	kept := json.NewEncoder(into)
	check := func(t *rapid.T) {
		schema := drawSchema(3).Draw(t, "schema")
		data, _ := json.Marshal(schema)
		texts, err := l.Open(`{"schema":` + string(data) + `}`)
		if err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		s := texts.Start()
		limit := s.Shortest() + 1 + rapid.IntRange(0, 60).Draw(t, "room")
		var ids []int
		for {
			set, err := texts.Allowed(s, limit-len(ids))
			if err != nil {
				t.Fatalf("%s: %v", data, err)
			}
			var may []int
			for id := range 64 * len(set.Words()) {
				if set.Has(id) {
					may = append(may, id)
				}
			}
			if s.Ends() && (len(may) == 0 || rapid.Bool().Draw(t, "end")) {
				break
			}
			if len(may) == 0 {
				t.Fatalf("%s: nothing may follow %q", data, m.Text(ids))
			}
			ids = append(ids, rapid.SampledFrom(may).Draw(t, "token"))
			if s, err = texts.Token(s, ids[len(ids)-1]); err != nil {
				t.Fatal(err)
			}
		}
		text := m.Text(ids)
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil || d.More() {
			t.Fatalf("%s: %q is no JSON: %v", data, text, err)
		}
		if len(ids) >= limit {
			t.Fatalf("%s: %q has %d tokens, and no room for the end in %d", data, text, len(ids), limit)
		}
		if fault := fault(schema, v); fault != "" {
			t.Fatalf("%s: %q: %s", data, text, fault)
		}
		if err := kept.Encode(map[string]any{"schema": schema, "text": text}); err != nil {
			t.Fatal(err)
		}
	}
	for range 10 { // a hundred schemas each
		rapid.Check(t, check)
	}
}

type schema = map[string]any

// drawSchema draws schemas of the kinds that clients send, nested to a depth.
func drawSchema(depth int) *rapid.Generator[schema] {
	return rapid.Custom(func(t *rapid.T) schema {
		kinds := []func(*rapid.T) schema{drawString, drawNumber, drawEnum}
		if depth > 0 {
			kinds = append(kinds, drawObject(depth), drawObject(depth), drawArray(depth), drawChoice(depth))
		}
		return rapid.SampledFrom(kinds).Draw(t, "kind")(t)
	})
}

func drawString(t *rapid.T) schema {
	least := rapid.IntRange(0, 4).Draw(t, "least")
	return rapid.SampledFrom([]schema{
		{"type": "string"},
		{"type": "string", "minLength": least, "maxLength": least + rapid.IntRange(0, 3).Draw(t, "more")},
		{"type": "string", "pattern": "^[a-z]{2,4}(-[0-9]+)?$"},
		{"type": "string", "pattern": "ab|^c"},
		{"type": "string", "pattern": `^[^"\\a-f]{1,3}$`},
		{"type": "string", "format": "date-time"},
		{"type": []any{"string", "null"}},
	}).Draw(t, "string")
}

func drawNumber(t *rapid.T) schema {
	s := schema{"type": rapid.SampledFrom([]string{"integer", "number"}).Draw(t, "type")}
	scale := rapid.SampledFrom([]float64{1, 1, 4, 1000}).Draw(t, "scale")
	low := float64(rapid.IntRange(-3000, 3000).Draw(t, "low")) / scale
	if rapid.Bool().Draw(t, "bounded below") {
		s[rapid.SampledFrom([]string{"minimum", "exclusiveMinimum"}).Draw(t, "below")] = low
	}
	if rapid.Bool().Draw(t, "bounded above") {
		s[rapid.SampledFrom([]string{"maximum", "exclusiveMaximum"}).Draw(t, "above")] = low + 2 + float64(rapid.IntRange(0, 300).Draw(t, "width"))/scale
	}
	return s
}

func drawEnum(t *rapid.T) schema {
	values := []any{"red", "re\nd", "é\"\\", 1.5, 20, nil, true, []any{1, "x"}, schema{"a": []any{}, "b": "c"}}
	return schema{"enum": rapid.SliceOfN(rapid.SampledFrom(values), 1, 4).Draw(t, "values")}
}

func drawObject(depth int) func(*rapid.T) schema {
	return func(t *rapid.T) schema {
		properties, required := schema{}, []any{}
		for _, name := range []string{"a", "ab", "na\"me"} {
			if rapid.Bool().Draw(t, "has "+name) {
				properties[name] = drawSchema(depth-1).Draw(t, name)
				if rapid.Bool().Draw(t, "requires "+name) {
					required = append(required, name)
				}
			}
		}
		s := schema{"type": "object", "properties": properties, "required": required}
		if rapid.IntRange(0, 3).Draw(t, "open") == 0 {
			s["additionalProperties"] = drawSchema(0).Draw(t, "others")
		}
		return s
	}
}

func drawArray(depth int) func(*rapid.T) schema {
	return func(t *rapid.T) schema {
		s := schema{"type": "array", "items": drawSchema(depth-1).Draw(t, "items")}
		if least := rapid.IntRange(0, 2).Draw(t, "least"); rapid.Bool().Draw(t, "bounded") {
			s["minItems"], s["maxItems"] = least, least+rapid.IntRange(0, 2).Draw(t, "more")
		}
		if rapid.IntRange(0, 3).Draw(t, "prefix") == 0 {
			s["prefixItems"] = []any{drawSchema(0).Draw(t, "first")}
		}
		return s
	}
}

func drawChoice(depth int) func(*rapid.T) schema {
	return func(t *rapid.T) schema {
		return schema{"anyOf": []any{drawSchema(depth-1).Draw(t, "one"), drawSchema(depth-1).Draw(t, "other")}}
	}
}

// fault says what of a value does not satisfy a schema, of the keywords that drawSchema draws; empty: nothing.
func fault(s schema, v any) string {
	if all, ok := s["anyOf"].([]any); ok {
		for _, one := range all {
			if fault(one.(schema), v) == "" {
				return ""
			}
		}
		return "no alternative fits"
	}
	if values, ok := s["enum"].([]any); ok {
		want, _ := json.Marshal(v)
		for _, one := range values {
			if data, _ := json.Marshal(one); string(data) == string(want) {
				return ""
			}
		}
		return "not among enum"
	}
	types, ok := s["type"].([]any)
	if !ok {
		types = []any{s["type"]}
	}
	has := func(t string) bool { return slices.Contains(types, any(t)) }
	switch v := v.(type) {
	case nil:
		if has("null") {
			return ""
		}
	case string:
		if has("string") {
			return stringFault(s, v)
		}
	case json.Number:
		if has("number") || has("integer") {
			return numberFault(s, v)
		}
	case []any:
		if has("array") {
			return arrayFault(s, v)
		}
	case map[string]any:
		if has("object") {
			return objectFault(s, v)
		}
	}
	return fmt.Sprintf("it is a %T", v)
}

func stringFault(s schema, v string) string {
	if p, ok := s["pattern"].(string); ok && !regexp.MustCompile(p).MatchString(v) {
		return "the pattern does not match"
	}
	if s["format"] == "date-time" {
		// Seconds may be 60, and February has 29 days in any year: neither is so for package time.
		v = strings.ToUpper(v)
		day := regexp.MustCompile(`^\d{4}-02-29`).ReplaceAllString(v, "2024-02-29")
		if _, err := time.Parse(time.RFC3339, regexp.MustCompile(`:60([.Z+-])`).ReplaceAllString(day, ":59$1")); err != nil {
			return err.Error()
		}
	}
	n := utf8.RuneCountInString(v)
	if least, ok := s["minLength"].(int); ok && (n < least || n > s["maxLength"].(int)) {
		return fmt.Sprintf("%d characters", n)
	}
	return ""
}

func numberFault(s schema, v json.Number) string {
	if len(s) == 1 && s["type"] == "number" {
		return "" // it may have an exponent of any size
	}
	r, ok := new(big.Rat).SetString(v.String())
	if !ok || s["type"] != "number" && !r.IsInt() {
		return "not the type of number"
	}
	for name, wrong := range map[string]func(order int) bool{
		"minimum":          func(order int) bool { return order < 0 },
		"exclusiveMinimum": func(order int) bool { return order <= 0 },
		"maximum":          func(order int) bool { return order > 0 },
		"exclusiveMaximum": func(order int) bool { return order >= 0 },
	} {
		if bound, ok := s[name].(float64); ok && wrong(r.Cmp(new(big.Rat).SetFloat64(bound))) {
			return fmt.Sprintf("%s is %v", name, bound)
		}
	}
	return ""
}

func arrayFault(s schema, v []any) string {
	if least, ok := s["minItems"].(int); ok && (len(v) < least || len(v) > s["maxItems"].(int)) {
		return fmt.Sprintf("%d items", len(v))
	}
	prefix, _ := s["prefixItems"].([]any)
	for i, item := range v {
		one := s["items"].(schema)
		if i < len(prefix) {
			one = prefix[i].(schema)
		}
		if f := fault(one, item); f != "" {
			return fmt.Sprintf("item %d: %s", i, f)
		}
	}
	return ""
}

func objectFault(s schema, v map[string]any) string {
	properties := s["properties"].(schema)
	for _, name := range s["required"].([]any) {
		if _, ok := v[name.(string)]; !ok {
			return fmt.Sprintf("%q is missing", name)
		}
	}
	for name, item := range v {
		one, ok := properties[name].(schema)
		if !ok {
			one, ok = s["additionalProperties"].(schema)
		}
		if !ok {
			return fmt.Sprintf("%q is too much", name)
		}
		if f := fault(one, item); f != "" {
			return name + ": " + f
		}
	}
	return ""
}
