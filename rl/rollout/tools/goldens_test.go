package tools

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// said are the marks around what an assistant says, by form.
var said = map[string]struct {
	open  []string
	close []string
}{
	Hermes:  {[]string{"<|im_start|>assistant\n"}, []string{"<|im_end|>"}},
	Llama3:  {[]string{"<|start_header_id|>assistant<|end_header_id|>\n\n"}, []string{"<|eot_id|>", "<|eom_id|>"}},
	Mistral: {[]string{"[/INST]", "[/TOOL_RESULTS]", "</s>[TOOL_CALLS]"}, []string{"</s>"}},
}

// answers are the texts between the marks.
func answers(form, text string) (out []string) {
	for {
		first, end := -1, 0
		for _, open := range said[form].open {
			if at := strings.Index(text, open); at >= 0 && (first < 0 || at < first) {
				first, end = at, at+len(open)
			}
		}
		if first < 0 {
			return out
		}
		text = text[end:]
		answer := text
		for _, mark := range said[form].close {
			answer, _, _ = strings.Cut(answer, mark)
		}
		out = append(out, answer)
	}
}

type calling struct {
	Name      string
	Arguments any
}

// TestGoldens: what the templates of models write of a conversation's calls, as transformers renders them, is read as these calls. The texts
// themselves are those of package chat, whose tests compare the rendering of functions, calls and results.
func TestGoldens(t *testing.T) {
	folder := filepath.Join("..", "..", "..", "model", "chat", "testdata")
	if shared := os.Getenv("PARLEY_GOLDENS"); shared != "" {
		folder = filepath.Join(shared, "chat")
	}
	files, err := filepath.Glob(filepath.Join(folder, "templates", "*.jinja"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, file := range files {
		template, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".jinja")
		if form, ok := FormOf(string(template)); ok && said[form].open != nil {
			seen[form] += conversations(t, name, form, filepath.Join(folder, "cases", name+".jsonl"))
		}
	}
	all := os.Getenv("PARLEY_GOLDENS") != ""
	if seen[Hermes] < 10 || seen[Mistral] < 5 || all && seen[Llama3] < 5 {
		t.Errorf("conversations with calls by form: %v", seen)
	}
}

// conversations reads the calls of all conversations of a template, and counts those.
func conversations(t *testing.T, name, form, file string) (n int) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var c struct {
			Name     string
			Expected *string
			Tools    []any
			Messages []struct {
				ToolCalls []struct {
					Function struct {
						Name      string
						Arguments any
					}
				} `json:"tool_calls"`
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		var want []calling
		for _, m := range c.Messages {
			for _, call := range m.ToolCalls {
				want = append(want, calling{call.Function.Name, decoded(call.Function.Arguments)})
			}
		}
		if c.Expected == nil || want == nil {
			continue
		}
		n++
		if got := readAll(t, form, *c.Expected); !reflect.DeepEqual(got, want) {
			t.Errorf("%s, %s: calls %+v, want %+v in\n%s", name, c.Name, got, want, *c.Expected)
		}
	}
	return n
}

// readAll reads the calls of all answers in a conversation.
func readAll(t *testing.T, form, text string) (out []calling) {
	f, _ := formByName(form)
	for _, answer := range answers(form, text) {
		for _, call := range f.Calls(answer) {
			if call.Err != nil {
				t.Errorf("%q: %v", answer, call.Err)
			}
			out = append(out, calling{call.Name, decoded(string(call.Arguments))})
		}
	}
	return out
}

// decoded are arguments, which some give as a text of JSON.
func decoded(arguments any) any {
	text, ok := arguments.(string)
	if !ok {
		return arguments
	}
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return arguments
	}
	return v
}
