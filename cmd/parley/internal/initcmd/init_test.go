package initcmd

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"parley/cmd/parley/internal/cli"
	"parley/recipe/language"
)

// TestGuesses: keys and the way of comparing follow from the rows.
func TestGuesses(t *testing.T) {
	type guess struct{ question, answer, match, final, choices string }
	for _, c := range []struct {
		name, rows string
		want       guess
	}{
		{"texts", `{"question":"q%d","answer":"Paris"}`, guess{"question", "answer", "normalised", "boxed", ""}},
		{"numbers", `{"id":1,"Problem":"q%d","Target":"1,250"}`, guess{"Problem", "Target", "number", "boxed", ""}},
		{"integers", `{"query":"q%d","n":4}`, guess{"query", "n", "number", "boxed", ""}},
		{"one unit", `{"question":"q%d","answer":"1 apple"}` + "\n" + `{"question":"r%d","answer":"1,250 apples"}` + "\n" + `{"question":"s%d","answer":"2 million"}`, guess{"question", "answer", "number", "boxed", ""}},
		{"units", `{"question":"q%d","answer":"9 apples"}` + "\n" + `{"question":"r%d","answer":"9 coins"}`, guess{"question", "answer", "normalised", "boxed", ""}},
		{"lines", "{\"instruction\":\"q%d\",\"input\":\"\",\"output\":\"one {\\ntwo\"}", guess{"instruction", "output", "normalised", "boxed", ""}},
		{"backslash", `{"question":"q%d","answer":"a \\"}`, guess{"question", "answer", "normalised", "last-line", ""}},
		{"letters", `{"question":"q%d","answer":"B"}` + "\n" + `{"question":"r%d","answer":"a"}`, guess{"question", "answer", "choice", "boxed", ""}},
		{"options", `{"question":"q%d","options":["x","y"],"answer":1}`, guess{"question", "answer", "choice", "boxed", "options"}},
		{"columns", `{"question":"q%d","A":"x","B":"y","answer":"A"}`, guess{"question", "answer", "choice", "boxed", ""}},
		{"strange names", `{"a b":"which one is it, %d?","c":"yes"}`, guess{"a b", "c", "normalised", "boxed", ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			var text bytes.Buffer
			for i := range 20 {
				text.Write(bytes.ReplaceAll([]byte(c.rows), []byte("%d"), []byte{'0' + byte(i/10), '0' + byte(i%10)}))
				text.WriteByte('\n')
			}
			if err := os.WriteFile("rows.jsonl", text.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			seen, err := lookAt(t.Context(), "rows.jsonl")
			if err != nil {
				t.Fatal(err)
			}
			d, err := Cmd{Data: "rows.jsonl", File: "rows.yaml", Base: usualBase}.draft(t.Context(), seen)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := settle(&cli.App{Ctx: t.Context(), Language: language.New()}, d); err != nil {
				t.Fatal(err)
			}
			if got := (guess{d.question, d.answer, d.ways[0].match, d.ways[0].final, d.choices}); got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}

// TestWrittenTexts: whatever names, keys and roles are, the language reads them from the recipe as they were.
func TestWrittenTexts(t *testing.T) {
	l := language.New()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[a-zA-Z0-9 :#'"\\{}\[\],&*!|>%@~?\n\té日-]{1,12}`)
		d := &draft{
			file: "mine.yaml", name: nameOf(text.Draw(t, "file")), data: text.Draw(t, "data"), base: "parley-base", rows: 1, train: 1, held: 1,
			question: "q" + text.Draw(t, "question"), answer: "a" + text.Draw(t, "answer"), fields: []string{text.Draw(t, "field")},
			ways: []way{{"normalised", "reason\nof two lines", "boxed"}}, agents: 2, turns: 2, protocol: "debate", algorithm: "mappo", reward: label, maxTokens: 8,
			roles: []string{text.Draw(t, "role"), text.Draw(t, "role")},
		}
		r, err := l.Parse(d.file, []byte(d.text()), nil)
		if err != nil {
			t.Fatalf("%v in\n%s", err, d.text())
		}
		settings := reflect.ValueOf(r.Task.Settings).Elem()
		got := []string{r.Name, settings.FieldByName("Path").String(), settings.FieldByName("Question").String(), settings.FieldByName("Answer").String()}
		if want := []string{d.name, d.data, d.question, d.answer}; !slices.Equal(got, want) || !slices.Equal(r.Team.Prompts.Roles, d.roles) {
			t.Fatalf("%q, want %q; roles %q, want %q", got, want, r.Team.Prompts.Roles, d.roles)
		}
	})
}

// TestLongPrompts: an answer gets what room the context leaves, and at least a little.
func TestLongPrompts(t *testing.T) {
	for words, want := range map[int]struct {
		tokens   int
		truncate bool
	}{1: {64, false}, 120: {57, false}, 2000: {leastTokens, true}} {
		dir := t.TempDir()
		name := filepath.Join(dir, "rows.jsonl")
		if err := os.WriteFile(name, []byte(`{"question":"`+string(bytes.Repeat([]byte("one "), words))+`","answer":"x"}`), 0o644); err != nil {
			t.Fatal(err)
		}
		seen, err := lookAt(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		d, err := Cmd{Data: name, File: "rows.yaml", Base: usualBase}.draft(t.Context(), seen)
		if err != nil || d.maxTokens != want.tokens || d.truncate != want.truncate {
			t.Errorf("%d words: %d tokens, %v, %v, want %+v", words, d.maxTokens, d.truncate, err, want)
		}
	}
}
