package dataset

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func parse(t *testing.T, text string) Record {
	t.Helper()
	r, err := ParseRecord([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestScalars(t *testing.T) {
	r := parse(t, `{"text":"a","int":5,"float":5.0,"big":18446744073709551615,"e":1E3,"yes":true,"no":false,"null":null,"list":["a",1,true],"object":{"b": [1, 2]},"empty":" "}`)
	for key, want := range map[string]string{
		"text": "a", "int": "5", "float": "5.0", "big": "18446744073709551615", "e": "1E3", "yes": "true", "no": "false", "null": "", "none": "", "empty": " ",
	} {
		if got, err := r.Text(key); err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", key, got, err, want)
		}
	}
	for _, key := range []string{"list", "object"} {
		if got, err := r.Text(key); err == nil {
			t.Errorf("%s is the text %q", key, got)
		}
	}
	if got := r.Plain("object"); got != `{"b":[1,2]}` {
		t.Errorf("object: %s", got)
	}
	if got, err := r.Texts("list"); err != nil || !slices.Equal(got, []string{"a", "1", "true"}) {
		t.Errorf("list: %q, %v", got, err)
	}
	for key, want := range map[string]string{"empty": "empty is empty", "none": "there is no none: the keys are text, int,"} {
		if _, err := r.Required(key); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// TestExactKeys: a key is what it is written as.
func TestExactKeys(t *testing.T) {
	r := parse(t, `{"Answer":"A","answer":"B","ANSWER":"C"}`)
	for key, want := range map[string]string{"Answer": "A", "answer": "B", "ANSWER": "C", "aNSWER": ""} {
		if got, err := r.Text(key); err != nil || got != want {
			t.Errorf("%s: %q, %v", key, got, err)
		}
	}
	if got := r.Keys(); !slices.Equal(got, []string{"Answer", "answer", "ANSWER"}) {
		t.Errorf("keys %q", got)
	}
}

func TestNaN(t *testing.T) {
	r := parse(t, `{"a":NaN,"b":-Infinity,"c":[Infinity,1],"d":"NaN \" Infinity"}`)
	if !r.Null("a") || !r.Null("b") || r.Plain("c") != "[null,1]" || r.Plain("d") != `NaN " Infinity` {
		t.Errorf("%+v", r)
	}
}

func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		`[1]`: "no JSON object", `3`: "no JSON object", `{`: "does not end: write one object a line", `{"a":1`: "does not end", `{"data":[`: "does not end", `{"a":x}`: "no JSON object", ``: "no JSON object",
		`{"a":1}{"b":2}`: "something stands behind", `{"a":1}}`: "something stands behind", `{"a":1,"a":2}`: `key "a" stands twice`,
		wide(10_001): "more than 10000 keys",
	} {
		if _, err := ParseRecord([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// wide is an object with n keys.
func wide(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"k%d":1`, i)
	}
	return "{" + b.String()[1:] + "}"
}

// TestParseIsJSON: an object has the keys and values that encoding/json finds in it.
func TestParseIsJSON(t *testing.T) {
	value := rapid.OneOf(rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.String().AsAny(), rapid.IntRange(-9, 9).AsAny(), rapid.SliceOfN(rapid.String(), 0, 3).AsAny())
	rapid.Check(t, func(t *rapid.T) {
		object := rapid.MapOfN(rapid.String(), value, 0, 6).Draw(t, "object")
		data, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		r, err := ParseRecord(data)
		if err != nil {
			t.Fatal(err)
		}
		keys := slices.Sorted(slices.Values(r.Keys()))
		var want map[string]json.RawMessage
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(keys, slices.Sorted(maps.Keys(want))) {
			t.Fatalf("keys %q of %s", keys, data)
		}
		for key, v := range want {
			if string(r.Value(key)) != string(v) {
				t.Fatalf("%s: %s, want %s", key, r.Value(key), v)
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"a":1}`, `{"a":NaN}`, `{"a":{"b":[true,null]}}`, `[]`, `{"a":1}x`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := ParseRecord(data)
		if err != nil {
			if len(data) < math.MaxInt16 && json.Valid(data) && data[0] == '{' && !strings.Contains(err.Error(), "twice") {
				t.Fatalf("%q: %v", data, err)
			}
			return
		}
		for _, key := range r.Keys() {
			if text := r.Plain(key); text == "" && !r.Null(key) && string(r.Value(key)) != `""` {
				t.Fatalf("%q of %q is empty", key, data)
			}
		}
	})
}
