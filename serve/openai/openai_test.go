package openai

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/rl/rollout/gather"

	"parley/engine"
	"parley/engine/native"
	"parley/model"
	"parley/serve"
	"parley/serve/chatsession"
)

// An echo answers with the last message. It thinks first, where it is a team; it can be told to fail or to wait.
type echo struct {
	team  bool
	fails string        // after which text it fails: "reason", "say"
	wait  chan struct{} // before it answers; nil: not at all
	left  chan struct{} // is told when its client is gone
}

func (e *echo) Answer(ctx context.Context, q serve.Question, l serve.Listener) (serve.Answer, error) {
	text := q.Messages[len(q.Messages)-1].Content
	a := serve.Answer{Text: text, Cut: q.MaxTokens == 1, Usage: serve.Usage{Prompt: 3, Drawn: 5}}
	if e.team {
		a.Reasoning = "Let us think."
		a.Usage.Reasoning, a.Usage.Agents = 2, []serve.AgentUsage{{Name: "writer", Prompt: 3, Drawn: 2}, {Name: "editor", Prompt: 6, Drawn: 3}}
		if l.Turn != nil {
			_ = l.Turn("writer", 1)
		}
		if err := l.Reason(a.Reasoning); err != nil {
			return a, err
		}
	}
	if e.fails == "reason" {
		return a, errors.New("out of paper")
	}
	if e.wait != nil {
		select {
		case <-e.wait:
		case <-ctx.Done():
			e.left <- struct{}{}
			return a, ctx.Err()
		}
	}
	for _, piece := range strings.SplitAfter(text, " ") {
		if err := l.Say(piece); err != nil {
			return a, err
		}
	}
	if e.fails == "say" {
		return a, errors.New("out of paper")
	}
	return a, nil
}

const token = "secret"

// listen serves models until the test ends.
func listen(t *testing.T, o serve.GateOptions, models ...serve.Model) (*serve.Gate, string) {
	t.Helper()
	o.Token = token
	if o.MaxBody == 0 {
		o.MaxBody, o.Working, o.Waiting = 1<<16, 8, 8
	}
	g := serve.NewGate(models, o)
	h := httptest.NewServer(g.Handler(New(g, time.Hour).Routes()...))
	t.Cleanup(h.Close)
	return g, h.URL
}

// echoes are a model and a team.
func echoes() []serve.Model {
	return []serve.Model{{ID: "echo", Created: 7, Fingerprint: "fp_1", Answerer: &echo{}}, {ID: "runs/team", Answerer: &echo{team: true}}}
}

// a request and what it is answered.
type asked struct {
	method, path, body string
	header             map[string]string
}

func (a asked) send(t *testing.T, url string) (*http.Response, string) {
	t.Helper()
	if a.method == "" {
		a.method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(t.Context(), a.method, url+a.path, strings.NewReader(a.body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json; charset=utf-8")
	req.Header.Set("Authorization", "Bearer "+token)
	for k, v := range a.header {
		req.Header.Set(k, v)
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil && a.path != "cut" {
		body = append(body, "\n<cut: "+err.Error()+">"...)
	}
	return answer, string(body)
}

// TestRefusals: what a client has to change has status 4xx, the parameter and a code, in the shape of the protocol.
func TestRefusals(t *testing.T) {
	_, url := listen(t, serve.GateOptions{}, echoes()...)
	chat := func(fields string) asked {
		if !strings.HasPrefix(fields, `"messages"`) {
			fields = `"messages":[{"role":"user","content":"hi"}],` + fields
		}
		return asked{path: "/v1/chat/completions", body: `{"model":"echo",` + fields + `}`}
	}
	complete := func(fields string) asked {
		return asked{path: "/v1/completions", body: `{"model":"echo","prompt":"a",` + fields + `}`}
	}
	respond := func(fields string) asked {
		return asked{path: "/v1/responses", body: `{"model":"echo",` + fields + `}`}
	}
	for name, c := range map[string]struct {
		asked
		status      int
		param, code string
	}{
		"no token":                  {asked{path: "/v1/models", method: "GET", header: map[string]string{"Authorization": ""}}, 401, "", "invalid_api_key"},
		"another token":             {asked{path: "/v1/models", method: "GET", header: map[string]string{"Authorization": "Bearer secre"}}, 401, "", "invalid_api_key"},
		"no token, a body":          {asked{path: "/v1/completions", body: strings.Repeat(" ", 1<<10), header: map[string]string{"Authorization": "Basic secret"}}, 401, "", "invalid_api_key"},
		"no token, large body":      {asked{path: "/v1/completions", body: strings.Repeat(" ", 1<<17), header: map[string]string{"Authorization": "Basic secret"}}, 413, "", ""},
		"no clean path":             {asked{path: "//v1/models", method: "GET"}, 404, "", "unknown_url"},
		"pictures":                  {asked{path: "/v1/images/generations", body: "{}"}, 404, "", "unknown_url"},
		"files":                     {asked{path: "/v1/files", method: "GET"}, 404, "", "unknown_url"},
		"messages":                  {asked{path: "/v1/messages", body: "{}"}, 404, "", "unknown_url"},
		"unknown path":              {asked{path: "/v1/embeddings", body: "{}"}, 404, "", "unknown_url"},
		"wrong method":              {asked{path: "/v1/chat/completions", method: "GET"}, 405, "", ""},
		"wrong type":                {asked{path: "/v1/chat/completions", body: "{}", header: map[string]string{"Content-Type": "text/plain"}}, 415, "", ""},
		"large body":                {asked{path: "/v1/chat/completions", body: `{"a":"` + strings.Repeat("x", 1<<17) + `"}`}, 413, "", ""},
		"no JSON":                   {asked{path: "/v1/chat/completions", body: `{"model":`}, 400, "", ""},
		"no object":                 {asked{path: "/v1/chat/completions", body: `[1]`}, 400, "", ""},
		"no UTF-8":                  {asked{path: "/v1/chat/completions", body: "{\"model\":\"\xff\"}"}, 400, "", ""},
		"unknown model":             {asked{path: "/v1/chat/completions", body: `{"model":"x"}`}, 404, "model", "model_not_found"},
		"unknown model, described":  {asked{path: "/v1/models/runs%2Fnobody", method: "GET"}, 404, "model", "model_not_found"},
		"wrong kind":                {chat(`"temperature":"hot"`), 400, "temperature", ""},
		"temperature":               {chat(`"temperature":2.1`), 400, "temperature", ""},
		"top_p":                     {chat(`"top_p":0`), 400, "top_p", ""},
		"n":                         {chat(`"n":0`), 400, "n", ""},
		"many":                      {chat(`"n":17`), 400, "n", ""},
		"max_tokens":                {chat(`"max_tokens":0`), 400, "max_tokens", ""},
		"max_completion_tokens":     {chat(`"max_completion_tokens":-1,"max_tokens":5`), 400, "max_completion_tokens", ""},
		"stops":                     {chat(`"stop":["a","b","c","d","e"]`), 400, "stop", ""},
		"empty stop":                {chat(`"stop":""`), 400, "stop", ""},
		"long stop":                 {chat(`"stop":"` + strings.Repeat("x", serve.LongestStop+1) + `"`), 400, "stop", ""},
		"stop of numbers":           {chat(`"stop":[1]`), 400, "stop", ""},
		"seed":                      {chat(`"seed":1.5`), 400, "seed", ""},
		"tops without":              {chat(`"top_logprobs":3`), 400, "top_logprobs", ""},
		"no tops without":           {chat(`"top_logprobs":0,"logprobs":false`), 400, "top_logprobs", ""},
		"tops":                      {chat(`"logprobs":true,"top_logprobs":21`), 400, "top_logprobs", ""},
		"logprobs of no model":      {chat(`"logprobs":true`), 400, "logprobs", "unsupported_parameter"},
		"options without stream":    {chat(`"stream_options":{"include_usage":true}`), 400, "stream_options", ""},
		"forced tool":               {chat(`"tool_choice":"required"`), 400, "tool_choice", "unsupported_parameter"},
		"named tool":                {chat(`"tool_choice":{"type":"function","function":{"name":"f"}}`), 400, "tool_choice", "unsupported_parameter"},
		"form":                      {chat(`"response_format":{"type":"json_object"}`), 400, "response_format", "unsupported_parameter"},
		"no messages":               {chat(`"messages":[]`), 400, "messages", ""},
		"assistant last":            {chat(`"messages":[{"role":"assistant","content":"x"}]`), 400, "messages", ""},
		"only calls":                {chat(`"messages":[{"role":"assistant","content":null,"tool_calls":[{}]}]`), 400, "messages[0].tool_calls[0].function.name", ""},
		"calls of a user":           {chat(`"messages":[{"role":"user","content":"x","tool_calls":[{"function":{"name":"f"}}]}]`), 400, "messages[0].tool_calls", ""},
		"call of another type":      {chat(`"messages":[{"role":"assistant","tool_calls":[{"type":"custom","function":{"name":"f"}}]}]`), 400, "messages[0].tool_calls[0].type", ""},
		"old call":                  {chat(`"messages":[{"role":"assistant","content":"","function_call":{"name":"f"}}]`), 400, "messages[0].function_call", "unsupported_parameter"},
		"calls, no model":           {chat(`"messages":[{"role":"tool","content":"34"}]`), 400, "messages", "unsupported_parameter"},
		"nothing said":              {chat(`"messages":[{"role":"assistant","content":""}]`), 400, "messages", ""},
		"role":                      {chat(`"messages":[{"role":"boss","content":"x"}]`), 400, "messages[0].role", ""},
		"no content":                {chat(`"messages":[{"role":"user","content":"x"},{"role":"user"}]`), 400, "messages[1].content", ""},
		"picture":                   {chat(`"messages":[{"role":"user","content":[{"type":"image_url"}]}]`), 400, "messages", ""},
		"team, completions":         {asked{path: "/v1/completions", body: `{"model":"runs/team","prompt":"a"}`}, 400, "model", "unsupported_parameter"},
		"no model, completions":     {complete(`"n":1`), 400, "model", "unsupported_parameter"},
		"response, form":            {respond(`"input":"a","text":{"format":{"type":"json_schema","name":"x","schema":{}}}`), 400, "text.format", "unsupported_parameter"},
		"response, no schema":       {respond(`"input":"a","text":{"format":{"type":"json_schema","name":"x"}}`), 400, "text.format", "invalid_schema"},
		"unknown format":            {chat(`"response_format":{"type":"xml"}`), 400, "response_format", "unsupported_parameter"},
		"response, background":      {respond(`"input":"a","background":true`), 400, "background", "unsupported_parameter"},
		"response, previous":        {respond(`"input":"a","previous_response_id":"resp_1"`), 400, "previous_response_id", "unsupported_parameter"},
		"response, no input":        {respond(`"n":null`), 400, "input", ""},
		"response, no items":        {respond(`"input":[]`), 400, "input", ""},
		"response, a call's output": {respond(`"input":[{"type":"function_call_output","output":"x"}]`), 400, "input", "unsupported_parameter"},
		"response, tokens":          {respond(`"input":"a","max_output_tokens":0`), 400, "max_output_tokens", ""},
	} {
		answer, body := c.send(t, url)
		var said struct {
			Error struct {
				Message, Type string
				Param, Code   *string
			}
		}
		if err := json.Unmarshal([]byte(body), &said); err != nil || said.Error.Message == "" || said.Error.Type != "invalid_request_error" {
			t.Errorf("%s: %v in %s", name, err, body)
			continue
		}
		param, code := "", ""
		if said.Error.Param != nil {
			param = *said.Error.Param
		}
		if said.Error.Code != nil {
			code = *said.Error.Code
		}
		if answer.StatusCode != c.status || param != c.param || code != c.code {
			t.Errorf("%s: status %d, param %q, code %q, want %d, %q, %q: %s", name, answer.StatusCode, param, code, c.status, c.param, c.code, said.Error.Message)
		}
		if answer.Header.Get("x-request-id") == "" || answer.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: headers %v", name, answer.Header)
		}
	}
	if answer, _ := (asked{path: "/v1/models"}).send(t, url); answer.Header.Get("Allow") != "GET" {
		t.Errorf("405 allows %q", answer.Header.Get("Allow"))
	}
	if answer, _ := (asked{path: "/v1/models", header: map[string]string{"Authorization": ""}}).send(t, url); answer.Header.Get("WWW-Authenticate") != "Bearer" {
		t.Errorf("401 asks for %q", answer.Header.Get("WWW-Authenticate"))
	}
}

// TestAnswers: whole answers of a model and of a team, and what clients send besides.
func TestAnswers(t *testing.T) {
	_, url := listen(t, serve.GateOptions{}, echoes()...)
	_, body := asked{path: "/v1/chat/completions", body: `{"model":"runs/team","messages":[{"role":"developer","content":"be kind"},{"role":"assistant","content":""},
		{"role":"user","content":[{"type":"text","text":"Hello "},{"type":"text","text":"you"}]}],"n":2,"seed":-9223372036854775808,"max_tokens":null,"logit_bias":{},"tools":[{}],"tool_choice":"auto","stop":null}`}.send(t, url)
	var chat struct {
		ID, Object, Model string
		Created           int64
		Choices           []struct {
			Index        int
			FinishReason string `json:"finish_reason"`
			Message      struct {
				Role, Content, Reasoning string
				ReasoningContent         string `json:"reasoning_content"`
			}
		}
		Usage struct {
			Prompt  int                                 `json:"prompt_tokens"`
			Drawn   int                                 `json:"completion_tokens"`
			Total   int                                 `json:"total_tokens"`
			Details struct{ ReasoningTokens int }       `json:"completion_tokens_details"`
			Parley  struct{ Agents []serve.AgentUsage } `json:"parley"`
		}
	}
	if err := json.Unmarshal([]byte(body), &chat); err != nil || len(chat.Choices) != 2 {
		t.Fatalf("%v: %s", err, body)
	}
	second := chat.Choices[1]
	if chat.Object != "chat.completion" || !strings.HasPrefix(chat.ID, "chatcmpl-") || second.Index != 1 || second.FinishReason != "stop" ||
		second.Message.Content != "Hello you" || second.Message.Reasoning != "Let us think." || second.Message.ReasoningContent != "Let us think." {
		t.Errorf("%s", body)
	}
	if u := chat.Usage; u.Prompt != 3 || u.Drawn != 10 || u.Total != 13 || len(u.Parley.Agents) != 2 || u.Parley.Agents[1] != (serve.AgentUsage{Name: "editor", Prompt: 12, Drawn: 6}) {
		t.Errorf("usage %+v", u)
	}
	if _, body := (asked{path: "/v1/chat/completions", body: `{"model":"echo","messages":[{"role":"user","content":"hi"}],"max_completion_tokens":1,"max_tokens":9}`}).send(t, url); !strings.Contains(body, `"finish_reason":"length"`) || strings.Contains(body, "reasoning_content") {
		t.Errorf("a model that was cut says %s", body)
	}
	_, body = asked{path: "/v1/responses", body: `{"model":"runs/team","input":[{"type":"reasoning"},{"role":"user","content":[{"type":"input_text","text":"Hi"}]}],"instructions":"Be kind.","store":true}`}.send(t, url)
	if !strings.Contains(body, `"text":"Hi","type":"output_text"`) || !strings.Contains(body, `"type":"summary_text"`) || !strings.Contains(body, `"object":"response"`) || !strings.Contains(body, `"output_tokens":5`) {
		t.Errorf("%s", body)
	}
	for path, want := range map[string]string{
		"/v1/models":             `"id":"runs/team"`,
		"/v1/models/runs/team":   `"id":"runs/team"`,
		"/v1/models/runs%2Fteam": `"id":"runs/team"`,
		"/health":                `"status":"ok"`,
		"/ready":                 `"status":"ready"`,
	} {
		if answer, body := (asked{path: path, method: "GET"}).send(t, url); answer.StatusCode != 200 || !strings.Contains(body, want) {
			t.Errorf("%s: %d, %s", path, answer.StatusCode, body)
		}
	}
}

// chunksOf are the events of a stream, and whether it said that it is done.
func chunksOf(t *testing.T, body string) (chunks []map[string]any, done bool) {
	t.Helper()
	lines := bufio.NewScanner(strings.NewReader(body))
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		switch {
		case !ok:
			continue
		case data == "[DONE]":
			done = true
			continue
		}
		var chunk map[string]any
		if err := json.Unmarshal([]byte(data), &chunk); err != nil {
			t.Fatalf("%v in %s", err, data)
		}
		chunks = append(chunks, chunk)
	}
	return chunks, done
}

// TestStream: the first chunk has the role, the last one the reason of the end, then comes the usage where it was asked for, then [DONE].
func TestStream(t *testing.T) {
	_, url := listen(t, serve.GateOptions{}, echoes()...)
	for _, usage := range []bool{false, true} {
		answer, body := asked{path: "/v1/chat/completions", body: fmt.Sprintf(`{"model":"runs/team","messages":[{"role":"user","content":"one two three"}],"n":2,"stream":true,"stream_options":{"include_usage":%v}}`, usage)}.send(t, url)
		if answer.Header.Get("Content-Type") != "text/event-stream" || answer.Header.Get("Cache-Control") != "no-cache" || !strings.HasPrefix(body, ": keep-alive\n\n") {
			t.Errorf("headers %v, body %.40q", answer.Header, body)
		}
		chunks, done := chunksOf(t, body)
		content, reasoning, ends := map[float64]string{}, map[float64]string{}, map[float64]string{}
		for i, c := range chunks {
			if _, has := c["usage"]; has != usage {
				t.Errorf("chunk %d: %v", i, c)
			}
			for _, choice := range c["choices"].([]any) {
				choice := choice.(map[string]any)
				index, delta := choice["index"].(float64), choice["delta"].(map[string]any)
				if ends[index] != "" {
					t.Errorf("choice %v goes on behind its end", index)
				}
				if text, ok := delta["content"].(string); ok {
					content[index] += text
				}
				if text, ok := delta["reasoning_content"].(string); ok && text == delta["reasoning"] {
					reasoning[index] += text
					if who := fmt.Sprint(delta["parley"]); who != "map[agent:writer turn:1]" {
						t.Errorf("%s says %q", who, text)
					}
				}
				ends[index], _ = choice["finish_reason"].(string)
			}
		}
		for _, i := range []float64{0, 1} {
			if content[i] != "one two three" || reasoning[i] != "Let us think." || ends[i] != "stop" {
				t.Errorf("choice %v: %q, thought %q, end %q", i, content[i], reasoning[i], ends[i])
			}
		}
		last := chunks[len(chunks)-1]
		if !done || usage != (len(last["choices"].([]any)) == 0) {
			t.Errorf("the stream ends with %v, done: %v", last, done)
		}
		first := chunks[0]["choices"].([]any)[0].(map[string]any)["delta"].(map[string]any)
		if first["role"] != "assistant" || first["content"] != "" {
			t.Errorf("the stream begins with %v", first)
		}
	}
}

// TestBrokenStream: what fails behind the first text is an event, and the stream is cut without [DONE].
func TestBrokenStream(t *testing.T) {
	for _, fails := range []string{"reason", "say"} {
		_, url := listen(t, serve.GateOptions{}, serve.Model{ID: "m", Answerer: &echo{team: true, fails: fails}})
		_, body := asked{path: "/v1/chat/completions", body: `{"model":"m","messages":[{"role":"user","content":"one two"}],"stream":true}`}.send(t, url)
		chunks, done := chunksOf(t, body)
		last, _ := chunks[len(chunks)-1]["error"].(map[string]any)
		if done || !strings.Contains(body, "<cut:") || last["type"] != "server_error" {
			t.Errorf("%s: %s", fails, body)
		}
		if answer, body := (asked{path: "/v1/chat/completions", body: `{"model":"m","messages":[{"role":"user","content":"one two"}]}`}).send(t, url); answer.StatusCode != 500 || !strings.Contains(body, "out of paper") {
			t.Errorf("%s, whole: %d, %s", fails, answer.StatusCode, body)
		}
	}
}

// TestTypedStream: a streamed response announces every item and part, numbers its events, and its last event is the whole answer.
func TestTypedStream(t *testing.T) {
	_, url := listen(t, serve.GateOptions{}, echoes()...)
	const out, think, say = "response.output_item.", "response.reasoning_summary_", "response."
	head := []string{say + "created", say + "in_progress"}
	thought := []string{out + "added", think + "part.added", think + "text.delta", think + "text.done", think + "part.done", out + "done"}
	said := []string{out + "added", say + "content_part.added", say + "output_text.delta", say + "output_text.delta", say + "output_text.done", say + "content_part.done", out + "done"}
	for model, want := range map[string][]string{
		"echo":      slices.Concat(head, said, []string{say + "completed"}),
		"runs/team": slices.Concat(head, thought, said, []string{say + "completed"}),
	} {
		_, body := asked{path: "/v1/responses", body: `{"model":"` + model + `","input":"one two","stream":true}`}.send(t, url)
		events, done := chunksOf(t, body)
		if done || strings.Contains(body, "<cut:") {
			t.Errorf("%s: %s", model, body)
		}
		var names []string
		var text string
		for i, e := range events {
			name := e["type"].(string)
			names = append(names, name)
			if e["sequence_number"] != float64(i) || !strings.Contains(body, "event: "+name+"\ndata: ") {
				t.Errorf("%s: event %d: %v", model, i, e)
			}
			if name == say+"output_text.delta" {
				text += e["delta"].(string)
			}
		}
		if !slices.Equal(names, want) {
			t.Errorf("%s: events %v, want %v", model, names, want)
		}
		last := events[len(events)-1]["response"].(map[string]any)
		output := last["output"].([]any)
		message := output[len(output)-1].(map[string]any)["content"].([]any)[0].(map[string]any)
		if text != "one two" || message["text"] != text || last["status"] != "completed" || last["usage"].(map[string]any)["output_tokens"] != 5.0 {
			t.Errorf("%s: %q, %v", model, text, last)
		}
	}
	_, body := asked{path: "/v1/responses", body: `{"model":"echo","input":"x","max_output_tokens":1,"stream":true}`}.send(t, url)
	if !strings.Contains(body, "event: response.incomplete\n") || !strings.Contains(body, `"reason":"max_output_tokens"`) {
		t.Errorf("cut: %s", body)
	}
	_, url = listen(t, serve.GateOptions{}, serve.Model{ID: "m", Answerer: &echo{team: true, fails: "say"}})
	_, body = asked{path: "/v1/responses", body: `{"model":"m","input":"one two","stream":true}`}.send(t, url)
	if events, _ := chunksOf(t, body); !strings.Contains(body, "<cut:") || events[len(events)-1]["type"] != "error" || events[len(events)-1]["message"] != "the server failed: out of paper" {
		t.Errorf("broken: %s", body)
	}
}

// TestLeaving: a client that leaves ends the work on its request, streamed or not, and is counted.
func TestLeaving(t *testing.T) {
	e := &echo{wait: make(chan struct{}), left: make(chan struct{}, 1)}
	s, url := listen(t, serve.GateOptions{}, serve.Model{ID: "m", Answerer: e})
	for _, stream := range []bool{false, true} {
		ctx, leave := context.WithCancel(t.Context())
		body := fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":%v}`, stream)
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/chat/completions", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer "+token)
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			if answer, err := http.DefaultClient.Do(req); err == nil {
				_, _ = io.Copy(io.Discard, answer.Body)
				answer.Body.Close()
			}
		}()
		for working := 0; working == 0; time.Sleep(time.Millisecond) {
			working, _ = s.Counts()
		}
		leave()
		<-e.left
		<-gone
	}
	for begun := time.Now(); ; time.Sleep(time.Millisecond) {
		_, page := asked{path: "/metrics", method: "GET"}.send(t, url)
		if strings.Contains(page, "parley_requests_cancelled_total 2\n") && strings.Contains(page, "parley_num_requests_running 0\n") {
			break
		}
		if time.Since(begun) > time.Minute {
			t.Fatal(page)
		}
	}
}

// TestFullAndDraining: more than may wait come back later, and so does who comes while the server stops.
func TestFullAndDraining(t *testing.T) {
	e := &echo{wait: make(chan struct{})}
	s, url := listen(t, serve.GateOptions{MaxBody: 1 << 16, Working: 1, Waiting: 0}, serve.Model{ID: "m", Answerer: e})
	hi := asked{path: "/v1/chat/completions", body: `{"model":"m","messages":[{"role":"user","content":"hi"}]}`}
	first := make(chan int)
	go func() { answer, _ := hi.send(t, url); first <- answer.StatusCode }()
	for working := 0; working == 0; time.Sleep(time.Millisecond) {
		working, _ = s.Counts()
	}
	if answer, body := hi.send(t, url); answer.StatusCode != 429 || answer.Header.Get("Retry-After") != "1" || !strings.Contains(body, "rate_limit_exceeded") {
		t.Errorf("full: %d, %v, %s", answer.StatusCode, answer.Header, body)
	}
	s.Drain()
	if answer, body := hi.send(t, url); answer.StatusCode != 503 || answer.Header.Get("Retry-After") != "5" || !strings.Contains(body, "server_error") {
		t.Errorf("draining: %d, %v, %s", answer.StatusCode, answer.Header, body)
	}
	if answer, _ := (asked{path: "/ready", method: "GET"}).send(t, url); answer.StatusCode != 503 {
		t.Errorf("draining and ready: %d", answer.StatusCode)
	}
	close(e.wait)
	if status := <-first; status != 200 {
		t.Errorf("what had begun ended with %d", status)
	}
}

// base is the shipped model, served.
func base(t testing.TB) serve.Model {
	t.Helper()
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
	how := chatsession.Settings{Sampling: engine.Sampling{Temperature: 1}, MaxTokens: 1 << 30}
	return serve.Model{ID: "base", Answerer: serve.NewSingle(v, how)}
}

// TestSameAlone: many requests at a time get what each gets alone, whole and streamed, and a seed says what that is.
func TestSameAlone(t *testing.T) {
	_, url := listen(t, serve.GateOptions{MaxBody: 1 << 16, Working: 5, Waiting: 100}, base(t))
	body := func(i int, stream bool) string {
		return fmt.Sprintf(`{"model":"base","messages":[{"role":"user","content":"What is %d + 3?"}],"seed":%d,"max_tokens":%d,"temperature":%g,"stream":%v}`, i%3, i-5, 5+i, float64(i%2), stream)
	}
	text := func(body string, stream bool) (out string) {
		if !stream {
			var whole struct {
				Choices []struct{ Message struct{ Content string } }
			}
			if json.Unmarshal([]byte(body), &whole) == nil && len(whole.Choices) == 1 {
				return whole.Choices[0].Message.Content
			}
			return "?" + body
		}
		chunks, done := chunksOf(t, body)
		for _, c := range chunks {
			for _, choice := range c["choices"].([]any) {
				piece, _ := choice.(map[string]any)["delta"].(map[string]any)["content"].(string)
				out += piece
			}
		}
		if !done {
			out += "?"
		}
		return out
	}
	const n = 24
	want := make([]string, n)
	for i := range n {
		_, answer := asked{path: "/v1/chat/completions", body: body(i, false)}.send(t, url)
		want[i] = text(answer, false)
	}
	type got struct {
		i    int
		text string
	}
	all := make(chan got)
	for i := range 2 * n {
		go func() {
			stream := i >= n
			_, answer := asked{path: "/v1/chat/completions", body: body(i%n, stream)}.send(t, url)
			all <- got{i, text(answer, stream)}
		}()
	}
	for range 2 * n {
		if g := <-all; g.text != want[g.i%n] || strings.Contains(g.text, "?") {
			t.Errorf("request %d: %q, alone %q", g.i, g.text, want[g.i%n])
		}
	}
}

// TestCompletions: token ids go in and come out, with log-probabilities that are those of the tokens, and the most probable beside them.
func TestCompletions(t *testing.T) {
	_, url := listen(t, serve.GateOptions{}, base(t))
	_, body := asked{path: "/v1/completions", body: `{"model":"base","prompt":[[328,28,223],[328]],"temperature":0,"max_tokens":4,"logprobs":2,"return_token_ids":true,"n":1}`}.send(t, url)
	var out struct {
		Choices []struct {
			Text   string
			Tokens []int  `json:"token_ids"`
			Prompt []int  `json:"prompt_token_ids"`
			Finish string `json:"finish_reason"`
			Logs   struct {
				Tokens   []string             `json:"tokens"`
				Logprobs []float32            `json:"token_logprobs"`
				Top      []map[string]float32 `json:"top_logprobs"`
			} `json:"logprobs"`
		}
		Usage struct {
			Prompt int `json:"prompt_tokens"`
		}
	}
	if err := json.Unmarshal([]byte(body), &out); err != nil || len(out.Choices) != 2 || out.Usage.Prompt != 4 {
		t.Fatalf("%v: %s", err, body)
	}
	for i, c := range out.Choices {
		if len(c.Tokens) == 0 || len(c.Logs.Logprobs) != len(c.Tokens) || len(c.Logs.Top) != len(c.Tokens) || strings.Join(c.Logs.Tokens, "") != c.Text && c.Finish == "length" {
			t.Errorf("choice %d: %+v", i, c)
		}
		for j, top := range c.Logs.Top {
			if len(top) != 2 || top[c.Logs.Tokens[j]] != c.Logs.Logprobs[j] { // greedily, the token is the most probable one
				t.Errorf("choice %d, token %d: %v, drawn with %g", i, j, top, c.Logs.Logprobs[j])
			}
		}
	}
	_, one := asked{path: "/v1/completions", body: `{"model":"base","prompt":"Question:","seed":3,"max_tokens":6,"ignore_eos":true,"min_tokens":6}`}.send(t, url)
	_, stream := asked{path: "/v1/completions", body: `{"model":"base","prompt":["Question:"],"seed":3,"max_tokens":6,"ignore_eos":true,"min_tokens":6,"stream":true}`}.send(t, url)
	var whole struct{ Choices []struct{ Text string } }
	if err := json.Unmarshal([]byte(one), &whole); err != nil || len(whole.Choices) != 1 {
		t.Fatalf("%v: %s", err, one)
	}
	chunks, done := chunksOf(t, stream)
	text := ""
	for _, c := range chunks {
		text += c["choices"].([]any)[0].(map[string]any)["text"].(string)
	}
	if !done || text != whole.Choices[0].Text {
		t.Errorf("streamed %q, whole %q", text, whole.Choices[0].Text)
	}
	for fields, param := range map[string]string{
		`"echo":true,"suffix":"x"`: "suffix", `"max_tokens":0`: "max_tokens", `"suffix":"x"`: "suffix", `"best_of":3`: "best_of", `"logprobs":6`: "logprobs", `"min_tokens":17`: "min_tokens", `"prompt":[]`: "prompt",
		`"prompt":[true]`: "prompt", `"prompt":[[]]`: "prompt", `"prompt":["a","b"],"n":9`: "prompt", `"top_k":-2`: "top_k", `"prompt_logprobs":21`: "prompt_logprobs", `"prompt_logprobs":1,"stream":true`: "prompt_logprobs",
	} {
		answer, body := asked{path: "/v1/completions", body: `{"model":"base","prompt":"a",` + fields + `}`}.send(t, url)
		if answer.StatusCode != 400 || !strings.Contains(body, `"param":"`+param+`"`) {
			t.Errorf("%s: %d, %s", fields, answer.StatusCode, body)
		}
	}
	if answer, body := (asked{path: "/v1/completions", body: `{"model":"base","prompt":[999999]}`}).send(t, url); answer.StatusCode != 400 {
		t.Errorf("a token that does not exist: %d, %s", answer.StatusCode, body)
	}
	long := strings.Repeat("x ", 4000)
	for _, c := range []struct{ path, fields, param string }{
		{"/v1/chat/completions", `"messages":[{"role":"user","content":"` + long + `"}]`, "messages"},
		{"/v1/completions", `"prompt":"` + long + `"`, "prompt"},
		{"/v1/responses", `"input":"` + long + `"`, "input"},
	} {
		for _, more := range []string{"", `,"stream":true`} { // a stream that has not begun is refused as an answer is
			answer, body := asked{path: c.path, body: `{"model":"base",` + c.fields + more + `}`}.send(t, url)
			if answer.StatusCode != 400 || !strings.Contains(body, "context_length_exceeded") || !strings.Contains(body, `"param":"`+c.param+`"`) {
				t.Errorf("too long on %s%s: %d, %.200s", c.path, more, answer.StatusCode, body)
			}
		}
	}
}

// FuzzBodies: no body makes the server fail, whatever it answers.
func FuzzBodies(f *testing.F) {
	for _, seed := range []string{
		`{"model":"echo","messages":[{"role":"user","content":"hi"}],"stop":["a"],"seed":-1,"n":2}`, `{"model":"echo","input":[{"role":"user","content":[{"type":"text","text":"x"}]}]}`,
		`{"model":"echo","prompt":[1,2],"stream":true,"stream_options":{}}`, `{"model":"echo","messages":[null],"tool_choice":{}}`, `{"stop":null,"prompt":null,"messages":null}`,
		`{"model":"base","messages":[{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","arguments":"{\"a\":[1]}"}}]},{"role":"tool","tool_call_id":"c","content":"<|end|>"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"<":1}}}],"stream":true}`,
		`{"model":"base","input":[{"type":"function_call","call_id":"c","name":"f","arguments":{}},{"type":"function_call_output","output":"x"}],"tools":[{"type":"function","name":"f"}]}`,
		`{"model":"base","messages":[{"role":"assistant","content":"x "}],"continue_final_message":true,"logit_bias":{"1":2}}`,
	} {
		f.Add(seed)
	}
	w, m := templated(f, "qwen2.5")
	w.text = "So. <tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>"
	g := serve.NewGate(append(echoes(), m), serve.GateOptions{MaxBody: 1 << 16, Working: 1, Waiting: 1})
	h := g.Handler(New(g, time.Hour).Routes()...)
	f.Fuzz(func(t *testing.T, body string) {
		for _, path := range []string{"/v1/chat/completions", "/v1/completions", "/v1/responses"} {
			r := httptest.NewRequest(http.MethodPost, path, bytes.NewReader([]byte(body)))
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code >= 500 {
				t.Errorf("%s: %d, %s", path, w.Code, w.Body)
			}
		}
	})
}

// FuzzCompletions: what a model goes on with is checked before anything is drawn, and what is wrong with it is the client's to change.
func FuzzCompletions(f *testing.F) {
	for _, seed := range []string{
		`{"model":"base","prompt":[[1,2],[3]],"n":2,"stop_token_ids":[0],"min_tokens":1,"return_token_ids":true}`, `{"model":"base","prompt":"x","top_k":-1,"logprobs":5,"prompt_logprobs":1}`,
		`{"model":"base","prompt":["a","b"],"echo":true,"suffix":"","best_of":1,"stream":true}`, `{"model":"base","prompt":[-1]}`, `{"model":"base","prompt":[[]],"max_tokens":99999999999}`,
	} {
		f.Add(seed)
	}
	g := serve.NewGate([]serve.Model{base(f)}, serve.GateOptions{MaxBody: 1 << 16, Working: 1, Waiting: 1})
	s := New(g, time.Hour)
	f.Fuzz(func(t *testing.T, body string) {
		var req completionRequest
		fault := serve.Parse([]byte(body), &req)
		if fault == nil {
			_, fault = s.checkCompletion(&req)
		}
		if fault != nil && (fault.Status < 400 || fault.Status >= 500 || fault.Message == "") {
			t.Errorf("%d: %+v", fault.Status, fault)
		}
	})
}
