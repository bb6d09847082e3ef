package viewer_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// listNames are the fields that viewer/web/src/types.ts promises to be lists wherever it names them.
func listNames(t *testing.T) map[string]bool {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("web", "src", "types.ts"))
	if err != nil {
		t.Fatal(err)
	}
	lists := map[string]bool{}
	for _, m := range regexp.MustCompile(`(\w+)(\??): ([^;{}\n/]+)`).FindAllStringSubmatch(string(source), -1) {
		name, always := m[1], m[2] == "" && strings.HasSuffix(strings.TrimSpace(m[3]), "[]")
		if was, known := lists[name]; known {
			always = always && was
		}
		lists[name] = always
	}
	return lists
}

// notLists are the places of an answer where the page expects a list and there is none.
func notLists(lists map[string]bool, at string, v any) (found []string) {
	switch v := v.(type) {
	case map[string]any:
		for name, x := range v {
			if _, ok := x.([]any); lists[name] && !ok {
				found = append(found, at+"."+name)
			}
			found = append(found, notLists(lists, at+"."+name, x)...)
		}
	case []any:
		for i, x := range v {
			found = append(found, notLists(lists, fmt.Sprintf("%s[%d]", at, i), x)...)
		}
	}
	return found
}

// TestDamagedLines: a line without one of its lists is counted as damaged, and no answer has null where the page expects a list.
func TestDamagedLines(t *testing.T) {
	const swap = `{"created":"2026-01-01T00:00:00Z","update":2,"index":0,"problem":"p","title":"t","lines":[{"turn":0}],"swapped":[],"reward":null,"swapped_reward":1}`
	const question = `{"created":"2026-01-01T00:00:00Z","question":"q","lines":[{"turn":0}],"temperature":null}`
	lists := listNames(t)
	if !lists["swapped"] || !lists["nodes"] && !lists["episodes"] || lists["temperature"] {
		t.Fatalf("types.ts is not understood: %v", lists)
	}
	for _, test := range []struct {
		file, route, list, line string
		damaged                 bool
	}{
		{"swaps.jsonl", "/swaps", "swaps", swap, false},
		{"swaps.jsonl", "/swaps", "swaps", strings.Replace(swap, `"lines":[{"turn":0}],`, "", 1), true},
		{"swaps.jsonl", "/swaps", "swaps", strings.Replace(swap, `"swapped":[]`, `"swapped":null`, 1), true},
		{"swaps.jsonl", "/swaps", "swaps", strings.Replace(swap, `"swapped":[]`, `"swapped":{}`, 1), true},
		{"swaps.jsonl", "/swaps", "swaps", strings.Replace(swap, `"title":"t"`, `"title":[]`, 1), true},
		{"swaps.jsonl", "/swaps", "swaps", `null`, true},
		{"swaps.jsonl", "/swaps", "swaps", `[]`, true},
		{"swaps.jsonl", "/swaps", "swaps", swap[:40], true},
		{"questions.jsonl", "/questions", "questions", question, false},
		{"questions.jsonl", "/questions", "questions", strings.Replace(question, `"lines":[{"turn":0}],`, "", 1), false},
		{"questions.jsonl", "/questions", "questions", strings.Replace(question, `[{"turn":0}]`, "null", 1), false},
		{"questions.jsonl", "/questions", "questions", strings.Replace(question, `[{"turn":0}]`, `"none"`, 1), true},
		{"questions.jsonl", "/questions", "questions", strings.Replace(question, `"question":"q",`, "", 1), true},
		{"questions.jsonl", "/questions", "questions", `null`, true},
	} {
		root := copied(t, "magrpo-tiny")
		if err := os.WriteFile(filepath.Join(root, "magrpo-tiny", test.file), []byte(test.line+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		get(t, serve(t, options(root)), "/api/runs/magrpo-tiny"+test.route, &got)
		want := map[bool]int{false: 0, true: 1}[test.damaged]
		if list, ok := got[test.list].([]any); !ok || len(list) != 1-want || got["damaged"] != float64(want) {
			t.Errorf("%s with the line %s: %v", test.file, test.line, got)
		}
		if bad := notLists(lists, test.list, got); len(bad) > 0 {
			t.Errorf("%s with the line %s: no lists: %q", test.file, test.line, bad)
		}
	}
}

// TestHollowContributions: what is kept of contributions takes the page no list away, whatever lacks in it.
func TestHollowContributions(t *testing.T) {
	lists := listNames(t)
	whole, err := os.ReadFile(filepath.Join("testdata", "runs", "review-tiny", "contribution.json"))
	if err != nil {
		t.Fatal(err)
	}
	root := copied(t, "review-tiny")
	file, s := filepath.Join(root, "review-tiny", "contribution.json"), serve(t, options(root))
	for what, text := range hollowed(t, whole) {
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		get(t, s, "/api/runs/review-tiny/contribution", &got)
		if bad := notLists(lists, "contribution", got["contribution"]); len(bad) > 0 {
			t.Errorf("%s: no lists: %q", what, bad)
		}
	}
}

// hollowed are copies of an episode, each with one of its lists null, of another type, or with null inside.
func hollowed(t *testing.T, line []byte) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	var whole any
	if err := json.Unmarshal(line, &whole); err != nil {
		t.Fatal(err)
	}
	kept := func(what string) {
		text, err := json.Marshal(whole)
		if err != nil {
			t.Fatal(err)
		}
		out[what] = text
	}
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, x := range v {
				if _, ok := x.([]any); ok {
					for what, instead := range map[string]any{"null": nil, "a text": "x", "a list of null": []any{nil}} {
						v[name] = instead
						kept(at + "." + name + " is " + what)
					}
					v[name] = x
				}
				walk(at+"."+name, x)
			}
		case []any:
			if len(v) > 0 {
				walk(at+"[0]", v[0])
			}
		}
	}
	walk("", whole)
	return out
}

// TestHollowEpisodes: an episode that lacks one of its lists, or has another value there, is shown or named as damaged: every route about it answers
// with lists where the page expects them.
func TestHollowEpisodes(t *testing.T) {
	lists := listNames(t)
	for _, name := range []string{"magrpo-tiny", "tool-sums-tiny"} {
		t.Run(name, func(t *testing.T) {
			root := copied(t, name)
			dir := filepath.Join(root, name)
			lines := episodeLines(t, dir, 2)
			var e struct{ Problem struct{ ID string } }
			if err := json.Unmarshal(lines[0], &e); err != nil {
				t.Fatal(err)
			}
			damaged := hollowed(t, lines[0])
			if len(damaged) < 15 {
				t.Fatalf("only %d ways to damage it", len(damaged))
			}
			for what, line := range damaged {
				again := slices.Clone(lines)
				again[0] = bytes.Clone(line)
				writeEpisodes(t, dir, 2, again)
				s := serve(t, options(root))
				for _, route := range []string{
					"/episodes?from=2", "/episodes/2/0", "/episodes/2/0/tokens?node=0&agent=0&completion=0", "/problem?id=" + e.Problem.ID, "/problems", "/distributions", "/costs",
				} {
					status, body := ask(t, s, http.MethodGet, "/api/runs/"+name+route, "")
					if status == http.StatusConflict || status == http.StatusNotFound {
						continue
					}
					var got any
					if err := json.Unmarshal([]byte(body), &got); err != nil || status != http.StatusOK {
						t.Errorf("%s: %s: %d %.300s", what, route, status, body)
					}
					if bad := notLists(lists, "", got); len(bad) > 0 {
						t.Errorf("%s: %s: no lists: %q", what, route, bad)
					}
				}
				s.Close()
			}
		})
	}
}
