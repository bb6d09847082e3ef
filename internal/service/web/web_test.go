package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// serve starts a server that answers its n-th request, counted from 1, with answer, and counts requests.
func serve(t *testing.T, answer func(n int, w http.ResponseWriter, r *http.Request)) (*Server, *atomic.Int64) {
	t.Helper()
	var count atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer(int(count.Add(1)), w, r)
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	server := New(s.URL, "", time.Minute, 2)
	server.Pause = time.Millisecond
	return server, &count
}

// post sends a request and returns the reply that was read.
func post(t *testing.T, s *Server) (reply string, err error) {
	t.Helper()
	err = s.Post(t.Context(), map[string]string{"question": "<&>"}, func(body []byte) error {
		reply = string(body)
		return nil
	})
	return reply, err
}

// TestPost: what is sent is JSON with the key as a bearer token, and what comes back is handed over as it is.
func TestPost(t *testing.T) {
	s, count := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %s %s", r.Method, r.Header.Get("Content-Type"), r.Header.Get("Authorization"), body)
	})
	const sent = `{"question":"\u003c\u0026\u003e"}`
	if got, err := post(t, s); err != nil || got != "POST application/json  "+sent {
		t.Errorf("%q, %v", got, err)
	}
	s.Key = "secret"
	if got, err := post(t, s); err != nil || got != "POST application/json Bearer secret "+sent || count.Load() != 2 {
		t.Errorf("%q, %v, %d requests", got, err, count.Load())
	}
	if err := s.Post(t.Context(), func() {}, nil); err == nil {
		t.Error("what is no JSON was sent")
	}
}

// TestRetries: what may pass is tried again, with the same body, and nothing else is.
func TestRetries(t *testing.T) {
	hangUp := func(w http.ResponseWriter) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			conn.Close()
		}
	}
	for name, c := range map[string]struct {
		fail  func(w http.ResponseWriter)
		tries int // where it fails for ever
		want  string
	}{
		"too many requests": {func(w http.ResponseWriter) { http.Error(w, "slower", http.StatusTooManyRequests) }, 3, "429 Too Many Requests: slower"},
		"server error":      {func(w http.ResponseWriter) { http.Error(w, "ouch", 500) }, 3, "500 Internal Server Error: ouch"},
		"not yet":           {func(w http.ResponseWriter) { w.WriteHeader(503) }, 3, "503 Service Unavailable"},
		"it hangs up":       {hangUp, 3, "EOF"},
		"it hangs up halfway": {func(w http.ResponseWriter) {
			w.Header().Set("Content-Length", "9")
			fmt.Fprint(w, "half")
			w.(http.Flusher).Flush()
			hangUp(w)
		}, 3, "EOF"},
		"unreadable":    {func(w http.ResponseWriter) { fmt.Fprint(w, "unreadable") }, 3, "no score"},
		"bad request":   {func(w http.ResponseWriter) { http.Error(w, "no such model", 400) }, 1, "400 Bad Request: no such model"},
		"forbidden":     {func(w http.ResponseWriter) { http.Error(w, "who are you?", http.StatusUnauthorized) }, 1, "401 Unauthorized: who are you?"},
		"nothing there": {func(w http.ResponseWriter) { w.WriteHeader(404) }, 1, "404 Not Found"},
		"no content":    {func(w http.ResponseWriter) { w.WriteHeader(204) }, 1, "204 No Content"},
	} {
		for _, failures := range []int{1, 100} {
			var bodies sync.Map
			s, count := serve(t, func(n int, w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				bodies.Store(string(body), true)
				if n <= failures {
					c.fail(w)
				} else {
					fmt.Fprint(w, "fine")
				}
			})
			err := s.Post(t.Context(), 7, func(reply []byte) error {
				if string(reply) != "fine" {
					return errors.New("no score")
				}
				return nil
			})
			tries := min(failures+1, c.tries)
			if fine := failures < c.tries; fine != (err == nil) || int(count.Load()) != tries {
				t.Errorf("%s, %d times: %v after %d requests", name, failures, err, count.Load())
			}
			if err != nil && (!strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), s.URL)) {
				t.Errorf("%s: error %q, want the server and %q", name, err, c.want)
			}
			bodies.Range(func(body, _ any) bool {
				if body != "7" {
					t.Errorf("%s: a request held %q", name, body)
				}
				return true
			})
		}
	}
}

// TestNobodyThere: without a server the error names it and says why.
func TestNobodyThere(t *testing.T) {
	s, _ := serve(t, func(int, http.ResponseWriter, *http.Request) {})
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	s.URL = gone.URL
	if _, err := post(t, s); err == nil || !strings.Contains(err.Error(), gone.URL) {
		t.Errorf("%v", err)
	}
	s.URL = "http://[::1"
	if _, err := post(t, s); err == nil || !strings.Contains(err.Error(), "missing ']'") {
		t.Errorf("%v", err)
	}
}

// TestDeadline: a server that says nothing, and one that trickles its reply, are left after the deadline, which is that of one try.
func TestDeadline(t *testing.T) {
	for name, slow := range map[string]func(w http.ResponseWriter, r *http.Request){
		"silent": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"trickling": func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				fmt.Fprint(w, " ")
				w.(http.Flusher).Flush()
				time.Sleep(5 * time.Millisecond)
			}
		},
	} {
		s, count := serve(t, func(n int, w http.ResponseWriter, r *http.Request) {
			_, _ = io.ReadAll(r.Body) // else the end of the connection is not noticed
			if n == 1 {
				slow(w, r)
			} else {
				fmt.Fprint(w, "fine")
			}
		})
		s.Deadline = 500 * time.Millisecond
		if got, err := post(t, s); err != nil || got != "fine" || count.Load() != 2 {
			t.Errorf("%s once: %q, %v after %d requests", name, got, err, count.Load())
		}
		count.Store(0)
		s.Retries = 0
		if _, err := post(t, s); err == nil || !strings.Contains(err.Error(), s.URL+": no answer within 500ms") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestEndOfContext: where the caller has no more time, that is the error, whatever the deadline, and nothing is tried again.
func TestEndOfContext(t *testing.T) {
	s, count := serve(t, func(_ int, _ http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		<-r.Context().Done()
	})
	late, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	if err := s.Post(late, 1, nil); !errors.Is(err, context.DeadlineExceeded) || strings.Contains(err.Error(), "1m0s") {
		t.Errorf("the caller's time is up: %v", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if err := s.Post(cancelled, 1, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("the caller cancels: %v", err)
	}
	if count.Load() != 2 {
		t.Errorf("%d requests", count.Load())
	}
	s.URL, s.Pause = "http://127.0.0.1:1", time.Hour
	cancelled, cancel = context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if err := s.Post(cancelled, 1, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("the caller cancels between two tries: %v", err)
	}
}

// TestLongReplies: a reply is read up to a bound, and one above it is an error that says so, not half a reply.
func TestLongReplies(t *testing.T) {
	size := longestReply
	s, count := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, strings.Repeat("x", size)) })
	if got, err := post(t, s); err != nil || len(got) != longestReply {
		t.Errorf("the longest reply: %d bytes, %v", len(got), err)
	}
	size++
	count.Store(0)
	if got, err := post(t, s); err == nil || got != "" || !strings.Contains(err.Error(), "more than 1048576 bytes") {
		t.Errorf("one byte more: %d bytes were read, %v", len(got), err)
	}
}

// TestEach: all are done, never more than so many at once.
func TestEach(t *testing.T) {
	var now, most atomic.Int64
	done := make([]atomic.Bool, 100)
	Each(len(done), Together, func(i int) {
		n := now.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		time.Sleep(time.Millisecond)
		now.Add(-1)
		done[i].Store(true)
	})
	for i := range done {
		if !done[i].Load() {
			t.Errorf("%d was not done", i)
		}
	}
	if most.Load() > Together || most.Load() < 2 {
		t.Errorf("%d at once, want up to %d", most.Load(), Together)
	}
}

// TestWords: what is wrong is said in the server's own words, in whichever of the forms they come.
func TestWords(t *testing.T) {
	for body, want := range map[string]string{
		`{"error":{"message":"too long","type":"x","code":400}}`: "400 Bad Request: too long",
		`{"object":"error","message":"flat","code":400}`:         "400 Bad Request: flat",
		`{"error":"a word"}`:                            "400 Bad Request: a word",
		`{"detail":"Not allowed"}`:                      "400 Bad Request: Not allowed",
		`{"detail":[{"loc":["body"],"msg":"missing"}]}`: `400 Bad Request: [{"loc":["body"],"msg":"missing"}]`,
		"<html><head><TITLE>502 Bad Gateway</TITLE></head><body>nginx</body></html>": "400 Bad Request: 502 Bad Gateway",
		"plain": "400 Bad Request: plain",
		"":      "400 Bad Request",
	} {
		s, _ := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			io.WriteString(w, body)
		})
		if _, err := post(t, s); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, want %q", body, err, want)
		}
	}
}

// TestLater: where a server may answer later, 202 is an empty reply; elsewhere it is none.
func TestLater(t *testing.T) {
	s, _ := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) })
	if _, err := post(t, s); err == nil || !strings.Contains(err.Error(), "202 Accepted") {
		t.Errorf("%v", err)
	}
	s.Later = true
	if got, err := post(t, s); err != nil || got != "" {
		t.Errorf("%q, %v", got, err)
	}
}
