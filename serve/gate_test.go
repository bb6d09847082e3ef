package serve

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

const token = "secret"

// listen serves a route /work that does f, until the test ends.
func serves(t *testing.T, o GateOptions, f func(ctx context.Context) error) (*Gate, string) {
	t.Helper()
	o.Token, o.MaxBody, o.Working, o.Waiting = token, cmp.Or(o.MaxBody, 100), 1, 4
	g := NewGate([]Model{{ID: "m"}}, o)
	h := httptest.NewUnstartedServer(g.Handler(
		Route{Method: http.MethodPost, Path: "/work", Answer: func(w http.ResponseWriter, r *http.Request) *Failure {
			return g.Work(r, "", func(ctx context.Context) error {
				err := f(ctx)
				if err == nil {
					WriteJSON(w, http.StatusOK, "done")
				}
				return err
			})
		}},
		Route{Method: http.MethodPost, Path: "/own", Answer: func(http.ResponseWriter, *http.Request) *Failure { return Bad("x", "no") }, Refuse: func(w http.ResponseWriter, f *Failure) {
			WriteJSON(w, f.Status, f.Message)
		}},
	))
	h.Config.ErrorLog = log.New(io.Discard, "", 0)
	h.Start()
	t.Cleanup(h.Close)
	return g, h.URL
}

// send asks, with the token where auth is true.
func send(t *testing.T, method, url string, auth bool, header ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if auth {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(body)
}

func fine(context.Context) error { return nil }

// TestWhoIsLetIn: health and readiness need no token, metrics do where others than this machine can ask, and all else does. Every answer has a
// name, and a wrong method says the right one.
func TestWhoIsLetIn(t *testing.T) {
	for _, loopback := range []bool{true, false} {
		_, url := serves(t, GateOptions{Loopback: loopback}, fine)
		metrics := map[bool]int{true: 200, false: 401}[loopback]
		for _, c := range []struct {
			method, path string
			auth         bool
			status       int
		}{
			{"GET", "/health", false, 200},
			{"HEAD", "/health", false, 200},
			{"POST", "/health", false, 405},
			{"GET", "/ready", false, 200},
			{"GET", "/metrics", false, metrics},
			{"GET", "/metrics", true, 200},
			{"POST", "/metrics", true, 405},
			{"POST", "/work", false, 401},
			{"POST", "/work", true, 200},
			{"GET", "/work", true, 405},
			{"GET", "/nothing", false, 401},
			{"GET", "/nothing", true, 404},
			{"POST", "/own", true, 400},
		} {
			answer, body := send(t, c.method, url+c.path, c.auth)
			if answer.StatusCode != c.status || answer.Header.Get("x-request-id") == "" {
				t.Errorf("%s %s, token: %v, loopback: %v: %d, want %d, named %q", c.method, c.path, c.auth, loopback, answer.StatusCode, c.status, answer.Header.Get("x-request-id"))
			}
			if c.status == 405 && answer.Header.Get("Allow") == "" || c.status == 401 && answer.Header.Get("WWW-Authenticate") != "Bearer" {
				t.Errorf("%s %s: headers %v", c.method, c.path, answer.Header)
			}
			if kind := answer.Header.Get("Content-Type"); c.path != "/metrics" && kind != "application/json" || c.path == "/own" && body != "\"no\"\n" {
				t.Errorf("%s %s: %s, %s", c.method, c.path, kind, body)
			}
			if kind := answer.Header.Get("Content-Type"); c.path == "/metrics" && c.status == 200 && kind != "text/plain; version=0.0.4; charset=utf-8" {
				t.Errorf("metrics are %s", kind)
			}
		}
	}
}

// TestLimitFirst: a body over the limit is refused as such, whether or not its sender may ask, and whether or not its length is said.
// Only then does the sender hear of the token.
func TestLimitFirst(t *testing.T) {
	_, url := serves(t, GateOptions{}, fine)
	for _, c := range []struct {
		size   int
		said   bool // the length
		auth   bool
		status int
	}{
		{101, true, false, 413},
		{101, true, true, 413},
		{101, false, false, 413},
		{1 << 20, false, false, 413},
		{100, true, false, 401},
		{100, false, false, 401},
		{100, false, true, 200},
		{0, false, false, 401},
	} {
		body := io.LimitReader(strings.NewReader(strings.Repeat(" ", c.size)), int64(c.size)) // whose length http cannot know
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/work", body)
		if err != nil {
			t.Fatal(err)
		}
		if c.said {
			req.ContentLength = int64(c.size)
		}
		if c.auth {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		answer, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		answer.Body.Close()
		if answer.StatusCode != c.status {
			t.Errorf("%+v: %d", c, answer.StatusCode)
		}
	}
}

// TestLingers: a client that sends all of a body before it reads anything hears that it is too large, and not of a broken connection.
func TestLingers(t *testing.T) {
	const size = 12 << 20 // more than connections hold by themselves
	_, url := serves(t, GateOptions{MaxBody: size / 4}, fine)
	for _, body := range []string{
		fmt.Sprintf("Content-Length: %d\r\n\r\n%s", size, strings.Repeat(" ", size)),
		fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", size, strings.Repeat(" ", size)),
	} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, "POST /work HTTP/1.1\r\nHost: x\r\n"+body); err != nil {
			t.Errorf("%.30q: %v", body, err)
		}
		if answer, err := bufio.NewReader(conn).ReadString('\n'); answer != "HTTP/1.1 413 Request Entity Too Large\r\n" {
			t.Errorf("%.30q: %q, %v", body, answer, err)
		}
	}
}

// TestOrigins: pages of other servers may ask where the user wants it, and only then. Their question whether they may carries no token.
func TestOrigins(t *testing.T) {
	const page = "https://chat.example"
	for name, c := range map[string]struct {
		origins []string
		status  int
		allowed string
	}{
		"off": {nil, 401, ""}, "another": {[]string{"https://other.example"}, 401, ""}, "this": {[]string{page}, 204, page}, "all": {[]string{"*"}, 204, page},
	} {
		_, url := serves(t, GateOptions{Origins: c.origins}, fine)
		asked, _ := send(t, "OPTIONS", url+"/work", false, "Origin", page, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization,content-type")
		if asked.StatusCode != c.status || asked.Header.Get("Access-Control-Allow-Origin") != c.allowed || c.allowed != "" && asked.Header.Get("Access-Control-Allow-Headers") != "authorization,content-type" {
			t.Errorf("%s: %d, %v", name, asked.StatusCode, asked.Header)
		}
		if answer, _ := send(t, "POST", url+"/work", true, "Origin", page); answer.StatusCode != 200 || answer.Header.Get("Access-Control-Allow-Origin") != c.allowed {
			t.Errorf("%s: %d, %v", name, answer.StatusCode, answer.Header)
		}
		if answer, _ := send(t, "POST", url+"/work", false, "Origin", page); answer.StatusCode != 401 {
			t.Errorf("%s, no token: %d", name, answer.StatusCode)
		}
	}
}

// TestFailingWork: a mistake of the server is 500, a panic too, and what takes too long is 503 and not to be tried again. Room is free afterwards.
func TestFailingWork(t *testing.T) {
	for name, c := range map[string]struct {
		work   func(context.Context) error
		status int
		retry  string
	}{
		"error": {func(context.Context) error { return errors.New("out of paper") }, 500, ""},
		"panic": {func(context.Context) error { panic("out of paper") }, 500, ""},
		"long":  {func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, 503, "false"},
	} {
		g, url := serves(t, GateOptions{Longest: 20 * time.Millisecond}, c.work)
		for range 2 {
			answer, body := send(t, "POST", url+"/work", true)
			if answer.StatusCode != c.status || answer.Header.Get("x-should-retry") != c.retry || !strings.Contains(body, `"type":"server_error"`) {
				t.Errorf("%s: %d, %v, %s", name, answer.StatusCode, answer.Header, body)
			}
		}
		for begun := time.Now(); ; time.Sleep(time.Millisecond) {
			if working, _ := g.Counts(); working == 0 {
				break
			}
			if time.Since(begun) > time.Minute {
				t.Fatalf("%s: its place is never free", name)
			}
		}
	}
}

// TestCounts: the page of metrics has the names that other servers give what is counted here, counters end in _total, and no label holds a client's words.
func TestCounts(t *testing.T) {
	_, url := serves(t, GateOptions{Loopback: true}, fine)
	send(t, "POST", url+"/work", true)
	send(t, "GET", url+"/whatever-a-client-writes?q=x", true)
	_, page := send(t, "GET", url+"/metrics", false)
	for _, want := range []string{
		"# TYPE parley_time_to_first_token_seconds histogram\n", "parley_e2e_request_latency_seconds_count 1\n", "parley_num_requests_running 0\n", "parley_num_requests_waiting 0\n",
		"parley_prompt_tokens_total 0\n", "parley_generation_tokens_total 0\n", "parley_requests_total{route=\"/work\",code=\"200\"} 1\n", "parley_requests_total{route=\"unknown\",code=\"404\"} 1\n",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in\n%s", want, page)
		}
	}
	for _, line := range strings.Split(page, "\n") {
		if name, ok := strings.CutPrefix(line, "# TYPE "); ok && strings.HasSuffix(name, " counter") != strings.HasSuffix(name, "_total counter") {
			t.Errorf("%s", line)
		}
	}
	if strings.Contains(page, "whatever") {
		t.Errorf("a client's words are in\n%s", page)
	}
}

// TestClients: clients are told apart by what they call their users, else by their address without the port.
func TestClients(t *testing.T) {
	for _, c := range [][3]string{{"", "10.0.0.7:1", "10.0.0.7"}, {"", "[2001:db8::1]:5000", "2001:db8::1"}, {"ann", "10.0.0.7:1", "ann"}, {"", "pipe", "pipe"}} {
		if got := client(&http.Request{RemoteAddr: c[1]}, c[0]); got != c[2] {
			t.Errorf("user %q at %s is %q, want %q", c[0], c[1], got, c[2])
		}
	}
}
