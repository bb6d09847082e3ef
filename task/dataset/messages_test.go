package dataset

import (
	"reflect"
	"strings"
	"testing"
)

// TestMessages: chats in the forms of OpenAI, TRL, verl and ShareGPT are read, as JSON and as the text of a table's cell; nothing else is.
func TestMessages(t *testing.T) {
	want := []Message{{"system", "Be brief."}, {"user", "2 + 3?"}, {"assistant", "5"}}
	for name, text := range map[string]string{
		"openai":   `{"m":[{"role":"system","content":"Be brief."},{"role":"user","content":[{"type":"text","text":"2 + 3?"}]},{"role":"assistant","content":"5","name":null}]}`,
		"sharegpt": `{"m":[{"from":"system","value":"Be brief."},{"from":"human","value":"2 + 3?"},{"from":"gpt","value":"5"}]}`,
		"text":     `{"m":" [{\"role\":\"developer\",\"content\":\"Be brief.\"},{\"role\":\"user\",\"content\":\"2 + 3?\"},{\"role\":\"assistant\",\"content\":\"5\"}]"}`,
	} {
		if got, ok, err := parse(t, text).Messages("m"); err != nil || !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v, %v", name, got, ok, err)
		}
	}
	for _, text := range []string{`{}`, `{"m":null}`, `{"m":[]}`, `{"m":["a"]}`, `{"m":[{"label":"A"}]}`, `{"m":"[1]"}`, `{"m":"text"}`, `{"m":{"role":"user","content":"x"}}`} {
		if got, ok, err := parse(t, text).Messages("m"); ok || err != nil {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for text, says := range map[string]string{
		`{"m":[{"role":"tool","content":"x"}]}`:                              `message 1 has the role "tool", expected system, user or assistant`,
		`{"m":[{"role":"user","content":[{"type":"image_url","url":"x"}]}]}`: `message 1: it has a part of the type "image_url"`,
	} {
		if _, ok, err := parse(t, text).Messages("m"); !ok || err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestDots: a key with dots is itself, or leads into objects, those in texts too.
func TestDots(t *testing.T) {
	r := parse(t, `{"a.b":1,"a":{"b":2,"c":{"d":"x"}},"t":"{\"n\": 3}","s":"{"}`)
	for key, want := range map[string]string{"a.b": "1", "a.c.d": "x", "t.n": "3", "a.x": "", "s.x": "", ".": "", "a.": "", "a.c": `{"d":"x"}`} {
		if got := r.Plain(key); got != want || r.Has(key) != (want != "") {
			t.Errorf("%q is %q, want %q", key, got, want)
		}
	}
	if _, err := r.Required("a.x"); err == nil || !strings.Contains(err.Error(), "there is no a.x: the keys are a.b, a, t, s") {
		t.Error(err)
	}
}
