package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley/rl/rollout/gather"

	"parley/engine"
	"parley/engine/native"
	"parley/model"
	"parley/serve"
	"parley/serve/chatsession"
)

// An echo thinks, and answers with all messages. A message FAIL lets it fail, after it thought or before, where it may.
type echo struct{ never bool }

func (e echo) Answer(_ context.Context, q serve.Question, l serve.Listener) (serve.Answer, error) {
	var texts []string
	for _, m := range q.Messages {
		texts = append(texts, string(m.Role)+":"+m.Content)
	}
	a := serve.Answer{Reasoning: "Let us think.", Text: strings.Join(texts, " "), Cut: q.MaxTokens == 1, Usage: serve.Usage{Prompt: 3, Drawn: 5}}
	fails := !e.never && strings.Contains(a.Text, "FAIL")
	if fails && strings.Contains(a.Text, "AT ONCE") {
		return a, &serve.QuestionError{Err: errors.New("out of paper")}
	}
	if err := l.Reason(a.Reasoning); err != nil {
		return a, err
	}
	if fails {
		return a, errors.New("out of paper")
	}
	return a, l.Say(a.Text)
}

func listen(t *testing.T, models ...serve.Model) string {
	t.Helper()
	g := serve.NewGate(models, serve.GateOptions{Token: "secret", MaxBody: 1 << 16, Working: 4, Waiting: 4})
	h := httptest.NewServer(g.Handler(New(g, "1.2.3").Routes()...))
	t.Cleanup(h.Close)
	return h.URL
}

// call asks, and returns the status and the answer's lines; a connection that was cut is the last of them.
func call(t *testing.T, method, url, body string) (status int, kind string, lines []map[string]any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer secret")
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	for d := json.NewDecoder(answer.Body); ; {
		var line map[string]any
		err := d.Decode(&line)
		if err == io.EOF {
			return answer.StatusCode, answer.Header.Get("Content-Type"), lines
		}
		if err != nil {
			return answer.StatusCode, answer.Header.Get("Content-Type"), append(lines, map[string]any{"cut": true})
		}
		lines = append(lines, line)
	}
}

// said is the text and the thinking of lines, of either route.
func said(lines []map[string]any) (text, thinking string) {
	for _, l := range lines {
		if m, ok := l["message"].(map[string]any); ok {
			l = map[string]any{"response": m["content"], "thinking": m["thinking"]}
		}
		a, _ := l["response"].(string)
		b, _ := l["thinking"].(string)
		text, thinking = text+a, thinking+b
	}
	return text, thinking
}

// TestAnswers: both routes answer whole and line by line, with what a team thought or without.
func TestAnswers(t *testing.T) {
	url := listen(t, serve.Model{ID: "team", Answerer: echo{}})
	for _, c := range []struct{ path, body, text string }{
		{"/api/chat", `"messages":[{"role":"system","content":"Be kind."},{"role":"assistant","content":""},{"role":"user","content":"hi"}],"tools":[1]`, "system:Be kind. user:hi"},
		{"/api/generate", `"prompt":"hi","system":"Be kind.","keep_alive":"5m","format":"","context":[1]`, "system:Be kind. user:hi"},
	} {
		for _, stream := range []string{`,"stream":true`, `,"stream":false`, ``} {
			for _, think := range []string{``, `,"think":true`, `,"think":"high"`, `,"think":false`} {
				body := `{"model":"team:latest",` + c.body + stream + think + `,"options":{"num_predict":1,"seed":-3,"top_k":40,"num_ctx":2048}}`
				status, kind, lines := call(t, "POST", url+c.path, body)
				text, thinking := said(lines)
				wantKind, wantLines, wantThinking := "application/x-ndjson", 3, "Let us think."
				if strings.Contains(think, "false") {
					wantLines, wantThinking = 2, ""
				}
				if strings.Contains(stream, "false") {
					wantKind, wantLines = "application/json", 1
				}
				if status != 200 || kind != wantKind || text != c.text || thinking != wantThinking || len(lines) != wantLines {
					t.Errorf("%s %s: %d, %s, %v", c.path, body, status, kind, lines)
				}
				for i, l := range lines {
					if l["done"] != (i == len(lines)-1) || l["model"] != "team:latest" || l["created_at"] == nil {
						t.Errorf("%s: line %d: %v", body, i, l)
					}
				}
				if last := lines[len(lines)-1]; last["done_reason"] != "length" || last["prompt_eval_count"] != 3.0 || last["eval_count"] != 5.0 {
					t.Errorf("%s: %v", body, last)
				}
			}
		}
	}
	if _, _, lines := call(t, "POST", url+"/api/generate", `{"model":"team"}`); len(lines) != 1 || lines[0]["done_reason"] != "load" {
		t.Errorf("a tool that only wants the model loaded gets %v", lines)
	}
}

// TestFailures: before the first line a failure is a status, behind it a line, and then the connection is cut.
func TestFailures(t *testing.T) {
	url := listen(t, serve.Model{ID: "team", Answerer: echo{}})
	chat := func(fields string) string {
		return `{"model":"team","messages":[{"role":"user","content":"hi"}],` + fields + `}`
	}
	for body, status := range map[string]int{
		`{"model":"x"}`: 404, `[]`: 400, `{`: 400, chat(`"format":"json"`): 400, chat(`"format":{"type":"object"}`): 400, chat(`"options":{"temperature":3}`): 400,
		chat(`"options":{"top_p":0}`): 400, chat(`"options":{"repeat_penalty":1.1}`): 400, chat(`"options":{"min_p":0.1}`): 400, chat(`"options":{"top_k":"x"}`): 400, chat(`"options":{"stop":[""]}`): 400, chat(`"options":{"stop":["a"` + strings.Repeat(`,"a"`, 64) + `]}`): 400, chat(`"options":{"seed":"x"}`): 400, chat(`"messages":[{"role":"boss"}]`): 400,
		chat(`"messages":[{"role":"tool","content":"x"}]`): 400, chat(`"messages":[{"role":"assistant","tool_calls":[{}]}]`): 400,
		chat(`"messages":[{"role":"user","content":"x","tool_calls":[{"function":{"name":"f"}}]}]`): 400,
		chat(`"messages":[{"role":"user","images":["x"]}]`):                                         400, chat(`"messages":[{"role":"assistant","content":"x"}]`): 400,
		chat(`"messages":[{"role":"user","content":"FAIL AT ONCE"}]`): 400, chat(`"stream":false,"messages":[{"role":"user","content":"FAIL"}]`): 500,
		`{"model":"team","x":"` + strings.Repeat("x", 1<<17) + `"}`: 413,
	} {
		got, kind, lines := call(t, "POST", url+"/api/chat", body)
		if len(lines) != 1 || got != status || kind != "application/json" {
			t.Errorf("%.80s: %d, want %d, %s, %v", body, got, status, kind, lines)
			continue
		}
		if text, _ := lines[0]["error"].(string); text == "" {
			t.Errorf("%.80s: %v", body, lines)
		}
	}
	for body, status := range map[string]int{`{"model":"team","prompt":"x","suffix":"y"}`: 400, `{"model":"team","prompt":"x","images":["y"]}`: 400, `{"model":"team","prompt":"x","raw":true}`: 400} {
		if got, _, lines := call(t, "POST", url+"/api/generate", body); got != status {
			t.Errorf("%s: %d, %v", body, got, lines)
		}
	}
	status, _, lines := call(t, "POST", url+"/api/chat", chat(`"messages":[{"role":"user","content":"FAIL"}]`))
	if last := len(lines) - 1; status != 200 || last < 1 || lines[last]["cut"] == nil || !strings.Contains(lines[last-1]["error"].(string), "out of paper") {
		t.Errorf("in mid-answer: %d, %v", status, lines)
	}
}

// TestLists: what is served, by the routes that tools ask before anything else.
func TestLists(t *testing.T) {
	url := listen(t, serve.Model{ID: "runs/team", Created: 7, Answerer: serve.NewTeam(chatsession.Team{})}, serve.Model{ID: "echo", Answerer: echo{}})
	for _, path := range []string{"/api/tags", "/api/ps"} {
		_, _, lines := call(t, "GET", url+path, "")
		models := lines[0]["models"].([]any)
		if first := models[0].(map[string]any); len(models) != 2 || first["name"] != "runs/team" || first["modified_at"] != "1970-01-01T00:00:07Z" || first["digest"] == models[1].(map[string]any)["digest"] {
			t.Errorf("%s: %v", path, models)
		}
	}
	if _, _, lines := call(t, "GET", url+"/api/version", ""); lines[0]["version"] != "1.2.3" {
		t.Errorf("version %v", lines)
	}
	for body, able := range map[string]int{`{"model":"runs/team"}`: 2, `{"name":"echo:latest"}`: 1} {
		if _, _, lines := call(t, "POST", url+"/api/show", body); len(lines[0]["capabilities"].([]any)) != able {
			t.Errorf("%s: %v", body, lines)
		}
	}
	if status, _, lines := call(t, "POST", url+"/api/show", `{"model":"x"}`); status != 404 || !strings.Contains(lines[0]["error"].(string), "there is no model") {
		t.Errorf("%d, %v", status, lines)
	}
}

// TestRaw: a raw prompt is gone on with as it stands, by a seed, to the limit.
func TestRaw(t *testing.T) {
	m, err := model.Open(model.Shipped)
	if err != nil {
		t.Fatal(err)
	}
	e, err := native.Open(m.Source, engine.Options{Lexicon: m.Lexicon})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close(); m.Close() })
	v := chatsession.Speaker{Engine: gather.NewBatcher(e), Model: m}
	url := listen(t, serve.Model{ID: "base", Answerer: serve.NewSingle(v, chatsession.Settings{Sampling: engine.Sampling{Temperature: 1}, MaxTokens: 64})})
	body := `{"model":"base","prompt":"Question: What is 2 + ","raw":true,"options":{"seed":3,"num_predict":2}}`
	_, _, lines := call(t, "POST", url+"/api/generate", body)
	_, _, again := call(t, "POST", url+"/api/generate", strings.Replace(body, `"raw"`, `"stream":false,"raw"`, 1))
	text, _ := said(lines)
	if same, _ := said(again); text == "" || text != same || lines[len(lines)-1]["eval_count"] != 2.0 || len(again) != 1 {
		t.Errorf("%v, whole %v", lines, again)
	}
	for _, body := range []string{`{"model":"base","prompt":"` + strings.Repeat("x ", 5000) + `"}`, strings.Replace(body, "Question:", strings.Repeat("x ", 5000), 1)} {
		if status, _, lines := call(t, "POST", url+"/api/generate", body); status != 400 || lines[0]["error"] == nil {
			t.Errorf("too long: %d, %v", status, lines)
		}
	}
	drawn := func(options string) string {
		_, _, lines := call(t, "POST", url+"/api/generate", `{"model":"base","prompt":"2 + 3","options":{"seed":1,"num_predict":12,`+options+`}}`)
		text, _ := said(lines)
		return text
	}
	greedy := drawn(`"temperature":0`)
	for options, same := range map[string]bool{
		`"temperature":2`: false, `"temperature":2,"top_k":1`: true, `"temperature":2,"top_k":0`: false, `"temperature":2,"min_p":1`: true,
		`"temperature":0,"repeat_penalty":100`: false, `"temperature":0,"presence_penalty":-2,"frequency_penalty":-2`: false,
	} {
		if text := drawn(options); (text == greedy) != same {
			t.Errorf("%s: %q, greedily %q", options, text, greedy)
		}
	}
	for _, c := range []struct{ path, fields, want string }{
		{"/api/generate", `"prompt":"2 + 3","format":{"type":"integer","minimum":10,"maximum":99}`, `^[1-9]\d$`},
		{"/api/generate", `"prompt":"2 + 3","raw":true,"format":{"enum":["a","b"]}`, `^"[ab]"$`},
		{"/api/chat", `"messages":[{"role":"user","content":"2 + 3"}],"format":"json","options":{"num_predict":40}`, `^\{.*\}$`},
	} {
		_, _, lines := call(t, "POST", url+c.path, `{"model":"base",`+c.fields+`}`)
		if text, _ := said(lines); !regexp.MustCompile(c.want).MatchString(text) {
			t.Errorf("%s: %v", c.fields, lines)
		}
	}
	if status, _, lines := call(t, "POST", url+"/api/generate", `{"model":"base","prompt":"x","format":{"contains":1}}`); status != 400 || !strings.Contains(lines[0]["error"].(string), "contains cannot be forced") {
		t.Errorf("%d, %v", status, lines)
	}
}

// FuzzBodies: no body makes the server fail.
func FuzzBodies(f *testing.F) {
	for _, seed := range []string{
		`{"model":"m","messages":[{"role":"user","content":"hi"}],"think":"low","options":{"stop":["a"],"seed":1}}`, `{"model":"m","prompt":"x","raw":true}`, `{"model":"m","messages":[null],"format":null}`,
	} {
		f.Add(seed)
	}
	g := serve.NewGate([]serve.Model{{ID: "m", Answerer: echo{never: true}}}, serve.GateOptions{MaxBody: 1 << 16, Working: 1, Waiting: 1})
	h := g.Handler(New(g, "").Routes()...)
	f.Fuzz(func(t *testing.T, body string) {
		for _, path := range []string{"/api/chat", "/api/generate", "/api/show"} {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, strings.NewReader(body)))
			if w.Code >= 500 {
				t.Errorf("%s: %d, %s", path, w.Code, w.Body)
			}
		}
	})
}

// A says is an engine that writes one text, and keeps the prompt.
type says struct {
	model  *model.Model
	text   string
	prompt string
}

func (w *says) Stream(_ context.Context, reqs []engine.SampleRequest, each func(i, token int) error) ([]engine.Sample, error) {
	w.prompt = w.model.Tokenizer.Decode(reqs[0].Prompt, true)
	ids, err := w.model.Tokenizer.Encode(w.text, false)
	s := engine.Sample{Stop: engine.StopEOS, Tokens: append(ids, reqs[0].Stop[0])}
	for _, id := range s.Tokens {
		s.Logprobs = append(s.Logprobs, -1)
		err = errors.Join(err, each(0, id))
	}
	return []engine.Sample{s}, err
}

// TestTools: functions, calls of them and their results are what the template of the base makes of them, and an answer's calls come back as objects.
func TestTools(t *testing.T) {
	dir := t.TempDir()
	template, err := os.ReadFile("../../model/chat/testdata/templates/qwen2.5.jinja")
	if err := errors.Join(err, os.CopyFS(dir, os.DirFS("../../model/shipped/model"))); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "chat_template.jinja"), template, 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := model.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	w := &says{model: m, text: "Wait. <tool_call>\n{\"name\": \"add\", \"arguments\": {\"a\": 1}}\n</tool_call>"}
	v := chatsession.Speaker{Engine: w, Model: m}
	url := listen(t, serve.Model{ID: "base", Answerer: serve.NewSingle(v, chatsession.Settings{Sampling: engine.Sampling{Temperature: 1}, MaxTokens: 99})})
	const tools = `"tools":[{"type":"function","function":{"name":"add","parameters":{"type":"object"}}}]`
	const messages = `"messages":[{"role":"user","content":"hi"},{"role":"assistant","tool_calls":[{"function":{"name":"add","arguments":{"a":2}}}]},{"role":"tool","tool_name":"add","content":"3"}]`
	for _, stream := range []string{"", `,"stream":false`} {
		status, _, lines := call(t, "POST", url+"/api/chat", `{"model":"base",`+messages+","+tools+stream+"}")
		last, _ := lines[len(lines)-1]["message"].(map[string]any)
		calls, _ := json.Marshal(last["tool_calls"])
		if text, _ := said(lines); status != 200 || text != "Wait." || string(calls) != `[{"function":{"arguments":{"a":1},"name":"add"}}]` {
			t.Errorf("%d, %v", status, lines)
		}
		for _, part := range []string{`"name": "add", "parameters"`, "<tool_call>\n{\"name\": \"add\", \"arguments\": {\"a\": 2}}\n</tool_call>", "<tool_response>\n3\n</tool_response>"} {
			if !strings.Contains(w.prompt, part) {
				t.Errorf("%q is not in %q", part, w.prompt)
			}
		}
	}
	if status, _, lines := call(t, "POST", url+"/api/chat", `{"model":"base",`+messages+`,"tools":[{"type":"other"}]}`); status != 400 {
		t.Errorf("%d, %v", status, lines)
	}
}
