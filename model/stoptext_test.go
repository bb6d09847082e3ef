package model_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley/model"
)

// An answer ends at the token that completes a stop text, however tokens cut it, and its text ends before: as a search of the whole text after
// every token has it. What is shown meanwhile is the same text, and never the beginning of a stop text.
func TestStops(t *testing.T) {
	for _, name := range []string{model.Shipped, tinyBase} {
		m, err := model.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		bytes := encoded(t, m, "é€😀 so é") // characters of several tokens
		rapid.Check(t, func(t *rapid.T) { stopsAt(t, m, bytes) })
	}
}

func stopsAt(t *rapid.T, m *model.Model, bytes []int) {
	token := rapid.OneOf(rapid.SampledFrom(bytes), rapid.IntRange(3, m.Tokenizer.Size()-1))
	tokens := rapid.SliceOfN(token, 1, 40).Draw(t, "tokens")
	read := func(n int) string { return strings.TrimRight(m.Text(tokens[:n]), "\uFFFD") }
	runes := []rune(strings.ReplaceAll(m.Text(tokens), "\uFFFD", ""))
	texts := []string{"so", "😀"}
	if len(runes) > 0 {
		from := rapid.IntRange(0, len(runes)-1).Draw(t, "from")
		texts[0] = string(runes[from:min(len(runes), from+rapid.IntRange(1, 9).Draw(t, "length"))])
	}
	least := rapid.IntRange(0, 9).Draw(t, "least")
	wantAt, want := len(tokens), m.Text(tokens)
search:
	for n := max(1, least); n <= len(tokens); n++ {
		text, old, best := read(n), len(read(n-1)), -1
		for _, stop := range texts {
			for at := range text {
				if strings.HasPrefix(text[at:], stop) && at+len(stop) > old && (best < 0 || at < best) {
					best = at
				}
			}
		}
		if best >= 0 {
			wantAt, want = n, text[:best]
			break search
		}
	}
	stops, err := m.Stops(texts)
	if err != nil {
		t.Fatal(err)
	}
	w, n, shown := stops.Watch(least), 0, ""
	for n < len(tokens) {
		n++
		ended := w.Ends(tokens[n-1])
		shown += w.Next()
		if ended {
			break
		}
		for _, stop := range texts {
			if least == 0 && strings.Contains(shown, stop) {
				t.Fatalf("%q was shown, with the stop text %q", shown, stop)
			}
		}
	}
	shown += w.Rest()
	if n != wantAt || shown != want {
		t.Fatalf("texts %q, at least %d: ends at token %d with %q, want %d with %q", texts, least, n, shown, wantAt, want)
	}
}

func TestStopsAtTokens(t *testing.T) {
	m, err := model.Open(model.Shipped)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	stops, err := m.Stops([]string{"<|user|>"})
	if err != nil {
		t.Fatal(err)
	}
	w := stops.Watch(0)
	if id, _ := m.Tokenizer.ID("<|user|>"); w.Ends(encoded(t, m, "a")[0]) || !w.Ends(id) {
		t.Error("the special token does not end the answer, or another one does")
	}
	if text, ended := w.Text(); text != "a" || !ended {
		t.Errorf("text %q, ended %v", text, ended)
	}
	for _, bad := range []string{"", "so <|end|>"} {
		if _, err := m.Stops([]string{bad}); err == nil {
			t.Errorf("%q is a stop text", bad)
		}
	}
}
