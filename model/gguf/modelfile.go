package gguf

import (
	"fmt"
	"strings"
	"text/template"
)

// A Message is one of a dialogue.
type Message struct{ Role, Content string }

// A Render writes a dialogue as the model's chat template does, up to where the model speaks if speak is set.
type Render func(messages []Message, speak bool) (string, error)

// A Modelfile is what ollama makes a model of.
type Modelfile struct {
	From        string   // file of the model
	Adapter     string   // file of an adapter over it; empty: none
	Template    string   // as [Template] makes it; empty: ollama finds its own
	Stop        []string // texts that end an answer
	Temperature float64
	TopK        int
	TopP        float64
}

// String is the text of the file.
func (m Modelfile) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "FROM %s\n", m.From)
	if m.Adapter != "" {
		fmt.Fprintf(&b, "ADAPTER %s\n", m.Adapter)
	}
	if m.Template != "" {
		fmt.Fprintf(&b, "TEMPLATE \"\"\"%s\"\"\"\n", m.Template)
	} else {
		b.WriteString("# The chat template of the model is none that can be written here; ollama takes the one that it knows for it.\n")
	}
	for _, text := range m.Stop {
		quote := `"` // ollama takes what stands between as it is
		if strings.Contains(text, "\n") {
			quote = `"""`
		}
		fmt.Fprintf(&b, "PARAMETER stop %s%s%s\n", quote, text, quote)
	}
	topP := m.TopP
	if topP == 0 {
		topP = 1
	}
	fmt.Fprintf(&b, "PARAMETER temperature %g\nPARAMETER top_k %d\nPARAMETER top_p %g\nPARAMETER repeat_penalty 1\n", m.Temperature, m.TopK, topP)
	return b.String()
}

// Template writes a chat template as ollama has them: Go templates, over .System and .Messages. bos is the text of the token that llama.cpp itself
// puts before a text; empty: none. It is found by rendering dialogues and looking at what stands around their contents, and checked on others. The
// result is empty if the template does more than surround contents.
func Template(render Render, bos string) string {
	for _, system := range []bool{true, false} {
		if text, ok := surround(render, bos, system); ok {
			return text
		}
	}
	return ""
}

// The contents that are looked for in rendered dialogues.
const (
	said1, said2, said3, said4 = "Kolibri", "Tamburin", "Zinnober", "Walfisch"
)

// around cuts text at a content that stands in it once.
func around(text, content string) (before, after string, ok bool) {
	before, after, ok = strings.Cut(text, content)
	return before, after, ok && !strings.Contains(after, content)
}

// surround finds what stands around the contents.
func surround(render Render, bos string, system bool) (string, bool) {
	first, err1 := render([]Message{{"user", said1}}, false)
	spoken, err2 := render([]Message{{"user", said1}}, true)
	second, err3 := render([]Message{{"user", said1}, {"assistant", said2}}, false)
	third, err4 := render([]Message{{"user", said1}, {"assistant", said2}, {"user", said3}}, true)
	if err1 != nil || err2 != nil || err3 != nil || err4 != nil {
		return "", false
	}
	speak, ok := strings.CutPrefix(spoken, first)
	answer, ok2 := strings.CutPrefix(second, first)
	answerBefore, answerAfter, ok3 := around(answer, said2)
	next, ok4 := strings.CutPrefix(third, second)
	userBefore, rest, ok5 := around(next, said3)
	userAfter, ok6 := strings.CutSuffix(rest, speak)
	begin, ok7 := strings.CutSuffix(first, userBefore+said1+userAfter)
	if !ok || !ok2 || !ok3 || !ok4 || !ok5 || !ok6 || !ok7 {
		return "", false
	}
	head := strings.TrimPrefix(begin, bos)
	if system {
		with, err := render([]Message{{"system", said4}, {"user", said1}}, true)
		before, rest, ok := around(with, said4)
		after, ok2 := strings.CutSuffix(rest, userBefore+said1+userAfter+speak)
		if err != nil || !ok || !ok2 {
			return "", false
		}
		head = "{{ if .System }}" + strings.TrimPrefix(before, bos) + "{{ .System }}" + after + "{{ else }}" + head + "{{ end }}"
	}
	text := head + `{{ range .Messages }}{{ if eq .Role "user" }}` + userBefore + "{{ .Content }}" + userAfter +
		`{{ else if eq .Role "assistant" }}` + answerBefore + "{{ .Content }}" + answerAfter + "{{ end }}{{ end }}" + speak
	return text, sameDialogues(text, render, bos, system) && !strings.Contains(text, `"""`)
}

// sameDialogues compares what a template of ollama's writes with what the chat template writes.
func sameDialogues(text string, render Render, bos string, system bool) bool {
	t, err := template.New("").Parse(text)
	if err != nil {
		return false
	}
	dialogue := []Message{{"user", "one"}, {"assistant", "two\n2"}, {"user", "three"}, {"assistant", "four"}, {"user", "five {{"}}
	for _, n := range []int{1, 3, 5} {
		for _, before := range [][]Message{nil, {{"system", "Be kind."}}} {
			if before != nil && !system {
				continue
			}
			messages := append(before, dialogue[:n]...)
			want, err := render(messages, true)
			data := struct {
				System   string
				Messages []Message
			}{Messages: messages}
			if before != nil {
				data.System = before[0].Content
			}
			var got strings.Builder
			if err != nil || t.Execute(&got, data) != nil || got.String() != strings.TrimPrefix(want, bos) {
				return false
			}
		}
	}
	return true
}
