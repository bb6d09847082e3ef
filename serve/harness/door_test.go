package harness

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"parley/rl/rollout"
	"parley/rl/rollout/harness"
)

// TestStatuses: who is told what, with which code, and whether to try again.
func TestStatuses(t *testing.T) {
	key := func(k string) map[string]string { return map[string]string{"Authorization": k} }
	long := chat(`,"seed":1`)
	long = strings.Replace(long, "Why?", strings.Repeat("why ", 2*room), 1)
	for name, c := range map[string]struct {
		asked
		status int
		code   string
		final  bool
		words  []string
	}{
		"no key":            {asked: asked{path: chats, body: chat(""), header: key("")}, status: 401, code: "invalid_api_key"},
		"another key":       {asked: asked{path: chats, body: chat(""), header: key("Bearer hk-2")}, status: 401, code: "invalid_api_key"},
		"another episode":   {asked: asked{path: "/e/t1-0-1" + chats, body: chat("")}, status: 401, code: "invalid_api_key", words: []string{"base_url"}},
		"no episode":        {asked: asked{path: "/e/"}, status: 401, code: "invalid_api_key", words: []string{"make the client inside episode(e)"}},
		"key of a result":   {asked: asked{path: "/result", body: `{"answer":"5"}`, header: key("Bearer hk-2")}, status: 401, code: "invalid_api_key"},
		"nobody":            {asked: asked{path: chats, body: strings.Replace(chat(""), "writer", "gpt-5", 1)}, status: 404, code: "model_not_found", words: []string{"writer, bird", "team.harness.models has gpt-4o"}},
		"nobody's address":  {asked: asked{path: "/agents/editor" + chats, body: chat("")}, status: 404, code: "model_not_found", words: []string{"editor", "writer, bird"}},
		"another route":     {asked: asked{path: "/v1/embeddings", body: "{}"}, status: 404, code: "unknown_url"},
		"completions":       {asked: asked{path: "/v1/completions", body: `{"model":"writer","prompt":"a"}`}, status: 404, code: "unknown_url"},
		"too long":          {asked: asked{path: chats, body: long}, status: 400, code: "context_length_exceeded", words: []string{"tokens", "200"}},
		"too long, stream":  {asked: asked{path: chats, body: strings.Replace(long, `"seed"`, `"stream":true,"seed"`, 1)}, status: 400, code: "context_length_exceeded"},
		"too long, input":   {asked: asked{path: "/v1/responses", body: `{"model":"writer","input":"` + strings.Repeat("why ", 2*room) + `"}`}, status: 400, code: "context_length_exceeded", words: []string{`"param":"input"`}},
		"a wrong field":     {asked: asked{path: chats, body: chat(`,"temperature":3`)}, status: 400, words: []string{`"param":"temperature"`}},
		"most likely":       {asked: asked{path: chats, body: chat(`,"logprobs":true,"top_logprobs":2`)}, status: 400, code: "unsupported_parameter", words: []string{`"param":"top_logprobs"`}},
		"too large":         {asked: asked{path: chats, body: chat(`,"user":"` + strings.Repeat("x", mostBody) + `"`)}, status: 413},
		"tools of a bird":   {asked: asked{path: "/agents/bird" + chats, body: chat("," + weather)}, status: 400, code: "unsupported_parameter"},
		"too many choices":  {asked: asked{path: chats, body: chat(`,"n":9`)}, status: 403, code: "too_many_calls"},
		"no result":         {asked: asked{path: "/result", body: `[]`}, status: 400},
		"a method":          {asked: asked{path: chats, method: http.MethodGet}, status: 405},
		"names":             {asked: asked{path: "/v1/models", method: http.MethodGet}, status: 200, words: []string{`"writer"`, `"bird"`}},
		"names of an agent": {asked: asked{path: "/agents/bird/v1/models", method: http.MethodGet}, status: 200, words: []string{`"bird"`}},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGame(t, "")
			answer, _ := g.ask(c.asked)
			body := answer.Body.String()
			var told struct{ Error struct{ Code string } }
			if err := json.Unmarshal([]byte(body), &told); err != nil || answer.Code != c.status || told.Error.Code != c.code {
				t.Fatalf("%d %s, expected %d %s", answer.Code, body, c.status, c.code)
			}
			for _, w := range c.words {
				if !strings.Contains(body, w) {
					t.Errorf("%s has no %q", body, w)
				}
			}
			if n := g.counts().Refused[cmp.Or(c.code, strconv.Itoa(c.status))]; c.status != 200 && c.status != 401 && c.code != "unknown_url" && n != 1 {
				t.Errorf("%+v", g.counts())
			}
		})
	}
}

// TestTooManyCalls: every choice counts, and what is refused takes none.
func TestTooManyCalls(t *testing.T) {
	g := newGame(t, "")
	for i, c := range []struct {
		fields string
		status int
	}{{`,"n":4`, 200}, {`,"n":5`, 403}, {`,"n":4,"seed":1`, 200}, {"", 403}} {
		if answer, _ := g.ask(asked{path: chats, body: chat(c.fields)}); answer.Code != c.status || answer.Header().Get("x-should-retry") != "" {
			t.Errorf("%d: %d %s", i, answer.Code, answer.Body)
		}
	}
	if n := len(g.messages()); n != 8 {
		t.Errorf("%d messages", n)
	}
}

// TestOver: nobody asks an episode that is over, and calls in flight end with it.
func TestOver(t *testing.T) {
	for _, fields := range []string{"", `,"stream":true`} {
		g := newGame(t, "")
		g.ask(asked{path: chats, body: chat("")})
		g.begun, g.wait = make(chan struct{}), make(chan struct{})
		done := make(chan string)
		go func() {
			answer, left := g.ask(asked{path: chats, body: chat(fields)})
			done <- map[bool]string{true: "left"}[left] + codeOf(answer.Body.String())
		}()
		<-g.begun
		answer, _ := g.ask(asked{path: "/result", body: `{"reward":0.5}`})
		if got, want := <-done, map[string]string{"": "episode_over"}[fields]; got != want && !(fields != "" && got == "left") {
			t.Errorf("in flight%s: %s", fields, got)
		}
		if answer.Code != http.StatusOK {
			t.Errorf("%d %s", answer.Code, answer.Body)
		}
		for path, want := range map[string]string{chats: "episode_over", "/v1/models": "episode_over", "/result": "already_reported"} {
			a := asked{path: path, body: chat("")}
			if path == "/v1/models" {
				a.method = http.MethodGet
			}
			answer, _ := g.ask(a)
			if got := codeOf(answer.Body.String()); got != want || want == "episode_over" && (answer.Code != 404 || answer.Header().Get("x-should-retry") != "false") {
				t.Errorf("%s behind the end: %d %s", path, answer.Code, answer.Body)
			}
		}
		if e, m := g.over(), g.counts(); len(e.Nodes) != 1 || e.Nodes[0].Rewards[0] != 0.5 || m.Timing.Left != 1 {
			t.Errorf("%d messages, %+v", len(e.Nodes), m)
		}
	}
}

func codeOf(body string) string {
	var told struct{ Error struct{ Code string } }
	_ = json.Unmarshal([]byte(body), &told) // no JSON has no code
	return told.Error.Code
}

// TestSpeakers: an agent by a script or a server answers through the door; where it fails, the episode has.
func TestSpeakers(t *testing.T) {
	g := newGame(t, "")
	answer, _ := g.ask(asked{path: chats, body: strings.Replace(chat(`,"temperature":0`), "writer", "bird", 1)})
	if s := whole(t, answer.Body.String())[0]; s.Text != "bird heard Why?" || s.Finish != "stop" {
		t.Errorf("%+v", s)
	}
	answer, _ = g.ask(asked{path: chats, body: strings.Replace(chat(`,"max_tokens":2`), "writer", "bird", 1)})
	if s := whole(t, answer.Body.String())[0]; s.Finish != "length" {
		t.Errorf("%+v", s)
	}
	if m := g.messages(); len(m) != 2 || m[0].Text != "bird heard Why?" || len(m[0].Tokens) > 0 {
		t.Errorf("%+v", m)
	}
	g = newGame(t, "", func(_ *harness.Settings, r *rollout.Runner) { r.Actors[1].Speaker = bird{errors.New("no breath")} })
	answer, _ = g.ask(asked{path: "/agents/bird" + chats, body: chat("")})
	if failed := g.over().Failed(); answer.Code != 502 || answer.Header().Get("x-should-retry") != "false" || !strings.Contains(answer.Body.String(), "agent bird: no breath") || !strings.Contains(failed, "no breath") {
		t.Errorf("%d %v %s, %s", answer.Code, answer.Header(), answer.Body, failed)
	}
}

// TestFields: a request may ask for less and end it sooner. How answers are drawn is the recipe's.
func TestFields(t *testing.T) {
	g := newGame(t, "")
	const text = "It is 3 < 4. " // up to the agent's own stop
	for i, c := range []struct {
		fields, text, finish string
		tokens               int // most
		logprobs             bool
	}{
		{"", text, "stop", longest, false},
		{`,"stop":"<"`, "It is 3 ", "stop", longest, false},
		{`,"max_tokens":1000`, text, "stop", longest, false},
		{`,"max_completion_tokens":2`, "", "length", 2, false},
		{`,"temperature":0,"top_p":0.5,"logit_bias":{"5":-100},"presence_penalty":1`, text, "stop", longest, false},
		{`,"logprobs":true,"temperature":1`, text, "stop", longest, true},
		{`,"response_format":{"type":"json_object"}`, text, "stop", longest, false},
		{`,"response_format":{"type":"grammar"},"tool_choice":"required"`, text, "stop", longest, false},
	} {
		answer, _ := g.ask(asked{path: chats, body: chat(c.fields)})
		s := whole(t, answer.Body.String())[0]
		r := g.request(i)
		if c.text == "" {
			c.text = g.model.Text(must(g.model.Tokenizer.Encode(g.text, false))[:2])
		}
		if s.Text != c.text || s.Finish != c.finish || r.MaxTokens != c.tokens || r.Sampling.Temperature != 1 || r.Sampling.TopP != 1 || r.Shape != nil || r.Form != "" || s.Logprobs > 0 != c.logprobs || s.Print != "run/agent-writer/update-1" {
			t.Errorf("%s: %+v of %+v", c.fields, s, r)
		}
	}
	m := g.messages()
	if c := g.counts(); c.Overridden != 1 || c.Unforced != 2 || len(m) != 8 || m[0].Text != text || len(m[0].Logprobs) != len(m[0].Tokens) {
		t.Errorf("%+v, %+v", c, m)
	}
}

// TestOwnForm: an agent whose recipe has a form keeps it, whatever is asked.
func TestOwnForm(t *testing.T) {
	const form = `{"regex":"[0-9]+"}`
	g := newGame(t, "", func(_ *harness.Settings, r *rollout.Runner) {
		r.Actors[0].Own = func(d rollout.Draw) rollout.Draw { d.Form = form; return d }
	})
	g.ask(asked{path: chats, body: chat(`,"response_format":{"type":"json_object"}`)})
	if r := g.request(0); r.Form != form {
		t.Errorf("%+v", r)
	}
}

// TestSilent: an agent that is left out of a rollout says nothing at once, whole and streamed, with tools or without.
func TestSilent(t *testing.T) {
	g := newGame(t, "qwen2.5", func(_ *harness.Settings, r *rollout.Runner) { r.Actors[0].Context, r.Player = 0, silenced })
	for _, fields := range []string{"", "," + weather, `,"logprobs":true`} {
		answer, _ := g.ask(asked{path: chats, body: chat(fields)})
		again, _ := g.ask(asked{path: chats, body: chat(`,"stream":true` + fields)})
		if s := whole(t, answer.Body.String())[0]; s.Text != "" || s.Finish != "stop" {
			t.Errorf("%+v", s)
		}
		if s, done := streamed(t, again.Body.String()); s.Text != "" || s.Finish != "stop" || !done {
			t.Errorf("%+v", s)
		}
	}
	if m := g.messages(); len(m) != 0 || len(g.reqs) != 0 {
		t.Errorf("%+v", m)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

const weather = `"tools":[{"type":"function","function":{"name":"weather","parameters":{"type":"object","properties":{"city":{"type":"string"}}}}}]`

// TestStreams: a stream says what the whole answer says, with its calls at the end, whose ids come from the call's stream.
func TestStreams(t *testing.T) {
	g := newGame(t, "qwen2.5", func(s *harness.Settings, r *rollout.Runner) { r.Actors[0].Context, s.Calls = 0, 10 })
	const call = "Well.\n<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"city\": \"Oslo\"}}\n</tool_call>"
	earned := map[string]float64{}
	for i, c := range []struct{ text, fields string }{
		{g.text, ""}, {g.text, `,"logprobs":true`}, {call, "," + weather}, {call, `,"tool_choice":"required",` + weather}, {call, ""},
	} {
		g.text = c.text
		answer, _ := g.ask(asked{path: chats, body: chat(`,"seed":7` + c.fields)})
		want := whole(t, answer.Body.String())[0]
		answer, _ = g.ask(asked{path: chats, body: chat(`,"stream":true,"seed":7` + c.fields)})
		got, done := streamed(t, answer.Body.String())
		earned[want.ID], earned[got.ID] = float64(2*i)/10, float64(2*i+1)/10
		for k, s := range []said{want, got} {
			if id := harness.CallID(g.request(2*i+k).Seed, 0); strings.Contains(c.fields, "tools") &&
				(len(s.Calls) != 1 || s.Calls[0] != id+`weather{"city":"Oslo"}` || s.Finish != "tool_calls" || s.Text != "Well.") {
				t.Errorf("%+v, expected a call %s", s, id)
			}
		}
		want.ID, want.Calls, got.ID, got.Calls = "", nil, "", nil
		if !done || got.Text != want.Text || got.Finish != want.Finish || got.Logprobs != want.Logprobs {
			t.Errorf("%+v, whole %+v", got, want)
		}
	}
	says, err := json.Marshal(map[string]any{"reward": 0, "calls": earned})
	if err != nil {
		t.Fatal(err)
	}
	g.says = string(says)
	m, e := g.messages(), g.over()
	for i, c := range m {
		if e.Nodes[i].Own[0][0] != float64(i)/10 {
			t.Errorf("message %d earned %v", i, e.Nodes[i].Own)
		}
		if calls := i >= 4 && i < 8; i >= 4 && c.Text != call || (len(c.Calls) == 1) != calls || calls && c.Calls[0].Arguments != `{"city":"Oslo"}` {
			t.Errorf("message %d: %+v", i, c)
		}
	}
	if len(m) != 10 || e.Failed() != "" {
		t.Errorf("%d messages, %s", len(m), e.Failed())
	}
}

// TestSeeds: the seed of a request is part of what its answer's stream is of; the same question again has another one.
func TestSeeds(t *testing.T) {
	seeds := map[string]uint64{}
	for range 2 {
		g := newGame(t, "")
		for i, fields := range []string{"", `,"seed":7`, `,"seed":8`, "", `,"temperature":0`, `,"n":2`} {
			g.ask(asked{path: chats, body: chat(fields)})
			key := strconv.Itoa(i)
			if s := g.request(i).Seed; seeds[key] != 0 && seeds[key] != s && i < 5 {
				t.Errorf("%s: %d, before %d", fields, s, seeds[key])
			} else {
				seeds[key] = s
			}
		}
	}
	different := map[uint64]bool{}
	for i := range 5 {
		different[seeds[strconv.Itoa(i)]] = true
	}
	if len(different) != 5 {
		t.Errorf("%v", seeds)
	}
}

// TestResponses: the other protocol is at the door as well, and names calls by its ids.
func TestResponses(t *testing.T) {
	g := newGame(t, "")
	for _, fields := range []string{"", `,"stream":true`} {
		answer, _ := g.ask(asked{path: "/agents/writer/v1/responses", body: `{"model":"any","input":"Why?"` + fields + `}`})
		_, id, _ := strings.Cut(answer.Body.String(), `"id":"resp_`)
		if answer.Code != 200 || !strings.Contains(answer.Body.String(), "3 \\u003c 4") {
			t.Errorf("%s", answer.Body)
		}
		g.says = fmt.Sprintf(`{"reward":0,"calls":{"resp_%.24s":1}}`, id)
	}
	if e := g.over(); len(e.Nodes) != 2 || e.Failed() != "" || e.Nodes[1].Own[0][0] != 1 {
		t.Errorf("%d messages, %s", len(e.Nodes), e.Failed())
	}
}

// TestCutStream: a stream whose client leaves ends, and is no message.
func TestCutStream(t *testing.T) {
	g := newGame(t, "")
	g.begun, g.wait = make(chan struct{}), make(chan struct{})
	ctx, leave := context.WithCancel(t.Context())
	gone := make(chan bool)
	go func() {
		_, left := g.ask(asked{path: chats, body: chat(`,"stream":true`), ctx: ctx})
		gone <- left
	}()
	<-g.begun
	leave()
	if !<-gone {
		t.Error("it had an answer")
	}
	g.begun, g.wait = nil, nil
	answer, _ := g.ask(asked{path: chats, body: chat(`,"stream":true`), header: map[string]string{"x-stainless-retry-count": "1"}})
	s, done := streamed(t, answer.Body.String())
	if m, c := g.messages(), g.counts(); !done || s.Finish != "stop" || len(m) != 1 || c.Timing.Left != 1 || c.Replayed != 0 {
		t.Errorf("%+v, %d messages, %+v", s, len(m), c)
	}
}

// A hasty client leaves with the end of its answer.
type hasty struct {
	*httptest.ResponseRecorder
	end   string
	leave func()
}

func (h hasty) Write(data []byte) (int, error) {
	if strings.Contains(string(data), h.end) {
		defer h.leave()
	}
	return h.ResponseRecorder.Write(data)
}

// TestHaste: who leaves with the end of an answer has it.
func TestHaste(t *testing.T) {
	g := newGame(t, "")
	for fields, end := range map[string]string{"": "usage", `,"stream":true`: "[DONE]"} {
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/e/t1-0-0"+chats, strings.NewReader(chat(fields)))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+g.key)
		g.door.ServeHTTP(hasty{httptest.NewRecorder(), end, leave}, r)
		if ctx.Err() == nil {
			t.Errorf("%s: no end", fields)
		}
	}
	if m := g.messages(); len(m) != 2 {
		t.Errorf("%d messages", len(m))
	}
}

// TestNetwork: the door is where the program is told, and what it streams comes while it is drawn.
func TestNetwork(t *testing.T) {
	g := newGame(t, "")
	g.begun, g.wait = make(chan struct{}, 1), make(chan struct{})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, g.base+"/chat/completions", strings.NewReader(chat(`,"stream":true`)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+g.key)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	lines := bufio.NewReader(answer.Body)
	for line := ""; !strings.Contains(line, `"role":"assistant"`) && err == nil; {
		line, err = lines.ReadString('\n')
	}
	close(g.wait) // it has not begun to write, and the stream has
	rest, err2 := io.ReadAll(lines)
	s, done := streamed(t, strings.TrimLeft(string(rest), "\n"))
	if err != nil || err2 != nil || !done || s.Text != "It is 3 < 4. " || answer.StatusCode != 200 {
		t.Errorf("%v, %v, %d: %+v", err, err2, answer.StatusCode, s)
	}
	if m := g.messages(); len(m) != 1 {
		t.Errorf("%d messages", len(m))
	}
}

// TestRetries: the same request again is that request, where it says so or its answer waits for its client.
func TestRetries(t *testing.T) {
	again := map[string]string{"x-stainless-retry-count": "1"}
	keyed := map[string]string{"Idempotency-Key": "a"}
	for name, c := range map[string]struct {
		inFlight, leaves   bool
		body               string
		first, second      map[string]string
		messages, replayed int
	}{
		"in flight":                     {inFlight: true, leaves: true, second: again, messages: 1, replayed: 1},
		"in flight, client still there": {inFlight: true, second: again, messages: 1, replayed: 1},
		"marked, after":                 {second: again, messages: 1, replayed: 1},
		"unmarked, after":               {messages: 2},
		"unmarked, in flight":           {inFlight: true, messages: 2},
		"marked, another body":          {second: again, body: chat(`,"seed":4`), messages: 2},
		"unmarked, lost, in flight":     {inFlight: true, leaves: true, messages: 1, replayed: 1},
		"unmarked, lost":                {leaves: true, messages: 1, replayed: 1},
		"a key that was there":          {first: keyed, second: keyed, messages: 1, replayed: 1},
		"another key":                   {first: keyed, second: map[string]string{"Idempotency-Key": "b"}, messages: 2},
		"a key alone":                   {second: keyed, messages: 2},
		"no retry":                      {second: map[string]string{"x-stainless-retry-count": "0"}, messages: 2},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGame(t, "")
			g.begun, g.wait = make(chan struct{}, 2), make(chan struct{})
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			first, second := make(chan said, 1), make(chan said, 1)
			ask := func(ctx context.Context, body string, header map[string]string, to chan said) {
				answer, left := g.ask(asked{path: chats, body: body, header: header, ctx: ctx})
				if left {
					to <- said{}
					return
				}
				to <- whole(t, answer.Body.String())[0]
			}
			go ask(ctx, chat(""), c.first, first)
			<-g.begun
			var one said
			if c.leaves {
				leave()
				one = <-first
			}
			if c.body == "" {
				c.body = chat("")
			}
			if !c.inFlight {
				close(g.wait)
				if !c.leaves {
					one = <-first
				}
			}
			go ask(t.Context(), c.body, c.second, second)
			if c.inFlight {
				if c.replayed == 0 {
					<-g.begun
				}
				close(g.wait)
			}
			two := <-second
			if !c.leaves && c.inFlight {
				one = <-first
			}
			if n := len(g.messages()); n != c.messages || len(g.reqs) != c.messages || g.counts().Replayed != c.replayed {
				t.Errorf("%d messages of %d samples, %d replayed", n, len(g.reqs), g.counts().Replayed)
			}
			if two.Text == "" || !c.leaves && (one.ID == two.ID) != (c.replayed > 0) {
				t.Errorf("%+v, then %+v", one, two)
			}
		})
	}
}
