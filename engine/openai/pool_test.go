package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"parley/internal/service/web"
)

// serveChat starts a server of completions.
func serveChat(t *testing.T, answer http.HandlerFunc) (url string, asked *atomic.Int64) {
	t.Helper()
	asked = new(atomic.Int64)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/v1", asked
}

// openPool returns a pool and one server of it.
func openPool(t *testing.T, o PoolOptions, a Address) (*Pool, *Server) {
	t.Helper()
	p, err := OpenPool(o)
	if err != nil {
		t.Fatal(err)
	}
	if a.Deadline == 0 {
		a.Deadline = time.Minute
	}
	return p, p.Server(a).Quick()
}

func hello(text string) ChatRequest {
	return ChatRequest{Model: "big", Messages: []Message{{"user", text}}, MaxTokens: 8}
}

// echo answers with what was asked, and says that it cost 7 and 3 tokens.
func echo(w http.ResponseWriter, r *http.Request) {
	var q ChatRequest
	_ = json.NewDecoder(r.Body).Decode(&q)
	fmt.Fprintf(w, `{"choices":[{"message":{"content":%q},"finish_reason":"stop"}],"usage":{"prompt_tokens":7,"completion_tokens":3}}`, q.Messages[0].Content)
}

// TestRecording: what was answered is not asked again, by this run or another, and a run without the server gets the same, errors and costs included.
func TestRecording(t *testing.T) {
	url, asked := serveChat(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), "fail") {
			http.Error(w, `{"error":{"message":"no such thing","code":400}}`, http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		echo(w, r)
	})
	file := filepath.Join(t.TempDir(), "answers.jsonl")
	play := func(o PoolOptions, url string) string {
		p, s := openPool(t, o, Address{URL: url})
		out := make([]string, 40)
		web.Each(len(out), web.Together, func(i int) {
			text := []string{"a", "b", "fail", "c"}[i%4]
			r, err := s.Chat(t.Context(), hello(text), nil)
			out[i] = fmt.Sprint(r.Text, err)
		})
		return fmt.Sprint(out, p.Spent())
	}
	first := play(PoolOptions{Recording: file}, url)
	if !strings.Contains(first, "no such thing") || !strings.Contains(first, "big:{40 210 90}") {
		t.Fatal(first)
	}
	asked.Store(0)
	if again := play(PoolOptions{Recording: file}, url); asked.Load() != 10 || again != first {
		t.Errorf("%d requests, of which only those that failed are sent again:\n%s\n%s", asked.Load(), first, again)
	}
	if again := play(PoolOptions{Recording: file, Replay: true}, "http://127.0.0.1:1"); !strings.Contains(again, "no such thing") ||
		strings.Count(again, "<nil>") != strings.Count(first, "<nil>") {
		t.Errorf("without the server:\n%s\n%s", first, again)
	}
	_, s := openPool(t, PoolOptions{Recording: file, Replay: true}, Address{URL: url})
	if _, err := s.Chat(t.Context(), hello("new"), nil); err == nil || !strings.Contains(err.Error(), "no answer to this request") {
		t.Errorf("%v", err)
	}
	_, s = openPool(t, PoolOptions{Replay: true}, Address{URL: url})
	if _, err := s.Chat(t.Context(), hello("new"), nil); err == nil || !strings.Contains(err.Error(), "none is named") {
		t.Errorf("%v", err)
	}
}

// TestBudget: when the tokens or the money are spent, nothing more is asked. What was spent before counts.
func TestBudget(t *testing.T) {
	url, asked := serveChat(t, echo)
	for name, c := range map[string]struct {
		options PoolOptions
		before  int // tokens drawn
		fits    int64
		ends    bool
		want    string
	}{
		"tokens":      {PoolOptions{Tokens: 25}, 0, 3, true, "read and drawn 30 tokens, and the budget is 25"},
		"money":       {PoolOptions{Cost: 0.00002, Prices: map[string]Price{"big": {Prompt: 1, Drawn: 1}}, Fails: true}, 0, 2, false, "have cost 2e-05, and the budget is 2e-05"},
		"from before": {PoolOptions{Tokens: 25, Fails: true}, 20, 1, false, "read and drawn 30 tokens"},
	} {
		t.Run(name, func(t *testing.T) {
			asked.Store(0)
			p, s := openPool(t, c.options, Address{URL: url, Retries: 3})
			if err := p.Restore(map[string]Spent{"big": {Drawn: c.before}}); err != nil {
				t.Fatal(err)
			}
			var err error
			for range 5 {
				_, err = s.Chat(t.Context(), hello("x"), nil)
			}
			if asked.Load() != c.fits || err == nil || !strings.Contains(err.Error(), c.want) || errors.Is(err, ErrSpent) != c.ends {
				t.Errorf("%d requests, %v", asked.Load(), err)
			}
		})
	}
	p, _ := openPool(t, PoolOptions{}, Address{URL: url})
	if err := p.Restore(map[string]Spent{"big": {Prompt: -1}}); err == nil {
		t.Error("a sum below nothing was taken")
	}
}

// TestUsage: a server that says no cost, or none that can be, is counted by its bytes.
func TestUsage(t *testing.T) {
	for reply, want := range map[string]usage{
		`{"usage":{"prompt_tokens":7,"completion_tokens":0}}`:     {7, 0},
		`{"usage":{"prompt_tokens":-7,"completion_tokens":3}}`:    {26, 14},
		`{"usage":{"prompt_tokens":0,"completion_tokens":0}}`:     {26, 13},
		`{"usage":{"prompt_tokens":1e18,"completion_tokens":1}}`:  {26, 14},
		`{"usage":{"prompt_tokens":0.5,"completion_tokens":null}`: {26, 14},
		`{"usage":null}`: {26, 4},
		`[]`:             {26, 1},
	} {
		if got := usageOf([]byte(reply), 100); got != want {
			t.Errorf("%s: %+v, want %+v", reply, got, want)
		}
	}
}

// TestPace: requests and tokens have their shares of a minute, one after the other; nothing is saved up.
func TestPace(t *testing.T) {
	now := time.Unix(1000, 0)
	g := newGate(PoolOptions{Requests: 60, PerMinute: 600})
	steps := []struct {
		after time.Duration
		drew  int
		want  time.Duration
	}{
		{0, 0, 0},
		{0, 0, time.Second},
		{400 * time.Millisecond, 0, 600 * time.Millisecond},
		{time.Hour, 0, 0},
		{time.Millisecond, 0, 999 * time.Millisecond},
		{time.Second, 50, 5 * time.Second},
		{5 * time.Second, 0, 0},
	}
	for i, s := range steps {
		now = now.Add(s.after)
		if s.drew > 0 {
			g.tokens.take(now, s.drew)
		}
		if got := g.pause(now); got != s.want {
			t.Errorf("step %d: %v, want %v", i, got, s.want)
		}
	}
}

// TestTogether: no more requests are on their way to one address than are allowed, whoever sends them; the end of the context ends the wait.
func TestTogether(t *testing.T) {
	var now, most atomic.Int64
	url, _ := serveChat(t, func(w http.ResponseWriter, r *http.Request) {
		if n := now.Add(1); n > most.Load() {
			most.Store(n)
		}
		time.Sleep(2 * time.Millisecond)
		now.Add(-1)
		echo(w, r)
	})
	p, one := openPool(t, PoolOptions{Together: 2}, Address{URL: url})
	other := p.Server(Address{URL: url + "/", Deadline: time.Minute})
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if _, err := []*Server{one, other}[i%2].Chat(t.Context(), hello(fmt.Sprint(i)), nil); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if most.Load() != 2 {
		t.Errorf("%d at once", most.Load())
	}
	_, s := openPool(t, PoolOptions{Requests: 1}, Address{URL: url})
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	_, first := s.Chat(t.Context(), hello("a"), nil) // the next may ask in a minute
	if _, err := s.Chat(ctx, hello("b"), nil); first != nil || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, %v", first, err)
	}
}

// TestStream: pieces make the reply that would have come at once; one that was cut is asked for again.
func TestStream(t *testing.T) {
	const whole = ": wait\r\n\r\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}],\"usage\":null}\r\n\r\n" +
		"event: x\ndata: {\"choices\":[{\"index\":0,\"delta\":\ndata: {\"content\":\"Hé\"},\"logprobs\":{\"content\":[{\"token\":\"H\",\"logprob\":-1}]}},{\"index\":1,\"delta\":{\"content\":\"no\"}}]}\n\n" +
		"data:{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"length\"}]}\r\rdata: {\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":2}}\n\n"
	var n atomic.Int64
	url, _ := serveChat(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if !strings.Contains(string(body), `"stream":true,"stream_options":{"include_usage":true}`) {
			http.Error(w, "not asked for a stream", http.StatusBadRequest)
		}
		text := whole
		if n.Add(1) == 1 {
			text = whole[:300]
		}
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, text)
	})
	p, s := openPool(t, PoolOptions{}, Address{URL: url, Retries: 1})
	q := hello("x")
	q.Stream = true
	r, err := s.Chat(t.Context(), q, nil)
	if err != nil || r.Text != "Hé" || !r.Cut || len(r.Tokens) != 1 || r.Tokens[0].Logprob != -1 || n.Load() != 2 {
		t.Errorf("%+v, %v after %d", r, err, n.Load())
	}
	if got := p.Spent()["big"]; got.Prompt != 5 || got.Drawn != 2 {
		t.Errorf("spent %+v", got)
	}
	for stream, want := range map[string]string{
		whole[:300]:        "without a finish_reason",
		`{"choices":[]}`:   "no stream",
		"data: [DONE]\n\n": "no stream",
		"data: <html>\n\n": "no piece",
		"data: {\"error\":{\"message\":\"out of memory\"}}\n\n": "out of memory",
	} {
		if _, err := assemble([]byte(stream)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", stream, err, want)
		}
	}
}

// TestComplete: token ids go there and come back, and what cannot be true is no completion.
func TestComplete(t *testing.T) {
	asked := CompletionRequest{Model: "lora-1", Prompt: []int{1, 2}, MaxTokens: 3, Temperature: 1, Seed: 5}
	const fine = `{"model":"lora-1","choices":[{"token_ids":[4,5],"prompt_token_ids":[1,2],"logprobs":{"token_logprobs":[-0.5,0.0001]},"finish_reason":"length"}]}`
	url, _ := serveChat(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if want := `{"model":"lora-1","prompt":[1,2],"max_tokens":3,"temperature":1,"seed":5,"logprobs":0,"return_token_ids":true}`; string(body) != want || r.URL.Path != "/v1/completions" {
			http.Error(w, string(body), http.StatusBadRequest)
			return
		}
		io.WriteString(w, fine)
	})
	_, s := openPool(t, PoolOptions{}, Address{URL: url})
	got, err := s.Complete(t.Context(), asked)
	if err != nil || fmt.Sprint(got) != "{[4 5] [-0.5 0] true}" {
		t.Errorf("%+v, %v", got, err)
	}
	for _, c := range []struct{ old, lie, want string }{
		{`"lora-1"`, `"base"`, `model "base" replied, and "lora-1" was asked`},
		{`"token_ids":[4,5]`, `"text":"x"`, "no choices[0].token_ids"},
		{`[4,5]`, `[4,5,6,7]`, "4 tokens, and at most 3"},
		{`[4,5]`, `[4]`, "no log-probability for each of its 1"},
		{`[4,5]`, `[4,-5]`, "cannot be"},
		{`[1,2]`, `[1,3]`, "another prompt"},
		{`-0.5`, `null`, "cannot be"},
		{`-0.5`, `0.5`, "cannot be"},
		{`-0.5`, `-1e300`, "cannot be"},
		{`-0.5`, `NaN`, "no completion"},
		{`"length"`, `null`, "was cut"},
		{`[{"token`, `[{},{"token`, "2 choices"},
	} {
		if _, err := readCompletion([]byte(strings.Replace(fine, c.old, c.lie, 1)), asked); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for %s: %v, want %q", c.lie, c.old, err, c.want)
		}
	}
}

// TestTokenStaysAtHome: whatever a server says, the token goes to its own address alone.
func TestTokenStaysAtHome(t *testing.T) {
	elsewhere, asked := serveChat(t, echo)
	for _, status := range []int{301, 302, 303, 307, 308} {
		url, _ := serveChat(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer secret" {
				t.Errorf("came with %q", r.Header.Get("Authorization"))
			}
			http.Redirect(w, r, elsewhere+r.URL.Path, status)
		})
		_, s := openPool(t, PoolOptions{}, Address{URL: url, Key: "secret", Retries: 2})
		_, err := s.Chat(t.Context(), hello("x"), nil)
		_, other := s.Complete(t.Context(), CompletionRequest{Model: "m", Prompt: []int{1}, MaxTokens: 1})
		if err == nil || other == nil || !strings.Contains(err.Error(), "not followed") || strings.Contains(err.Error(), "secret") || asked.Load() != 0 {
			t.Errorf("%d: %v, %v; %d requests went elsewhere", status, err, other, asked.Load())
		}
	}
}

// FuzzEvents: whatever a stream holds, there is a reply that can be read, or an error.
func FuzzEvents(f *testing.F) {
	for _, text := range []string{
		"data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", "data:\r\rdata\n\n:\n\n", "\xef\xbb\xbfdata: {}\n\n",
		"data: {\"error\":{\"message\":1}}\n\n", "data: {\"choices\":[{\"logprobs\":{\"content\":[{\"logprob\":1e400}]}}]}\n\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		body, err := assemble(stream)
		if err != nil {
			return
		}
		if r, err := readChat(body); err == nil && (len(r.Text) > mostText || !utf8.ValidString(r.Text)) {
			t.Errorf("%d bytes, %.80q", len(r.Text), r.Text)
		}
	})
}

// FuzzReplies: whatever a server replies, it is an answer within its bounds or an error.
func FuzzReplies(f *testing.F) {
	f.Add([]byte(`{"choices":[{"message":{"content":"a"},"token_ids":[1],"logprobs":{"content":[{"logprob":-1}],"token_logprobs":[-1]},"finish_reason":"stop"}]}`))
	f.Add([]byte(`{"choices":[{}],"usage":{"prompt_tokens":-1}}`))
	f.Add([]byte(`{"error":{"message":"x"},"detail":[]}`))
	f.Add([]byte(`{"content":[{"type":"text","text":"a"}],"stop_reason":"max_tokens","usage":{"input_tokens":-1}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		if r, err := readChat(body); err == nil && (len(r.Text) > mostText || !utf8.ValidString(r.Text)) {
			t.Errorf("%.80q", r.Text)
		}
		c, err := readCompletion(body, CompletionRequest{MaxTokens: 3})
		if err == nil && (len(c.Tokens) == 0 || len(c.Tokens) > 3 || len(c.Logprobs) != len(c.Tokens)) {
			t.Errorf("%+v", c)
		}
		if chat, err := chatOf(body); err == nil {
			if _, err := readChat(chat); err != nil && !strings.Contains(err.Error(), "bytes, more than") {
				t.Errorf("%.80q: %v", body, err)
			}
		}
		if u := usageOf(body, 10); min(u.Prompt, u.Drawn) < 0 || max(u.Prompt, u.Drawn) > mostTokens {
			t.Errorf("%+v", u)
		}
	})
}
