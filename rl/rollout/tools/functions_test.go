package tools

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func open(t *testing.T, limits Limits, names ...string) *Functions {
	t.Helper()
	f, err := Open(t.Context(), names, limits)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// The calculator is exact, and says what it cannot read.
func TestCalculator(t *testing.T) {
	f := open(t, Limits{Output: 1000}, Calculator)
	for expression, want := range map[string]string{
		"12+3": "15", "28 - 15*2": "-2", "(1+2)*3": "9", "1/3": "0.333333", "10/4": "2.5", "-(2)--3": "1", "0.1+0.2": "0.3", "12×3÷4": "9",
		"123456789012345678901234567890*10": "1234567890123456789012345678900", "1000000/3": "333333.333333", "2/-4": "-0.5", "+7": "7",
		"1/0": "error: division by zero", "": `error: "" is no number`, "1+": `error: "" is no number`, "(1": "error: a parenthesis is not closed",
		"1 2)": `error: ")" is no part of an expression`, "x": `error: "x" is no number`, "1..2": `error: "1..2" is no number`, "2**3": `error: "*3" is no number`,
		strings.Repeat("9", 201): "error: the expression has 201 characters, expected at most 200",
	} {
		arguments, _ := json.Marshal(map[string]string{"expression": expression})
		r, err := f.Call(t.Context(), "calculate", arguments)
		if err != nil || r.Text != want || r.Failed != strings.HasPrefix(want, "error") {
			t.Errorf("%q: %+v, %v, want %q", expression, r, err, want)
		}
		text, _ := json.Marshal(expression)
		if inText, err := f.Call(t.Context(), "calculate", text); err != nil || inText != r {
			t.Errorf("in text %q gives %+v, %v", expression, inText, err)
		}
	}
}

// Sums, differences and products of integers are those of Go.
func TestCalculatorAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SliceOfN(rapid.IntRange(-99, 99), 3, 3).Draw(t, "numbers")
		for text, want := range map[string]int{
			fmt.Sprintf("%d+%d*%d", n[0], n[1], n[2]): n[0] + n[1]*n[2], fmt.Sprintf("(%d-%d)*%d", n[0], n[1], n[2]): (n[0] - n[1]) * n[2],
			fmt.Sprintf("%d-%d-%d", n[0], n[1], n[2]): n[0] - n[1] - n[2],
		} {
			if value, err := compute(text); err != nil || value.RatString() != fmt.Sprint(want) {
				t.Fatalf("%s = %v, %v, want %d", text, value, err, want)
			}
		}
	})
}

// Arguments are those of the function, of its types, or the call is told which is not.
func TestArguments(t *testing.T) {
	f := Function{Name: "f", Parameters: json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"},"c":{"type":"array"},"d":{},"e":{"type":"number"},"o":{"type":"object"},"y":{"type":"boolean"}},"required":["a"]}`)}
	for given, want := range map[string]string{
		`{"a":1}`: "", `{"a":1,"b":"x","c":[1],"d":{},"e":1.5,"o":{},"y":true}`: "", `{"a":1,"b":null}`: "", `7`: "no object",
		`{}`: `"a" is missing`, `{"a":1.5}`: "expected an integer", `{"a":"1"}`: "expected an integer", `{"a":1,"b":2}`: "of type string", `{"a":1,"x":2}`: `no argument "x"`,
		`{"a":1,"c":{}}`: "of type array", `{"a":1,"e":"1"}`: "of type number", `{"a":1,"o":[]}`: "of type object", `{"a":1,"y":0}`: "of type boolean",
		`"12"`: "", `"x"`: "no value of JSON", `"1.5"`: "expected an integer",
	} {
		got, err := f.accept(json.RawMessage(given))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %s, %v, want %q", given, got, err, want)
		}
	}
	if got, err := f.accept(json.RawMessage(`"12"`)); err != nil || string(got) != `{"a":12}` {
		t.Errorf("%s, %v", got, err)
	}
	two := Function{Name: "f", Parameters: json.RawMessage(`{"properties":{"a":{},"b":{}},"required":["a","b"]}`)}
	if _, err := two.accept(json.RawMessage(`"1"`)); err == nil || !strings.Contains(err.Error(), "takes 2 arguments") {
		t.Errorf("%v", err)
	}
}

// Calls of functions that are not there say which are; words and files that are wrong are all named.
func TestOpenAndUnknown(t *testing.T) {
	f := open(t, Limits{Output: 1000}, Calculator)
	if r, err := f.Call(t.Context(), "add", json.RawMessage(`{}`)); err != nil || !r.Failed || r.Text != `error: there is no function "add", but calculate` {
		t.Errorf("%+v, %v", r, err)
	}
	_, err := Open(t.Context(), []string{"none.py", Calculator, Calculator}, Limits{})
	if err == nil || !strings.Contains(err.Error(), "none.py: open none.py") || !strings.Contains(err.Error(), "there is a function calculate already") {
		t.Errorf("%v", err)
	}
}

// A result is whole characters, of no more bytes than it may have but for the words that say so.
func TestBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, most := string(rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "text")), rapid.IntRange(0, 20).Draw(t, "most")
		got := bounded(text, most)
		if !utf8.ValidString(got) || len(got) > max(most+len("… (cut: 120 bytes in all)"), 3*len(text)) {
			t.Fatalf("%q of %q", got, text)
		}
		if len(text) <= most && utf8.ValidString(text) && got != text {
			t.Fatalf("%q of %q", got, text)
		}
	})
}

// TestTyped: texts become what the function takes; what it takes as text stays text, and so does what cannot be read.
func TestTyped(t *testing.T) {
	f := &Functions{List: []Function{{Name: "f", Parameters: json.RawMessage(`{"type":"object","properties":{
		"n":{"type":"integer"},"x":{"type":"number"},"b":{"type":"boolean"},"l":{"type":"array"},"s":{"type":"string"},
		"some":{"anyOf":[{"type":"integer"},{"type":"null"}]},"any":{"anyOf":[{"type":"integer"},{"type":"string"}]},"free":{}}}`)}}}
	for _, c := range []struct{ in, want string }{
		{`{"n":" 3 ","x":"0.5","b":"True","l":"[1, 2]","s":"3"}`, `{"b":true,"l":[1,2],"n":3,"s":"3","x":0.5}`},
		{`{"some":"4","any":"4","free":"4"}`, `{"any":"4","free":"4","some":4}`},
		{`{"some":"None","b":"false","n":"three","unknown":"1"}`, `{"b":false,"n":"three","some":null,"unknown":"1"}`},
		{`{}`, `{}`},
	} {
		if got := string(f.Typed("f", json.RawMessage(c.in))); got != c.want {
			t.Errorf("%s is read as %s, want %s", c.in, got, c.want)
		}
	}
	if got := string(f.Typed("g", json.RawMessage(`{"n":"3"}`))); got != `{"n":"3"}` {
		t.Errorf("of a function that does not exist: %s", got)
	}
}
