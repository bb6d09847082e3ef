package servecmd

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// serveAnswers answers requests with f until the test ends.
func serveAnswers(t *testing.T, f http.HandlerFunc) *server {
	t.Helper()
	h := httptest.NewServer(f)
	t.Cleanup(h.Close)
	s, err := newServer(h.URL, "secret")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// heard is what a listener was told.
func heard(t *testing.T, s *server) (reply Reply, thought, said string, err error) {
	t.Helper()
	reply, err = s.Chat(t.Context(), Request{Model: "m", Messages: []message{{"user", "hi"}}}, listener{
		Reason: func(text string) error { thought += text; return nil },
		Say:    func(text string) error { said += text; return nil },
	})
	return reply, thought, said, err
}

func delta(fields string) string {
	return `data: {"choices":[{"index":0,"delta":{` + fields + `}}]}` + "\n\n"
}

const finished = `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}` + "\n\n"

// TestChat: comments, both spellings of reasoning, other choices, usage, and lines that end with CR LF.
func TestChat(t *testing.T) {
	s := serveAnswers(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Header.Get("Authorization") != "Bearer secret" || r.URL.Path != "/v1/chat/completions" || !strings.Contains(string(body), `"stream":true`) || strings.Contains(string(body), "temperature") {
			t.Errorf("%v %s: %s", r.URL, r.Header.Get("Authorization"), body)
		}
		for _, text := range []string{
			": keep-alive\n\n", "event: x\ndata: {\"choices\":[]}\n\n", delta(`"role":"assistant","content":""`), delta(`"reasoning_content":"Hm","reasoning":"Hm"`), delta(`"reasoning":"m."`),
			strings.ReplaceAll(delta(`"content":"Four"`), "\n", "\r\n"), `data: {"choices":[{"index":1,"delta":{"content":"Five"}}]}` + "\n\n", "data: {\"choices\":\ndata: [{\"delta\":{\"content\":\".\"}}]}\n\n",
			`data: {"choices":[{"index":0,"delta":{},"finish_reason":"length"}],"usage":null}` + "\n\n", `data: {"choices":[],"usage":{"completion_tokens":7}}` + "\n\n", "data: [DONE]\n\n",
		} {
			fmt.Fprint(w, text)
		}
	})
	reply, thought, said, err := heard(t, s)
	if err != nil || thought != "Hmm." || said != "Four." || reply != (Reply{"Four.", 7, true}) {
		t.Errorf("%+v, %q, %q, %v", reply, thought, said, err)
	}
}

// TestHostile: a server that floods, stalls, cuts, lies or refuses. What came before is kept.
func TestHostile(t *testing.T) {
	begun := delta(`"content":"Fo"`)
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"floods with text": {func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, begun)
			for piece := delta(`"content":"` + strings.Repeat("x", 1<<16) + `"`); ; {
				if _, err := fmt.Fprint(w, piece); err != nil {
					return
				}
			}
		}, "has more than 16777216 bytes"},
		"floods with a line": {func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, begun, "data: ")
			for {
				if _, err := fmt.Fprint(w, strings.Repeat("x", 1<<16)); err != nil {
					return
				}
			}
		}, "token too long"},
		"floods with an event": {func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, begun)
			for {
				if _, err := fmt.Fprint(w, "data: ", strings.Repeat("x", 1<<16), "\n"); err != nil {
					return
				}
			}
		}, "an event of the server has more than"},
		"stalls": {func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, begun)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, "silent for too long"},
		"cuts the connection": {func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, begun)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, "cut off: unexpected EOF"},
		"ends without a reason": {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, begun, "data: [DONE]\n\n") }, "did not say that it ends"},
		"ends within an event":  {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, begun, strings.TrimSpace(finished)) }, "did not say that it ends"},
		"says no JSON":          {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, begun, "data: \x1b[2Jyes\n\n") }, "no piece of an answer"},
		"says a wrong type":     {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, begun, delta(`"content":7`)) }, "no piece of an answer"},
		"fails in mid-stream": {func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, begun, `data: {"error":{"message":"out of paper"}}`+"\n\n")
		}, "broke off: out of paper"},
		"fails with a text": {func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, begun, `data: {"error":"out of paper"}`+"\n\n")
		}, "broke off: out of paper"},
		"refuses":        {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, `{"error":{"message":"no"}}`, 400) }, "400 Bad Request: no"},
		"refuses flatly": {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, `{"object":"error","message":"no"}`, 400) }, "400 Bad Request: no"},
		"refuses with a detail": {func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, `{"detail":"no"}`, http.StatusUnprocessableEntity)
		}, "422 Unprocessable Entity: no"},
		"refuses in HTML": {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "<html>no</html>", http.StatusBadGateway) }, "502 Bad Gateway: <html>no</html>"},
		"leads elsewhere": {func(w http.ResponseWriter, _ *http.Request) {
			http.Redirect(w, &http.Request{}, "http://elsewhere.example/", http.StatusTemporaryRedirect)
		}, `redirects to "http://elsewhere.example/"`},
		"answers without a stream": {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"choices":[]}`) }, "did not say that it ends"},
	} {
		s := serveAnswers(t, c.answer)
		s.silence = 50 * time.Millisecond
		if name != "stalls" {
			s.silence = time.Minute
		}
		reply, _, said, err := heard(t, s)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
		if !strings.HasPrefix(reply.Text, said[:min(2, len(said))]) {
			t.Errorf("%s: %q, told %q", name, reply.Text, said)
		}
	}
}

// TestBusy: a server that is full for a moment is asked again.
func TestBusy(t *testing.T) {
	tries := 0
	s := serveAnswers(t, func(w http.ResponseWriter, _ *http.Request) {
		if tries++; tries < 2 {
			http.Error(w, "{}", http.StatusTooManyRequests)
			return
		}
		fmt.Fprint(w, finished)
	})
	if _, _, _, err := heard(t, s); err != nil || tries != 2 {
		t.Errorf("%v after %d tries", err, tries)
	}
	mine := errors.New("mine")
	s = serveAnswers(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, delta(`"content":"x"`), finished) })
	if _, err := s.Chat(t.Context(), Request{}, listener{Say: func(string) error { return mine }}); !errors.Is(err, mine) {
		t.Errorf("error %v of who listens", err)
	}
}

// TestModels lists what is served, under addresses of several forms.
func TestModels(t *testing.T) {
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"data":[{"id":%q},{"id":"b"}]}`, r.URL.Path)
	}))
	t.Cleanup(h.Close)
	for path, want := range map[string]string{"": "/v1/models", "/": "/v1/models", "/v1": "/v1/models", "/api/openai/v1/": "/api/openai/v1/models"} {
		s, err := newServer(h.URL+path, "")
		if err != nil {
			t.Fatal(err)
		}
		if names, err := s.Models(t.Context()); err != nil || fmt.Sprint(names) != "["+want+" b]" {
			t.Errorf("%q: %v, %v", path, names, err)
		}
	}
	for _, address := range []string{"", "127.0.0.1:8000", "ftp://a", "http://", "http://u:p@a", "http://a?x=1", "http://a#x", "http://a b"} {
		if _, err := newServer(address, ""); err == nil {
			t.Errorf("%q is an address", address)
		}
	}
}

// FuzzEvents: no stream makes the reader fail other than by an error, or tell more than it has.
func FuzzEvents(f *testing.F) {
	for _, seed := range []string{delta(`"content":"x"`) + finished, "data: [DONE]\n\n", ": x\r\n\r\ndata:{}\r\n\r\n", "data: {\"choices\":\ndata: []}\n\n", `data: {"error":{"message":"x"}}` + "\n\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, stream string) {
		told := 0
		hear := func(l listener) (Reply, error) { return hear(strings.NewReader(stream), l) }
		count := func(text string) error { told += len(text); return nil }
		reply, err := hear(listener{Reason: count, Say: count})
		// A broken character of the server's becomes one of three bytes.
		if told > 3*len(stream) || len(reply.Text) > told {
			t.Errorf("%q: %+v, %v, told %d bytes", stream, reply, err, told)
		}
	})
}
