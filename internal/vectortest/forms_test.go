package vectortest

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"parley/model/form"
)

func TestVectorsForms(t *testing.T) {
	runSections(t, "forms.json", map[string]func(*testing.T, Case){"": formCase}, nil)
}

// A formText is what a form says of one text.
type formText struct {
	Text, Hex        string
	Accepted, Prefix bool
	Next             [][2]int
}

func (f formText) bytes(t *testing.T) []byte {
	t.Helper()
	if f.Hex == "" {
		return []byte(f.Text)
	}
	b, err := hex.DecodeString(f.Hex)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func formCase(t *testing.T, c Case) {
	v := decode[struct {
		Schema   json.RawMessage
		Regex    string
		Shortest int
		Refused  bool
		Why      string
		Cases    []formText
	}](t, c)
	f, err := parseForm(v.Schema, v.Regex)
	if v.Refused {
		if _, ok := errors.AsType[*form.Error](err); !ok {
			t.Errorf("%s is not refused: %v", v.Why, err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	m, err := f.NewMatcher()
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Start().Shortest(); got != v.Shortest {
		t.Errorf("the shortest text has %d bytes, want %d", got, v.Shortest)
	}
	for _, x := range v.Cases {
		formTextCase(t, m, x)
	}
}

func parseForm(schema json.RawMessage, regex string) (*form.Form, error) {
	if schema == nil {
		return form.Parse(form.OfRegex(regex))
	}
	text, err := form.OfSchema(schema)
	if err != nil {
		return nil, err
	}
	return form.Parse(text)
}

func formTextCase(t *testing.T, m *form.Matcher, x formText) {
	t.Helper()
	text := x.bytes(t)
	s := m.Start()
	for _, b := range text {
		s = step(t, m, s, b)
	}
	if s.Ends() != x.Accepted || s.Alive() != x.Prefix {
		t.Errorf("%q: accepted %v, prefix %v: want %v, %v", text, s.Ends(), s.Alive(), x.Accepted, x.Prefix)
	}
	if !x.Prefix || !s.Alive() {
		return
	}
	next := [][2]int{}
	for b := range 256 {
		switch last := len(next) - 1; {
		case !step(t, m, s, byte(b)).Alive():
		case last >= 0 && next[last][1] == b-1:
			next[last][1] = b
		default:
			next = append(next, [2]int{b, b})
		}
	}
	if !reflect.DeepEqual(next, x.Next) {
		t.Errorf("%q: %v may follow, want %v", text, next, x.Next)
	}
}

func step(t *testing.T, m *form.Matcher, s *form.State, b byte) *form.State {
	t.Helper()
	next, err := m.Step(s, b)
	if err != nil {
		t.Fatal(err)
	}
	return next
}
