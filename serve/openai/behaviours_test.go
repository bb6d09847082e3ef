package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/serve"
)

// What clients of the protocol rely on, and the test that holds it; gate is the server's gate (package serve), clients is bench/serving, cmd is cmd/parley.
//
//	bound of bodies, token, constant time         TestRefusals, gate TestWhoIsLetIn
//	unknown fields ignored, wrong ones named      TestRefusals, TestAnswers
//	models, names with slashes and %2F            TestAnswers, clients openai_python
//	413, 400, 415, 404, 405, all JSON             TestRefusals
//	x-request-id, origins                         gate TestWhoIsLetIn, gate TestOrigins
//	health, ready and metrics without a token     gate TestWhoIsLetIn
//	shape and types of errors                     TestRefusals, clients openai_python, openaiNode
//	429 and 503 with Retry-After, 500, no retry   TestFullAndDraining, gate TestFailingWork, clients busy
//	fields of a chat, its messages and its tools  TestRefusals, TestAnswers
//	shape of answers, of usage, of chunks         TestShapes
//	both spellings of reasoning                   TestAnswers, TestStream, clients litellm_client, aiSDK
//	finish_reason                                 TestAnswers, serve TestVote
//	n, seeds, one fingerprint                     TestAnswers, TestSameAlone, cmd TestServe
//	headers, comments, a flush for each event     TestKeepAlive
//	first and last chunks, usage, [DONE]          TestStream, TestShapes
//	a failure in mid-stream cuts it               TestBrokenStream, TestServerEnds, TestTypedStream
//	clients that leave                            TestLeaving, gather TestCallersLeave, cmd TestLongServeLoad
//	log-probabilities in streams                  TestStreamedLogprobs, TestStreamedTokens
//	completions, and vLLM's fields of them        TestCompletions, TestPromptLogprobs, FuzzCompletions
//	responses, whole and typed                    TestAnswers, TestTypedStream, clients agents, openaiNode
//	Ollama's routes                               ollama TestAnswers, TestFailures, TestLists, clients ollama_python
//	everything else is 404 in JSON                TestRefusals, clients openai_python
//	metrics                                       metrics TestTextFormat, clients check (promtool)

// keysOf are the keys of an object, in order.
func keysOf(v any) string {
	m, _ := v.(map[string]any)
	return strings.Join(slices.Sorted(maps.Keys(m)), " ")
}

// TestShapes: answers have the keys that clients read, no more and no fewer, and the pieces of one answer have one name.
func TestShapes(t *testing.T) {
	_, url := listen(t, serve.GateOptions{}, echoes()...)
	ask := func(model, fields string) string {
		_, body := asked{path: "/v1/chat/completions", body: `{"model":"` + model + `","messages":[{"role":"user","content":"a b"}]` + fields + `}`}.send(t, url)
		return body
	}
	var whole map[string]any
	if err := json.Unmarshal([]byte(ask("runs/team", "")), &whole); err != nil {
		t.Fatal(err)
	}
	choice := whole["choices"].([]any)[0].(map[string]any)
	usage := whole["usage"].(map[string]any)
	for want, v := range map[string]any{
		"choices created id model object system_fingerprint usage":                                            whole,
		"finish_reason index logprobs message":                                                                choice,
		"content reasoning reasoning_content refusal role":                                                    choice["message"],
		"completion_tokens completion_tokens_details parley prompt_tokens prompt_tokens_details total_tokens": usage,
		"cached_tokens":                        usage["prompt_tokens_details"],
		"reasoning_tokens":                     usage["completion_tokens_details"],
		"completion_tokens name prompt_tokens": usage["parley"].(map[string]any)["agents"].([]any)[0],
	} {
		if got := keysOf(v); got != want {
			t.Errorf("keys %q, want %q", got, want)
		}
	}
	if choice["logprobs"] != nil || choice["message"].(map[string]any)["refusal"] != nil {
		t.Errorf("%v", choice)
	}
	chunks, _ := chunksOf(t, ask("runs/team", `,"stream":true,"stream_options":{"include_usage":true}`))
	for i, c := range chunks {
		if keysOf(c) != "choices created id model object system_fingerprint usage" || c["object"] != "chat.completion.chunk" {
			t.Errorf("chunk %d: %v", i, c)
		}
		for _, same := range []string{"id", "created", "model", "system_fingerprint"} {
			if c[same] != chunks[0][same] {
				t.Errorf("chunk %d: %s is %v, and was %v", i, same, c[same], chunks[0][same])
			}
		}
		if last := i == len(chunks)-1; (c["usage"] != nil) != last || last && len(c["choices"].([]any)) != 0 {
			t.Errorf("chunk %d of %d: usage %v", i, len(chunks), c["usage"])
		}
	}
}

// TestModels: the list and each entry of it, as clients read them.
func TestModels(t *testing.T) {
	_, url := listen(t, serve.GateOptions{}, echoes()...)
	const entry = `{"created":7,"id":"echo","object":"model","owned_by":"parley"}`
	for path, want := range map[string]string{
		"/v1/models/echo": entry,
		"/v1/models":      `{"data":[` + entry + `,{"created":0,"id":"runs/team","object":"model","owned_by":"parley"}],"object":"list"}`,
	} {
		if answer, body := (asked{path: path, method: "GET"}).send(t, url); answer.StatusCode != 200 || body != want+"\n" {
			t.Errorf("%s: %d, %s", path, answer.StatusCode, body)
		}
	}
}

// TestExtras: what clients send besides is left alone: tools that may be called, effort, users, metadata, fields of other servers.
func TestExtras(t *testing.T) {
	_, url := listen(t, serve.GateOptions{}, echoes()...)
	for _, fields := range []string{
		`"tools":[{"type":"function","function":{"name":"f"}}],"tool_choice":"none"`, `"tools":[{}],"tool_choice":"auto"`, `"reasoning_effort":"high","store":false,"metadata":{"a":"b"},"user":"ann"`,
		`"response_format":{"type":"text"},"service_tier":"auto","parallel_tool_calls":true`, `"guided_json":null,"min_p":0,"chat_template_kwargs":{},"nobody_knows":{"x":1}`, `"temperature":0,"top_p":1,"n":1,"stop":["a","b","c","d"],"seed":9223372036854775807`,
	} {
		answer, body := asked{path: "/v1/chat/completions", body: `{"model":"echo","messages":[{"role":"user","content":"hi"}],` + fields + `}`}.send(t, url)
		if answer.StatusCode != 200 || !strings.Contains(body, `"content":"hi"`) || !strings.Contains(body, `"finish_reason":"stop"`) || strings.Contains(body, "tool_calls") {
			t.Errorf("%s: %d, %s", fields, answer.StatusCode, body)
		}
	}
}

// TestEndTokens: further tokens end a text where a request names them, as one that the model ends with would; without the model's own end it goes on.
func TestEndTokens(t *testing.T) {
	_, url := listen(t, serve.GateOptions{}, base(t))
	ask := func(fields string) (ids []int, finish string) {
		_, body := asked{path: "/v1/completions", body: `{"model":"base","prompt":"Question:","temperature":0,"max_tokens":20,"return_token_ids":true` + fields + `}`}.send(t, url)
		var out struct {
			Choices []struct {
				IDs    []int  `json:"token_ids"`
				Finish string `json:"finish_reason"`
			}
		}
		if err := json.Unmarshal([]byte(body), &out); err != nil || len(out.Choices) != 1 {
			t.Fatalf("%v: %s", err, body)
		}
		return out.Choices[0].IDs, out.Choices[0].Finish
	}
	free, finish := ask(`,"ignore_eos":true`)
	if len(free) != 20 || finish != "length" {
		t.Fatalf("without an end: %v, %s", free, finish)
	}
	third := free[2]
	end := slices.Index(free, third) // it may have come before
	if ids, finish := ask(fmt.Sprintf(`,"ignore_eos":true,"stop_token_ids":[%d]`, third)); !slices.Equal(ids, free[:end+1]) || finish != "stop" {
		t.Errorf("ends at %d: %v, %s, want %v", third, ids, finish, free[:end+1])
	}
	if ids, _ := ask(fmt.Sprintf(`,"ignore_eos":true,"stop_token_ids":[%d],"min_tokens":%d`, third, end+2)); len(ids) < end+2 || slices.Index(ids, third) == end {
		t.Errorf("at least %d tokens: %v", end+2, ids)
	}
	if hot, _ := ask(`,"ignore_eos":true,"temperature":2,"seed":1,"top_k":1`); !slices.Equal(hot, free) {
		t.Errorf("of the most probable token alone: %v, want %v", hot, free)
	}
}

// waiting begins a stream of a model that waits, and returns its lines.
func waiting(t *testing.T, url string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/v1/chat/completions", strings.NewReader(`{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":true}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	return answer
}

// TestKeepAlive: a comment comes at once and whenever nothing was said for a while, flushed, under headers that keep proxies from holding it back.
func TestKeepAlive(t *testing.T) {
	e := &echo{wait: make(chan struct{}), left: make(chan struct{}, 1)}
	g := serve.NewGate([]serve.Model{{ID: "m", Answerer: e}}, serve.GateOptions{Token: token, MaxBody: 1 << 16, Working: 1})
	h := httptest.NewServer(g.Handler(New(g, time.Millisecond).Routes()...))
	t.Cleanup(h.Close)
	answer := waiting(t, h.URL)
	if h := answer.Header; h.Get("Content-Type") != "text/event-stream" || h.Get("Cache-Control") != "no-cache" || h.Get("X-Accel-Buffering") != "no" {
		t.Errorf("headers %v", h)
	}
	said := ""
	for buf := make([]byte, 512); strings.Count(said, ": keep-alive\n\n") < 4; {
		n, err := answer.Body.Read(buf)
		if err != nil {
			t.Fatalf("%v after %q", err, said)
		}
		said += string(buf[:n])
	}
	close(e.wait)
	rest, err := io.ReadAll(answer.Body)
	if err != nil || !strings.HasPrefix(said, ": keep-alive\n\n") || !strings.HasSuffix(string(rest), "data: [DONE]\n\n") {
		t.Errorf("%v: %q, then %q", err, said, rest)
	}
}

// TestServerEnds: a stream that the stopping server ends says so and is cut: it never looks whole.
func TestServerEnds(t *testing.T) {
	e := &echo{wait: make(chan struct{}), left: make(chan struct{}, 1)}
	g := serve.NewGate([]serve.Model{{ID: "m", Answerer: e}}, serve.GateOptions{Token: token, MaxBody: 1 << 16, Working: 1})
	h := httptest.NewUnstartedServer(g.Handler(New(g, time.Hour).Routes()...))
	ctx, stop := context.WithCancel(t.Context())
	h.Config.BaseContext = func(net.Listener) context.Context { return ctx }
	h.Start()
	t.Cleanup(h.Close)
	answer := waiting(t, h.URL)
	g.Drain()
	stop()
	body, err := io.ReadAll(answer.Body)
	if err == nil || !strings.Contains(string(body), `"type":"server_error"`) || strings.Contains(string(body), "[DONE]") {
		t.Errorf("%v: %s", err, body)
	}
}

// TestStreamedLogprobs: every piece of a stream has the tokens that it is of, with their log-probabilities, while they are drawn. All pieces together
// are the whole answer.
func TestStreamedLogprobs(t *testing.T) {
	_, url := listen(t, serve.GateOptions{}, base(t))
	for _, fields := range []string{`,"logprobs":true`, `,"logprobs":true,"top_logprobs":2`, `,"logprobs":true,"stop":["the"],"temperature":2`} {
		body := `{"model":"base","messages":[{"role":"user","content":"What is 2 + 3?"}],"seed":3,"max_tokens":12` + fields
		_, text := asked{path: "/v1/chat/completions", body: body + `}`}.send(t, url)
		var whole struct {
			Choices []struct {
				Message  struct{ Content string }
				Logprobs struct{ Content []any }
			}
		}
		if err := json.Unmarshal([]byte(text), &whole); err != nil || len(whole.Choices) != 1 || len(whole.Choices[0].Logprobs.Content) < 2 {
			t.Fatalf("%v: %s", err, text)
		}
		_, text = asked{path: "/v1/chat/completions", body: body + `,"stream":true}`}.send(t, url)
		chunks, done := chunksOf(t, text)
		content, tokens, pieces := "", []any{}, 0
		for _, c := range chunks {
			choice := c["choices"].([]any)[0].(map[string]any)
			piece, _ := choice["delta"].(map[string]any)["content"].(string)
			content += piece
			if logprobs, _ := choice["logprobs"].(map[string]any); logprobs != nil {
				tokens = append(tokens, logprobs["content"].([]any)...)
				pieces++
			} else if piece != "" {
				t.Errorf("%s: %q has no log-probabilities", fields, piece)
			}
		}
		if got, want := fmt.Sprint(tokens), fmt.Sprint(whole.Choices[0].Logprobs.Content); !done || pieces < 2 || got != want || content != whole.Choices[0].Message.Content {
			t.Errorf("%s: streamed in %d pieces %q %s, whole %q %s", fields, pieces, content, got, whole.Choices[0].Message.Content, want)
		}
	}
}

// TestStreamedTokens is TestStreamedLogprobs of texts that are no conversation, whose token ids can be asked for as well.
func TestStreamedTokens(t *testing.T) {
	_, url := listen(t, serve.GateOptions{}, base(t))
	type choice struct {
		Text     string
		IDs      []int  `json:"token_ids"`
		Prompt   []int  `json:"prompt_token_ids"`
		Finish   string `json:"finish_reason"`
		Logprobs *struct {
			Tokens   []string             `json:"tokens"`
			Logprobs []float32            `json:"token_logprobs"`
			Offsets  []int                `json:"text_offset"`
			Tops     []map[string]float32 `json:"top_logprobs"`
		}
	}
	read := func(data string) (c choice) {
		var body struct{ Choices []choice }
		if err := json.Unmarshal([]byte(data), &body); err != nil || len(body.Choices) != 1 {
			t.Fatalf("%v: %s", err, data)
		}
		return body.Choices[0]
	}
	for _, fields := range []string{`"return_token_ids":true`, `"logprobs":0`, `"logprobs":0,"return_token_ids":true,"stop":"e"`, `"logprobs":2,"return_token_ids":true`} {
		body := `{"model":"base","prompt":[328,28,223],"seed":3,"max_tokens":12,` + fields
		_, text := asked{path: "/v1/completions", body: body + `}`}.send(t, url)
		want := read(text)
		_, text = asked{path: "/v1/completions", body: body + `,"stream":true}`}.send(t, url)
		got, pieces := choice{}, 0
		for _, line := range strings.Split(text, "\n") {
			data, ok := strings.CutPrefix(line, "data: {")
			if !ok {
				continue
			}
			c := read("{" + data)
			pieces++
			got.Text, got.IDs, got.Finish = got.Text+c.Text, append(got.IDs, c.IDs...), c.Finish
			if len(c.Prompt) > 0 {
				got.Prompt = append(got.Prompt, c.Prompt...)
			}
			if got.Logprobs == nil {
				got.Logprobs = c.Logprobs
			} else if l := c.Logprobs; l != nil {
				got.Logprobs.Tokens, got.Logprobs.Logprobs = append(got.Logprobs.Tokens, l.Tokens...), append(got.Logprobs.Logprobs, l.Logprobs...)
				got.Logprobs.Offsets, got.Logprobs.Tops = append(got.Logprobs.Offsets, l.Offsets...), append(got.Logprobs.Tops, l.Tops...)
			}
		}
		a, errA := json.Marshal(got)
		b, errB := json.Marshal(want)
		if errA != nil || errB != nil || string(a) != string(b) || pieces < 3 {
			t.Errorf("%s: streamed in %d pieces %s, whole %s", fields, pieces, a, b)
		}
	}
}

// TestPromptLogprobs: the tokens of a prompt have log-probabilities and ranks, beside the most probable ones; the first has none. Tokens may be
// called by their ids.
func TestPromptLogprobs(t *testing.T) {
	_, url := listen(t, serve.GateOptions{}, base(t))
	_, body := asked{path: "/v1/completions", body: `{"model":"base","prompt":[328,28,223],"temperature":0,"max_tokens":1,"prompt_logprobs":2,"logprobs":1,"return_tokens_as_token_ids":true}`}.send(t, url)
	var out struct {
		Choices []struct {
			Given []map[string]struct {
				Logprob float64
				Rank    int
				Decoded string `json:"decoded_token"`
			} `json:"prompt_logprobs"`
			Logprobs struct {
				Tokens []string
				Top    []map[string]float64 `json:"top_logprobs"`
			}
		}
	}
	if err := json.Unmarshal([]byte(body), &out); err != nil || len(out.Choices) != 1 {
		t.Fatalf("%v: %s", err, body)
	}
	c := out.Choices[0]
	if len(c.Given) != 3 || c.Given[0] != nil || len(c.Logprobs.Tokens) != 1 || !strings.HasPrefix(c.Logprobs.Tokens[0], "token_id:") || c.Logprobs.Top[0][c.Logprobs.Tokens[0]] >= 0 {
		t.Fatalf("%s", body)
	}
	for i, id := range []string{"28", "223"} {
		at := c.Given[i+1]
		own, ok := at[id]
		if n := len(at); !ok || n != 2 && n != 3 || own.Rank < 1 || own.Logprob >= 0 || own.Decoded == "" || n == 2 != (own.Rank <= 2) {
			t.Errorf("token %s: %v", id, at)
		}
		for other, g := range at {
			if g.Rank < own.Rank != (g.Logprob > own.Logprob) && other != id {
				t.Errorf("token %s of rank %d and %s of rank %d: %v", id, own.Rank, other, g.Rank, at)
			}
		}
	}
	// The same token behind the same prompt has the same log-probability when it is drawn.
	_, drawn := asked{path: "/v1/completions", body: `{"model":"base","prompt":[328,28],"temperature":0,"max_tokens":1,"logprobs":1}`}.send(t, url)
	_, given := asked{path: "/v1/completions", body: `{"model":"base","prompt":[328,28,223],"temperature":0,"max_tokens":1,"prompt_logprobs":1}`}.send(t, url)
	var a struct {
		Choices []struct {
			Logprobs struct {
				Top []map[string]float64 `json:"top_logprobs"`
			}
		}
	}
	var b struct {
		Choices []struct {
			Given []map[string]struct {
				Logprob float64
				Decoded string `json:"decoded_token"`
			} `json:"prompt_logprobs"`
		}
	}
	if json.Unmarshal([]byte(drawn), &a) != nil || json.Unmarshal([]byte(given), &b) != nil {
		t.Fatalf("%s, %s", drawn, given)
	}
	for text, logprob := range a.Choices[0].Logprobs.Top[0] {
		found := false
		for _, g := range b.Choices[0].Given[2] {
			found = found || g.Decoded == text && g.Logprob == logprob
		}
		if !found {
			t.Errorf("%q is drawn with %g, and of a prompt are %v", text, logprob, b.Choices[0].Given[2])
		}
	}
}

// TestCold: a temperature that numbers cannot be divided by draws as 0 does.
func TestCold(t *testing.T) {
	_, url := listen(t, serve.GateOptions{}, base(t))
	for path, question := range map[string]string{"/v1/chat/completions": `"messages":[{"role":"user","content":"What is 2 + 3?"}]`, "/v1/completions": `"prompt":"Question: What is 2 + 3?"`} {
		var said []string
		for _, temperature := range []string{"0", "1e-9", "1e-320"} {
			answer, body := asked{path: path, body: `{"model":"base","max_tokens":12,"logprobs":` + map[bool]string{true: "true", false: "0"}[strings.Contains(path, "chat")] + `,"temperature":` + temperature + `,` + question + `}`}.send(t, url)
			if answer.StatusCode != 200 {
				t.Errorf("%s, temperature %s: %d, %s", path, temperature, answer.StatusCode, body)
			}
			var whole struct{ Choices []json.RawMessage }
			if err := json.Unmarshal([]byte(body), &whole); err == nil && len(whole.Choices) == 1 {
				said = append(said, string(whole.Choices[0]))
			}
		}
		if len(said) != 3 || said[1] != said[0] || said[2] != said[0] {
			t.Errorf("%s: %q", path, said)
		}
	}
}
