package openai

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley/engine"
	"parley/model"
	"parley/model/chat"
	"parley/model/chat/jinja"
	"parley/serve"
	"parley/serve/chatsession"
)

// A writes engine answers with one text.
type writes struct {
	model  *model.Model
	text   string
	prompt []int // of the request before
	form   string
}

func (w *writes) Stream(_ context.Context, reqs []engine.SampleRequest, each func(i, token int) error) ([]engine.Sample, error) {
	r := &reqs[0]
	w.prompt, w.form = r.Prompt, r.Form
	ids, err := w.model.Tokenizer.Encode(w.text, false)
	if err != nil {
		return nil, err
	}
	s := engine.Sample{Stop: engine.StopEOS}
	for _, id := range append(ids, r.Stop[0]) {
		s.Tokens, s.Logprobs = append(s.Tokens, id), append(s.Logprobs, -1)
		if weigher, ok := r.Watch.(engine.Weigher); ok {
			weigher.Weigh(-1)
		}
		ends := r.Watch != nil && id != r.Stop[0] && r.Watch.Ends(id)
		if len(s.Tokens) == r.MaxTokens {
			s.Stop, ends = engine.StopLength, true
		} else if ends {
			s.Stop = engine.StopText
		}
		if err := each(0, id); err != nil {
			return nil, err
		}
		if ends {
			break
		}
	}
	return []engine.Sample{s}, nil
}

// own are templates that ask for forms whose own templates are not in testdata.
var own = map[string]string{
	"tagged": `{%- for t in tools or [] %}{{ t.function.name }} as <tool_call><function=example><parameter=a>{% endfor %}
{%- for m in messages %}[{{ m.role }}]{{ m.content or '' }}{% for c in m.tool_calls or [] %}{{ c.function.name }}{% endfor %}{% endfor %}`,
	"short":  `{%- for t in tools or [] %}{{ t.function.name }}{% endfor %}{% for m in messages %}[{{ m.role }}]{{ m.content or '' }}{% for c in m.tool_calls or [] %}<tool_call>{{ c.function.name }}{% endfor %}{% endfor %}`,
	"marked": `{%- for t in tools or [] %}{{ t.function.name }}{% endfor %}{% for m in messages %}[{{ m.role }}]{{ m.content or '' }}{% for c in m.tool_calls or [] %}[TOOL_CALLS]{{ c.function.name }}{% endfor %}{% endfor %}`,
	"tag":    `{%- for m in messages %}[{{ m.role }}]{{ m.content or '' }}{% for c in m.tool_calls or [] %}<|python_tag|>{{ c.function.name }}{% endfor %}{% endfor %}`,
}

// sourceOf is a template by its name.
func sourceOf(t testing.TB, template string) []byte {
	t.Helper()
	if text, ok := own[template]; ok {
		return []byte(text)
	}
	folder := filepath.Join("..", "..", "model", "chat", "testdata", "templates")
	if dir := os.Getenv("PARLEY_GOLDENS"); dir != "" {
		folder = filepath.Join(dir, "chat", "templates")
	}
	data, err := os.ReadFile(filepath.Join(folder, template+".jinja"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// templated is the shipped model with another chat template. [TOOL_CALLS] is one of its special tokens.
func templated(t testing.TB, template string) (*writes, serve.Model) {
	t.Helper()
	source, dir := sourceOf(t, template), t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "model", "shipped", "model"))); err != nil {
		t.Fatal(err)
	}
	tokens, err := os.ReadFile(filepath.Join(dir, "tokenizer.json"))
	if err != nil {
		t.Fatal(err)
	}
	tokens = bytes.ReplaceAll(tokens, []byte(`\u003c|user|\u003e`), []byte(`[TOOL_CALLS]`))
	for name, data := range map[string][]byte{"chat_template.jinja": source, "tokenizer.json": tokens} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m, err := model.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	w := &writes{model: m}
	v := chatsession.Speaker{Engine: w, Model: m}
	return w, serve.Model{ID: "base", Answerer: serve.NewSingle(v, chatsession.Settings{Sampling: engine.Sampling{Temperature: 1}, MaxTokens: 1 << 20})}
}

// said is what an answer says, whole or streamed.
type saidCalls struct {
	text, finish string
	calls        []chat.Call
	pieces       int // of text
}

func (s saidCalls) equal(o saidCalls) bool {
	return s.text == o.text && s.finish == o.finish && slices.Equal(s.calls, o.calls)
}

// delta is a message, or a piece of one.
type delta struct {
	Content *string
	Calls   []struct {
		ID       string
		Function struct{ Name, Arguments string }
	} `json:"tool_calls"`
}

func (s *saidCalls) add(t *testing.T, raw any) {
	t.Helper()
	data, err := json.Marshal(raw)
	var d delta
	if err != nil || json.Unmarshal(data, &d) != nil {
		t.Fatalf("%s", data)
	}
	if d.Content != nil && *d.Content != "" {
		s.text += *d.Content
		s.pieces++
	}
	for _, c := range d.Calls {
		s.calls = append(s.calls, chat.Call{ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
	}
}

// talk is the answer to a body of a chat, whole and streamed, which are the same.
func talk(t *testing.T, url, fields string) saidCalls {
	t.Helper()
	var whole, streamed saidCalls
	_, body := asked{path: "/v1/chat/completions", body: `{"model":"base",` + fields + `}`}.send(t, url)
	var out struct {
		Choices []struct {
			Message any
			Finish  string `json:"finish_reason"`
		}
	}
	if err := json.Unmarshal([]byte(body), &out); err != nil || len(out.Choices) != 1 {
		t.Fatalf("%v: %s", err, body)
	}
	whole.add(t, out.Choices[0].Message)
	whole.finish = out.Choices[0].Finish
	_, body = asked{path: "/v1/chat/completions", body: `{"model":"base","stream":true,` + fields + `}`}.send(t, url)
	chunks, done := chunksOf(t, body)
	for _, c := range chunks {
		choice := c["choices"].([]any)[0].(map[string]any)
		streamed.add(t, choice["delta"])
		if f, ok := choice["finish_reason"].(string); ok {
			streamed.finish = f
		}
	}
	if !done || !streamed.equal(whole) {
		t.Errorf("streamed %+v, whole %+v", streamed, whole)
	}
	return streamed
}

const weather = `"tools":[{"type":"function","function":{"name":"weather","parameters":{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"}}}}}]`

// TestCalls: calls are read in the form of the base, whole and streamed, and what cannot be read stays text.
func TestCalls(t *testing.T) {
	const one = `{"name": "weather", "arguments": {"city": "Oslo"}}`
	call := func(arguments string) []chat.Call { return []chat.Call{{Name: "weather", Arguments: arguments}} }
	for name, c := range map[string]struct {
		template, answer, fields string
		text, finish             string
		calls                    []chat.Call
	}{
		"no call":             {"qwen2.5", "It is 3 < 4.  ", "", "It is 3 < 4.  ", "stop", nil},
		"a call":              {"qwen2.5", "<tool_call>\n" + one + "\n</tool_call>", "", "", "tool_calls", call(`{"city":"Oslo"}`)},
		"text and calls":      {"qwen2.5", "Let me <b>see</b>.\n\n<tool_call>\n" + one + "\n</tool_call>\n<tool_call>" + one + "</tool_call>", "", "Let me <b>see</b>.", "tool_calls", append(call(`{"city":"Oslo"}`), call(`{"city":"Oslo"}`)...)},
		"unreadable":          {"qwen2.5", "So:\n<tool_call>\n{weather}\n</tool_call>", "", "So:\n<tool_call>\n{weather}\n</tool_call>", "stop", nil},
		"one of two":          {"qwen2.5", "<tool_call>" + one + "</tool_call><tool_call>x</tool_call>", "", "<tool_call>" + one + "</tool_call><tool_call>x</tool_call>", "stop", nil},
		"cut":                 {"qwen2.5", "<tool_call>" + one + "</tool_call> and", `,"max_tokens":3`, "", "length", nil},
		"stopped behind":      {"qwen2.5", "<tool_call>" + one + "</tool_call>\nObservation: 3", `,"stop":"Observation:"`, "", "tool_calls", call(`{"city":"Oslo"}`)},
		"with probabilities":  {"qwen2.5", "Hm. <tool_call>" + one + "</tool_call>", `,"logprobs":true`, "Hm.", "tool_calls", call(`{"city":"Oslo"}`)},
		"no tools":            {"qwen2.5", "<tool_call>" + one + "</tool_call>", `,"tool_choice":"none"`, "<tool_call>" + one + "</tool_call>", "stop", nil},
		"a special mark":      {"mistral-v0.3", "Well. [TOOL_CALLS] [" + one + "]", "", "Well.", "tool_calls", call(`{"city":"Oslo"}`)},
		"beginning of a mark": {"qwen2.5", "a <tool_", "", "a <tool_", "stop", nil},
		"llama":               {"tag", `{"name": "weather", "parameters": {"city": "Oslo"}}; {"name": "weather", "parameters": {}}`, "", "", "tool_calls", call(`{"city":"Oslo"}`)},
		"llama, an object":    {"tag", `{"a": 1}`, "", `{"a": 1}`, "stop", nil},
		"no form":             {"chatml", "<tool_call>" + one + "</tool_call>", "", "<tool_call>" + one + "</tool_call>", "stop", nil},
	} {
		t.Run(name, func(t *testing.T) {
			w, m := templated(t, c.template)
			w.text = c.answer
			_, url := listen(t, serve.GateOptions{}, m)
			got := talk(t, url, `"messages":[{"role":"user","content":"Oslo?"}],"seed":5,`+weather+c.fields)
			if name == "cut" {
				c.text = w.model.Text(must(w.model.Tokenizer.Encode(c.answer, false))[:3])
			}
			for i := range got.calls {
				if id := got.calls[i].ID; len(id) != 9 || strings.Trim(id, "0123456789abcdefghijklmnopqrstuvwxyz") != "" || i > 0 && got.calls[0].ID == id {
					t.Errorf("id %q", id)
				}
			}
			for i := range got.calls {
				got.calls[i].ID = ""
			}
			if want := (saidCalls{text: c.text, finish: c.finish, calls: c.calls}); !got.equal(want) {
				t.Errorf("%+v, expected %+v", got, want)
			}
			if words := len(strings.Fields(c.text)); c.finish == "tool_calls" && c.fields == "" && got.pieces < words {
				t.Errorf("%d pieces of text %q", got.pieces, c.text)
			}
		})
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestTypedValues: a form whose arguments are texts has them read by the client's schema.
func TestTypedValues(t *testing.T) {
	w, m := templated(t, "tagged")
	w.text = "<tool_call>\n<function=weather>\n<parameter=city>\n12\n</parameter>\n<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>"
	_, url := listen(t, serve.GateOptions{}, m)
	got := talk(t, url, `"messages":[{"role":"user","content":"Oslo?"}],"seed":5,`+weather)
	if len(got.calls) != 1 || got.calls[0].Arguments != `{"city":"12","days":3}` {
		t.Errorf("%+v", got)
	}
}

// TestResponseCalls: calls and their results are items, in and out.
func TestResponseCalls(t *testing.T) {
	w, m := templated(t, "qwen2.5")
	_, url := listen(t, serve.GateOptions{}, m)
	w.text = "Hm.\n<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"city\": \"Oslo\"}}\n</tool_call>"
	fields := `{"model":"base","instructions":"Be kind.","seed":5,"tools":[{"type":"function","name":"weather","strict":true,"parameters":{"type":"object"}}],
		"input":[{"role":"user","content":"Oslo?"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Well."}]},
		{"type":"function_call","call_id":"a1b2c3d4e","name":"weather","arguments":"{}"},{"type":"function_call_output","call_id":"a1b2c3d4e","output":"No city."}]`
	_, body := asked{path: "/v1/responses", body: fields + "}"}.send(t, url)
	prompt := w.model.Tokenizer.Decode(w.prompt, true)
	for _, part := range []string{"Be kind.", `{"type": "function", "function": {"name": "weather", "strict": true, "parameters": {"type": "object"}}}`, "Well.\n<tool_call>\n{\"name\": \"weather\", \"arguments\": {}}\n</tool_call>", "<tool_response>\nNo city.\n</tool_response>"} {
		if !strings.Contains(prompt, part) {
			t.Errorf("%q is not in %q", part, prompt)
		}
	}
	var whole struct {
		Status string
		Output []map[string]any
	}
	if err := json.Unmarshal([]byte(body), &whole); err != nil || len(whole.Output) != 2 || whole.Output[1]["type"] != "function_call" || whole.Output[1]["arguments"] != `{"city":"Oslo"}` || whole.Output[1]["status"] != "completed" {
		t.Fatalf("%v: %s", err, body)
	}
	_, stream := asked{path: "/v1/responses", body: fields + `,"stream":true}`}.send(t, url)
	last := stream[strings.LastIndex(stream, "data: ")+6:]
	var done struct {
		Type     string
		Response struct{ Output []map[string]any }
	}
	if err := json.Unmarshal([]byte(last), &done); err != nil || done.Type != "response.completed" || len(done.Response.Output) != 2 || done.Response.Output[1]["call_id"] != whole.Output[1]["call_id"] {
		t.Errorf("%v: %s", err, last)
	}
	if n := strings.Count(stream, "event: response.function_call_arguments."); n != 2 {
		t.Errorf("%d events of arguments", n)
	}
}

// A recorded request.
type recorded struct {
	Route string
	Body  json.RawMessage
}

// chat is the body of the chat that a request asks for.
func (r recorded) chat(t *testing.T) []byte {
	t.Helper()
	if r.Route == "/v1/chat/completions" {
		return r.Body
	}
	var in struct {
		Instructions string
		Input        []json.RawMessage
	}
	err := json.Unmarshal(r.Body, &in)
	system, second := json.Marshal(map[string]string{"role": "system", "content": in.Instructions})
	body, third := json.Marshal(map[string]any{"messages": append([]json.RawMessage{system}, in.Input...)})
	if err := errors.Join(err, second, third); err != nil {
		t.Fatal(err)
	}
	return body
}

// requests are recorded ones.
func requests(t *testing.T, path string) (out []recorded) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		var r recorded
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// expected is what a template makes of a request as transformers' apply_chat_template gets it, its calls' arguments as objects.
func expected(t *testing.T, template string, body []byte) string {
	t.Helper()
	tmpl, err := chat.Parse(string(sourceOf(t, template)))
	if err != nil {
		t.Fatal(err)
	}
	var in chat.Input
	if err := json.Unmarshal(body, &in); err != nil {
		t.Fatal(err)
	}
	in.AddGenerationPrompt, in.EOS, in.Extra = true, "<|end|>", nil
	for _, m := range in.Messages {
		if parts, ok := must2(m.Get("content")).([]any); ok {
			text := ""
			for _, part := range parts {
				text += must2(part.(*jinja.Object).Get("text")).(string)
			}
			m.Set("content", text)
		}
		calls, _ := must2(m.Get("tool_calls")).([]any)
		for _, c := range calls {
			f := must2(c.(*jinja.Object).Get("function")).(*jinja.Object)
			f.Set("arguments", must(jinja.DecodeJSON([]byte(must2(f.Get("arguments")).(string)))))
		}
	}
	text, err := tmpl.Render(in)
	if err != nil {
		return ""
	}
	return text
}

func must2(v any, _ bool) any { return v }

// TestRecordings: requests of agent frameworks are rendered as the template of the base renders them, or refused.
func TestRecordings(t *testing.T) {
	paths := []string{filepath.Join("testdata", "requests.jsonl")}
	if dir := os.Getenv("PARLEY_SHARED"); dir != "" {
		more, err := filepath.Glob(filepath.Join(dir, "harness", "requests-*.jsonl"))
		if err != nil || len(more) == 0 {
			t.Fatalf("no recordings in %s, %v", dir, err)
		}
		paths = append(paths, more...)
	}
	rendered, refused := 0, 0
	templates := []string{"qwen2.5", "mistral-v0.3", "chatml"}
	if os.Getenv("PARLEY_GOLDENS") != "" {
		templates = append(templates, "llama3.1")
	}
	for _, template := range templates {
		t.Run(template, func(t *testing.T) {
			w, m := templated(t, template)
			program := m
			program.ID, program.Unforced = "agent", true
			_, url := listen(t, serve.GateOptions{}, m, program)
			for _, path := range paths {
				for _, r := range requests(t, path) {
					want, calls, tools := expected(t, template, r.chat(t)), bytes.Contains(r.Body, []byte(`"tool_calls"`)), bytes.Contains(r.Body, []byte(`"tools": [{`))
					for _, id := range []string{m.ID, program.ID} {
						asks := bytes.Replace(r.Body, []byte(`"model"`), []byte(`"model":"`+id+`","was"`), 1)
						asks = bytes.ReplaceAll(asks, []byte(`"stream": true`), []byte(`"stream": false`))
						w.prompt = nil
						answer, said := asked{path: r.Route, body: string(asks)}.send(t, url)
						got := w.model.Tokenizer.Decode(w.prompt, true)
						without := template == "chatml" && (calls || tools && id == program.ID)
						switch {
						case answer.StatusCode == http.StatusOK && got == want && !without && (w.form == "" || id == m.ID):
							rendered++
						case answer.StatusCode == http.StatusBadRequest && (want == "" || without && strings.Contains(said, "unsupported_parameter") && strings.Contains(said, "qwen3-coder")):
							refused++
						default:
							t.Errorf("%s of %s\n%d %.300s\n%q\nexpected\n%q", r.Body, id, answer.StatusCode, said, got, want)
						}
					}
				}
			}
		})
	}
	t.Logf("%d rendered, %d refused", rendered, refused)
}

// TestToolDefinitions: what is no definition of a function is refused where a model would read it, and left alone elsewhere.
func TestToolDefinitions(t *testing.T) {
	_, knows := templated(t, "qwen2.5")
	_, plain := templated(t, "chatml")
	plain.ID = "plain"
	_, url := listen(t, serve.GateOptions{}, knows, plain)
	for tools, param := range map[string]string{
		`[1]`: "tools[0]", `[{}]`: "tools[0].type", `[{"type":"web_search"}]`: "tools[0].type", `[{"type":"function","function":{}}]`: "tools[0].function.name",
	} {
		for model, status := range map[string]int{"base": 400, "plain": 200} {
			answer, body := asked{path: "/v1/chat/completions", body: `{"model":"` + model + `","messages":[{"role":"user","content":"x"}],"tools":` + tools + `}`}.send(t, url)
			if answer.StatusCode != status || status == 400 && !strings.Contains(body, `"param":"`+param+`"`) {
				t.Errorf("%s, %s: %d, %s", model, tools, answer.StatusCode, body)
			}
		}
	}
}
