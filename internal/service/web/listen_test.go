package web_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/service/web"
)

// quick are limits that a test can wait for.
var quick = web.ListenLimits{Head: 20 * time.Millisecond, Body: 20 * time.Millisecond, Rest: 10 * time.Millisecond, Answer: 300 * time.Millisecond, Idle: 20 * time.Millisecond}

// dial begins a request to a server of a handler.
func dial(t *testing.T, h http.HandlerFunc, request string) net.Conn {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	work, stop := context.WithCancel(t.Context())
	s := web.Listen(work, work, h, quick)
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { stop(); _ = s.Close() })
	c, err := net.Dial("tcp", l.Addr().String())
	if err == nil {
		_, err = io.WriteString(c, request)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetReadDeadline(time.Now().Add(20 * time.Second)) // a server that keeps it fails the test
	return c
}

const late = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{"

// TestSlow: a client that sends or reads nothing more is let go, with the answer where there is one.
func TestSlow(t *testing.T) {
	refuse := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }
	read := func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			w.WriteHeader(http.StatusRequestTimeout)
		}
	}
	for name, c := range map[string]struct {
		handler       http.HandlerFunc
		request, want string
	}{
		"no head":                      {refuse, "", ""},
		"half a head":                  {refuse, "GET / HTTP/1.1\r\nHost:", ""},
		"refused, half a body":         {refuse, late, "401 Unauthorized"},
		"refused, chunks":              {refuse, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{", "401 Unauthorized"},
		"half a body":                  {read, late, "408 Request Timeout"},
		"half a body that is not read": {func(http.ResponseWriter, *http.Request) {}, late, "200 OK"},
		"no next request":              {read, "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "200 OK"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := io.ReadAll(dial(t, c.handler, c.request))
			if err != nil && !strings.Contains(err.Error(), "reset") || !strings.Contains(string(got), c.want) {
				t.Errorf("%q, %v, want %q", got, err, c.want)
			}
		})
	}
}

// TestEnd: a server that ends waits for nobody who has not sent a whole request, however long it would have waited before.
func TestEnd(t *testing.T) {
	patient := web.ListenLimits{Head: time.Hour, Body: time.Hour, Rest: time.Hour, Answer: time.Hour, Idle: time.Hour}
	for name, request := range map[string]string{"silent": "", "a byte": "G", "half a head": "GET / HTTP/1.1\r\nHost:", "half a body": late, "no next request": "GET / HTTP/1.1\r\nHost: a\r\n\r\n"} {
		t.Run(name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			ctx, end := context.WithCancel(t.Context())
			s := web.Listen(ctx, t.Context(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				w.WriteHeader(http.StatusNoContent)
			}), patient)
			seen, once := make(chan struct{}), new(sync.Once)
			keep := s.ConnState
			s.ConnState = func(c net.Conn, state http.ConnState) {
				keep(c, state)
				switch {
				case state == http.StateActive && request == late, state == http.StateIdle, state == http.StateNew && !strings.HasSuffix(request, "\r\n\r\n") && request != late:
					once.Do(func() { close(seen) })
				}
			}
			go func() { _ = s.Serve(l) }()
			c, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if _, err := io.WriteString(c, request); err != nil {
				t.Fatal(err)
			}
			<-seen
			end()
			within, enough := context.WithTimeout(t.Context(), 4*time.Second) // net/http itself lets who is new go after 5 s
			defer enough()
			if err := s.Shutdown(within); err != nil {
				t.Error("it waits:", err)
			}
		})
	}
}

// TestDeaf: a client that reads nothing ends the work on its answer.
func TestDeaf(t *testing.T) {
	ended := make(chan error)
	dial(t, func(w http.ResponseWriter, _ *http.Request) {
		var err error
		for err == nil {
			_, err = w.Write(make([]byte, 1<<16))
		}
		ended <- err
	}, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	if err := <-ended; err == nil {
		t.Error("it still writes")
	}
}

// TestLong: work that takes longer than any limit is not cut where the client reads, nor is the request's context ended.
func TestLong(t *testing.T) {
	c := dial(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		for i := range 5 {
			select {
			case <-time.After(2 * quick.Body):
				fmt.Fprintln(w, i)
				_ = http.NewResponseController(w).Flush()
			case <-r.Context().Done():
			}
		}
	}, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n{")
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(r.Body); err != nil || string(got) != "0\n1\n2\n3\n4\n" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestKnows(t *testing.T) {
	for host, want := range map[string]bool{
		"127.0.0.1:80": true, "[::1]:80": true, "localhost": true, "LOCALHOST:1": true, "10.0.0.7": true, "here:80": true,
		"evil.example": false, "evil.example:80": false, "127.0.0.1.evil.example": false, "": false,
	} {
		if got := web.KnowsHost(host, "here"); got != want {
			t.Errorf("%q: %v", host, got)
		}
	}
}
