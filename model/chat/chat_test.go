package chat

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"parley/model/chat/jinja"
)

func mustParse(t testing.TB, source string) *Template {
	t.Helper()
	tmpl, err := Parse(source)
	if err != nil {
		t.Fatal(err)
	}
	return tmpl
}

func TestTextChatML(t *testing.T) {
	tmpl := mustParse(t, ChatML)
	turns := []Turn{{Role: "system", Content: "Be brief."}, {Role: "user", Content: "Hi {{ x }}"}, {Role: "assistant", Content: "Yo"}, {Role: "user", Content: "ok"}}
	got, err := tmpl.Text(turns, true)
	want := "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi {{ x }}<|im_end|>\n<|im_start|>assistant\nYo<|im_end|>\n" +
		"<|im_start|>user\nok<|im_end|>\n<|im_start|>assistant\n"
	if err != nil || got != want {
		t.Errorf("got %q %v\nwant %q", got, err, want)
	}
}

// TestChatMLMatchesGolden: the built-in template agrees with the published ChatML.
func TestChatMLMatchesGolden(t *testing.T) {
	source, err := os.ReadFile("testdata/templates/chatml.jinja")
	if err != nil {
		t.Fatal(err)
	}
	own, published := mustParse(t, ChatML), mustParse(t, string(source))
	rapid.Check(t, func(t *rapid.T) {
		turns := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Turn {
			return Turn{Role: rapid.SampledFrom([]Role{"system", "user", "assistant"}).Draw(t, "role"), Content: rapid.String().Draw(t, "content")}
		}), 1, 5).Draw(t, "turns")
		add := rapid.Bool().Draw(t, "add")
		got, err := own.Text(turns, add)
		want, err2 := published.Text(turns, add)
		if got != want || err != nil || err2 != nil {
			t.Fatalf("got %q %v\nwant %q %v", got, err, want, err2)
		}
	})
}

func TestRenderWithMask(t *testing.T) {
	tmpl := mustParse(t, ChatML)
	in := Input{Messages: []Message{jinja.NewObject("role", "user", "content", "é"), jinja.NewObject("role", "assistant", "content", "ü!")}}
	text, spans, err := tmpl.RenderWithMask(in)
	if err != nil || len(spans) != 1 {
		t.Fatalf("%v %v", spans, err)
	}
	if got := text[spans[0].Start:spans[0].End]; got != "ü!<|im_end|>" {
		t.Errorf("the assistant wrote %q", got)
	}
}

func TestTokens(t *testing.T) {
	tmpl := mustParse(t, "{{ bos_token }}|{{ eos_token }}|{{ bos_token is defined }}")
	for _, c := range []struct {
		bos, in, want string
	}{{"", "", "||False"}, {"<a>", "", "<a>||True"}, {"<a>", "<b>", "<b>||True"}} {
		if tmpl.Tokens = nil; c.bos != "" {
			tmpl.Tokens = map[string]string{"bos_token": c.bos}
		}
		if got, err := tmpl.Render(Input{BOS: c.in}); err != nil || got != c.want {
			t.Errorf("got %q %v, want %q", got, err, c.want)
		}
	}
}

func TestLoad(t *testing.T) {
	const list = `{"chat_template":[{"name":"rag","template":"r"},{"name":"default","template":"{{ bos_token }}d"}],"bos_token":{"content":"<b>"},"eos_token":null}`
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"in the config": {map[string]string{"tokenizer_config.json": `{"chat_template":"{{ eos_token }}x","eos_token":"</s>"}`}, "</s>x"},
		"a list":        {map[string]string{"tokenizer_config.json": list}, "<b>d"},
		"own file wins": {map[string]string{"tokenizer_config.json": list, "chat_template.jinja": "{{ bos_token }}f\n"}, "<b>f"},
		"file only":     {map[string]string{"chat_template.jinja": "f"}, "f"},
	} {
		fsys := fstest.MapFS{}
		for file, text := range c.files {
			fsys["m/"+file] = &fstest.MapFile{Data: []byte(text)}
		}
		tmpl, err := LoadFS(fsys, "m")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, err := tmpl.Text(nil, false); err != nil || got != c.want {
			t.Errorf("%s: got %q %v, want %q", name, got, err, c.want)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	for text, want := range map[string]error{
		``:                            nil,
		`{}`:                          ErrNoTemplate,
		`{"chat_template":null}`:      ErrNoTemplate,
		`{"chat_template":[]}`:        ErrNoTemplate,
		`{"chat_template":5}`:         nil,
		`{"chat_template":"{% x %}"}`: nil,
	} {
		_, err := LoadFS(fstest.MapFS{"tokenizer_config.json": {Data: []byte(text)}}, ".")
		if err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", text, err, want)
		}
	}
	if _, err := LoadFS(os.DirFS(t.TempDir()), "."); !errors.Is(err, ErrNoTemplate) {
		t.Errorf("empty folder: %v", err)
	}
}

func TestFromGGUF(t *testing.T) {
	tmpl, err := FromGGUF(map[string]any{
		"tokenizer.chat_template": "{{ bos_token }}{{ eos_token }}",
		"tokenizer.ggml.tokens":   []string{"a", "b"}, "tokenizer.ggml.bos_token_id": uint32(1), "tokenizer.ggml.eos_token_id": uint32(9),
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := tmpl.Text(nil, false); got != "b" || err != nil {
		t.Errorf("got %q %v", got, err)
	}
	if _, err := FromGGUF(nil); !errors.Is(err, ErrNoTemplate) {
		t.Errorf("got %v", err)
	}
}

func TestInputJSON(t *testing.T) {
	var in Input
	text := `{"messages":[{"role":"user","content":"é"}],"tools":[],"add_generation_prompt":true,"bos_token":"<s>","z":{"b":1,"a":2.0}}`
	if err := json.Unmarshal([]byte(text), &in); err != nil {
		t.Fatal(err)
	}
	got, err := mustParse(t, "{{ bos_token }}{{ messages[0].content }}{{ tools }}{{ add_generation_prompt }}{{ z|tojson }}").Render(in)
	if want := `<s>é[]True{"b": 1, "a": 2.0}`; got != want || err != nil {
		t.Errorf("got %q %v, want %q", got, err, want)
	}
	for _, bad := range []string{`[]`, `{"messages":{}}`, `{"messages":[1]}`, `{"tools":{}}`, `{"bos_token":1}`, `{"add_generation_prompt":1}`} {
		if err := json.Unmarshal([]byte(bad), &in); err == nil {
			t.Errorf("%s was accepted", bad)
		}
	}
}

// TestReasoningNull: of the names of a message's reasoning the first counts that is not null.
func TestReasoningNull(t *testing.T) {
	tmpl, err := Parse(`{% for m in messages %}{{ m.reasoning_content }}|{{ m.thinking }}{% endfor %}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ message, want string }{
		{`{"role":"assistant","reasoning_content":null,"thinking":"so"}`, "so|so"},
		{`{"role":"assistant","reasoning_content":null,"reasoning":"so"}`, "so|so"},
		{`{"role":"assistant","thinking":null,"reasoning_content":"so"}`, "so|None"},
		{`{"role":"assistant","thinking":null,"reasoning_content":null,"reasoning":"so"}`, "so|None"},
		{`{"role":"assistant","thinking":"a","reasoning_content":"b"}`, "b|a"},
		{`{"role":"assistant","reasoning_content":"","thinking":"so"}`, "|so"},
		{`{"role":"assistant","thinking":null}`, "|None"},
	} {
		var in Input
		if err := in.UnmarshalJSON([]byte(`{"messages":[` + c.message + `]}`)); err != nil {
			t.Fatal(err)
		}
		if got, err := tmpl.Render(in); err != nil || got != c.want {
			t.Errorf("%s: %q, %v, want %q", c.message, got, err, c.want)
		}
	}
}

// TestReasoningKeys: a template that prints whole messages shows where the names of the reasoning stand, as in transformers.
func TestReasoningKeys(t *testing.T) {
	tmpl, err := Parse(`{{ messages[0] | tojson }}`)
	if err != nil {
		t.Fatal(err)
	}
	for message, want := range map[string]string{
		`{"role":"a","content":"b"}`:                 `{"role": "a", "content": "b"}`,
		`{"role":"a","reasoning_content":"so"}`:      `{"thinking": "so", "role": "a", "reasoning_content": "so"}`,
		`{"role":"a","reasoning":"so","n":1}`:        `{"thinking": "so", "role": "a", "reasoning": "so", "n": 1, "reasoning_content": "so"}`,
		`{"thinking":null,"reasoning_content":"so"}`: `{"thinking": null, "reasoning_content": "so"}`,
	} {
		var in Input
		if err := json.Unmarshal([]byte(`{"messages":[`+message+`]}`), &in); err != nil {
			t.Fatal(err)
		}
		if got, err := tmpl.Render(in); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", message, got, err, want)
		}
	}
}

// TestContinueUnnamed: where a template does not name the content of messages, nothing says where the last one goes on.
func TestContinueUnnamed(t *testing.T) {
	tmpl, err := Parse(`{% for m in messages %}{{ m | tojson }}{% endfor %}`)
	if err != nil {
		t.Fatal(err)
	}
	in := Input{Messages: []Message{NewMessage("user", "a"), NewMessage("assistant", "b")}, ContinueFinal: true}
	if text, err := tmpl.Render(in); err == nil || !strings.Contains(err.Error(), "does not name the content") {
		t.Errorf("%q, %v", text, err)
	}
}
