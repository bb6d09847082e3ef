package web

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// raw starts a server that reads a request and then writes whatever it likes to the connection.
func raw(t *testing.T, answer func(conn net.Conn)) (address string, connections *atomic.Int64) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	connections = new(atomic.Int64)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			connections.Add(1)
			go func() {
				defer conn.Close()
				_, _ = conn.Read(make([]byte, 64<<10))
				answer(conn)
			}()
		}
	}()
	return "http://" + l.Addr().String(), connections
}

// endless writes a text again and again, until the other side is gone.
func endless(text string, pause time.Duration) func(net.Conn) {
	return func(conn net.Conn) {
		for {
			if _, err := io.WriteString(conn, text); err != nil {
				return
			}
			time.Sleep(pause)
		}
	}
}

func after(first string, then func(net.Conn)) func(net.Conn) {
	return func(conn net.Conn) {
		if _, err := io.WriteString(conn, first); err == nil {
			then(conn)
		}
	}
}

func closes(net.Conn) {}

func resets(conn net.Conn) { _ = conn.(*net.TCPConn).SetLinger(0) }

// packed is a body of so many zeros.
func packed(size int) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(make([]byte, size))
	_ = w.Close()
	return b.String()
}

const okay = "HTTP/1.1 200 OK\r\n"

// TestHostileServers: whatever a server does, a request ends within its deadline, with an error that is short and says what happened, and
// what was read never exceeds its bound.
func TestHostileServers(t *testing.T) {
	empty := packed(0)
	for name, c := range map[string]struct {
		answer func(net.Conn)
		want   string
	}{
		"drips its head":         {endless("HTTP", 5*time.Millisecond), "no answer within 300ms"},
		"drips headers":          {after(okay, endless("X-A: b\r\n", 5*time.Millisecond)), "no answer within 300ms"},
		"endless headers":        {after(okay, endless("X-A: "+strings.Repeat("b", 1000)+"\r\n", 0)), "exceeded"},
		"one endless header":     {after(okay+"X-A: ", endless(strings.Repeat("b", 1000), 0)), "exceeded"},
		"endless promises":       {endless("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n", 0), ""},
		"drips its body":         {after(okay+"Content-Length: 1000\r\n\r\n", endless(" ", 5*time.Millisecond)), "no answer within 300ms"},
		"endless body":           {after(okay+"\r\n", endless(strings.Repeat("1", 1000), 0)), "more than 1048576 bytes"},
		"endless chunks":         {after(okay+"Transfer-Encoding: chunked\r\n\r\n", endless("3e8\r\n"+strings.Repeat("1", 1000)+"\r\n", 0)), "more than 1048576 bytes"},
		"tiny chunks":            {after(okay+"Transfer-Encoding: chunked\r\n\r\n", endless("1;"+strings.Repeat("x", 1000)+"\r\n1\r\n", 0)), "chunked"},
		"endless trailers":       {after(okay+"Transfer-Encoding: chunked\r\n\r\n1\r\n1\r\n0\r\n", endless("X-A: b\r\n", 0)), "trailer"},
		"a bomb":                 {after(okay+"Content-Encoding: gzip\r\n\r\n"+packed(200<<20), closes), "more than 1048576 bytes"},
		"endless empty packages": {after(okay+"Content-Encoding: gzip\r\n\r\n", endless(strings.Repeat(empty, 100), 0)), "more than 1048576 bytes"},
		"no package":             {after(okay+"Content-Encoding: gzip\r\n\r\n1", closes), "unpack the reply"},
		"strange package":        {after(okay+"Content-Encoding: br\r\n\r\n1", closes), `packed as "br"`},
		"too short":              {after(okay+"Content-Length: 100\r\n\r\n0.5", closes), "unexpected EOF"},
		"two lengths":            {after(okay+"Content-Length: 1\r\nContent-Length: 3\r\n\r\n0.5", closes), "Content-Length"},
		"negative length":        {after(okay+"Content-Length: -3\r\n\r\n0.5", closes), "Content-Length"},
		"resets":                 {resets, "reset"},
		"resets in its body":     {after(okay+"Content-Length: 100\r\n\r\n0.5", resets), ""},
		"malformed header":       {after(okay+strings.Repeat("x\x1b", 50_000)+"\r\n\r\n", closes), "malformed"},
		"no UTF-8":               {after(okay+"\r\n\"caf\xc3\"", closes), "it is not UTF-8"},
		"half a character":       {after(okay+"\r\n"+`"\ud83d"`, closes), "half of a surrogate pair"},
		"no HTTP":                {after("SSH-2.0-OpenSSH\r\n", closes), "malformed"},
		"endless error":          {after("HTTP/1.1 400 "+strings.Repeat("x", 100_000)+"\r\n\r\n", endless("no \x1b[2J", 0)), "400 Bad Request: no �[2J"},
	} {
		t.Run(name, func(t *testing.T) {
			address, _ := raw(t, c.answer)
			s := New(address, "", 300*time.Millisecond, 1)
			if strings.Contains(name, "endless") || name == "a bomb" {
				s.Deadline, s.Retries = time.Minute, 0 // a bound ends it, not the time
			}
			s.Pause = time.Millisecond
			got, err := post(t, s)
			if err == nil || got != "" || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), address) {
				t.Fatalf("%q, %.300v, want an error with %q", got, err, c.want)
			}
			if len(err.Error()) > 7000 || strings.Contains(err.Error(), "\x1b") {
				t.Errorf("an error of %d bytes: %.300q", len(err.Error()), err)
			}
		})
	}
}

// TestDeafServer: one that does not read a long request is left after the deadline.
func TestDeafServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	s := New("http://"+l.Addr().String(), "", 300*time.Millisecond, 0)
	if err := s.Post(t.Context(), strings.Repeat("x", longestRequest-2), nil); err == nil || !strings.Contains(err.Error(), "no answer within 300ms") {
		t.Errorf("%v", err)
	}
	if err := s.Post(t.Context(), strings.Repeat("x", longestRequest), nil); err == nil || !strings.Contains(err.Error(), "expected at most 16777216") {
		t.Errorf("%v", err)
	}
}

// TestLongerThanItsLength: bytes behind the length that a server names belong to no reply, the next one neither.
func TestLongerThanItsLength(t *testing.T) {
	log.SetOutput(io.Discard) // where net/http tells of such bytes
	t.Cleanup(func() { log.SetOutput(os.Stderr) })
	address, _ := raw(t, after(okay+"Content-Length: 3\r\n\r\n0.5"+okay+"Content-Length: 3\r\n\r\n9.9", closes))
	s := New(address, "", time.Minute, 2)
	s.Pause = time.Millisecond
	for range 3 {
		if got, err := post(t, s); got != "0.5" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	}
}

// TestPackedReplies: what comes packed without being asked for is unpacked.
func TestPackedReplies(t *testing.T) {
	s, _ := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "" {
			t.Errorf("asked for %q", r.Header.Get("Accept-Encoding"))
		}
		w.Header().Set("Content-Encoding", "GZIP")
		z := gzip.NewWriter(w)
		fmt.Fprint(z, "0.5")
		z.Close()
	})
	if got, err := post(t, s); got != "0.5" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// TestPostIsNotRedirected: a redirect is an error that names where it leads; nothing is sent there, and it is no reply.
func TestPostIsNotRedirected(t *testing.T) {
	elsewhere, asked := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "1") })
	for _, status := range []int{300, 301, 302, 303, 304, 305, 307, 308} {
		s, count := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", elsewhere.URL+"/other\u0085"+strings.Repeat("x", 10_000))
			w.WriteHeader(status)
			fmt.Fprint(w, "1")
		})
		s.Key = "secret"
		got, err := post(t, s)
		if got != "" || err == nil || !strings.Contains(err.Error(), fmt.Sprint(status)) || !strings.Contains(err.Error(), `redirects to "`+elsewhere.URL+"/other") || len(err.Error()) > 1000 {
			t.Errorf("%d: %q, %v", status, got, err)
		}
		if asked.Load() != 0 || count.Load() != 1 {
			t.Errorf("%d: %d requests went elsewhere, %d to the server", status, asked.Load(), count.Load())
		}
	}
}

// TestRedirect: which questions are asked elsewhere, and whether the token comes along.
func TestRedirect(t *testing.T) {
	for _, c := range []struct {
		method string
		path   []string // addresses, from the first
		token  bool
		want   string // of the error
	}{
		{"GET", []string{"https://a/x", "https://a/y"}, true, ""},
		{"GET", []string{"https://a/x", "https://A:443/y"}, true, ""},
		{"HEAD", []string{"http://a/x", "http://a:80/y"}, true, ""},
		{"GET", []string{"https://a/x", "https://b/y"}, false, ""},
		{"GET", []string{"https://a/x", "https://sub.a/y"}, false, ""},
		{"GET", []string{"https://a/x", "https://a:8443/y"}, false, ""},
		{"GET", []string{"http://a/x", "https://a/y"}, false, ""},
		{"GET", []string{"http://a:443/x", "https://a/y"}, false, ""},
		{"GET", []string{"https://a/x", "https://b/y", "https://a/z"}, false, ""},
		{"GET", []string{"https://a/x", "http://a/y"}, true, "from https to http"},
		{"GET", []string{"http://a/x", "https://a/y", "http://a/z"}, true, "from https to http"},
		{"GET", []string{"https://a/x", "file:///etc/passwd"}, true, "from https to file"},
		{"GET", strings.Split(strings.Repeat("https://a/x ", 12), " ")[:12], true, "more than 10 redirects"},
		{"GET", strings.Split(strings.Repeat("https://a/x ", 11), " ")[:11], true, ""},
		{"POST", []string{"https://a/x", "https://a/y"}, true, "use last response"},
		{"PUT", []string{"https://a/x", "https://a/y"}, true, "use last response"},
	} {
		var via []*http.Request
		for _, address := range c.path {
			r, err := http.NewRequest(c.method, address, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer x")
			r.Header.Set(KeyHeader, "x")
			via = append(via, r)
		}
		r := via[len(via)-1]
		err := Redirect(r, via[:len(via)-1])
		if (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) || (r.Header.Get("Authorization") != "") != c.token || (r.Header.Get(KeyHeader) != "") != c.token {
			t.Errorf("%s %q: %v, token %q, key %q", c.method, c.path, err, r.Header.Get("Authorization"), r.Header.Get(KeyHeader))
		}
	}
}

// TestRedirectedToken: over the wire, a token reaches its own server only, however requests are led about.
func TestRedirectedToken(t *testing.T) {
	var home, other *httptest.Server
	var tokens []string
	note := func(r *http.Request) { tokens = append(tokens, r.URL.Path+" "+r.Header.Get("Authorization")) }
	home = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		note(r)
		switch r.URL.Path {
		case "/first":
			http.Redirect(w, r, "/second", http.StatusFound)
		case "/second":
			http.Redirect(w, r, other.URL+"/third", http.StatusTemporaryRedirect)
		}
	}))
	other = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		note(r)
		http.Redirect(w, r, home.URL+"/fourth", http.StatusMovedPermanently)
	}))
	defer home.Close()
	defer other.Close()
	r, err := http.NewRequest(http.MethodGet, home.URL+"/first", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer x")
	answer, err := NewClient(time.Minute).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if got := strings.Join(tokens, ", "); got != "/first Bearer x, /second Bearer x, /third , /fourth " {
		t.Error(got)
	}
}

// TestAsked: how long a server asks to be left alone.
func TestAsked(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	date := func(later time.Duration) string { return at.Add(later).Format(http.TimeFormat) }
	for text, want := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, "0": 0, "-1": 0, "1.5": 0, "soon": 0, "NaN": 0,
		"120": 2 * time.Minute, "121": longestAsked, "99999999999999999999999": longestAsked,
		date(30 * time.Second): 30 * time.Second, date(-time.Hour): 0, date(time.Hour): longestAsked,
		"Fri, 31 Dec 9999 23:59:59 GMT": longestAsked, "Mon, 01 Jan 0001 00:00:00 GMT": 0,
	} {
		answer := &http.Response{Header: http.Header{"Retry-After": {text}, "Date": {date(0)}}}
		if got := Asked(answer); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	answer := &http.Response{Header: http.Header{"Retry-After": {time.Now().Add(time.Minute).UTC().Format(http.TimeFormat)}}}
	if got := Asked(answer); got < 50*time.Second || got > time.Minute {
		t.Errorf("without the server's clock: %v", got)
	}
}

// TestAskedIsKept: a request is not made again before the time that a busy server asks for.
func TestAskedIsKept(t *testing.T) {
	for _, status := range []int{429, 503} {
		var first, second time.Time
		s, _ := serve(t, func(n int, w http.ResponseWriter, _ *http.Request) {
			if n == 1 {
				first = time.Now()
				w.Header().Set("Retry-After", "1")
				w.WriteHeader(status)
				return
			}
			second = time.Now()
			fmt.Fprint(w, "fine")
		})
		if got, err := post(t, s); err != nil || got != "fine" || second.Sub(first) < time.Second {
			t.Errorf("%d: %q, %v, asked again after %v", status, got, err, second.Sub(first))
		}
	}
}

// TestPause: pauses double up to a bound, and chance takes up to a half.
func TestPause(t *testing.T) {
	for failures, most := range map[int]time.Duration{1: time.Second, 2: 2 * time.Second, 3: 4 * time.Second, 7: longestPause, 100: longestPause, 1 << 30: longestPause} {
		least, greatest := time.Hour, time.Duration(0)
		for range 1000 {
			p := Pause(time.Second, failures)
			least, greatest = min(least, p), max(greatest, p)
		}
		if least < most/2 || greatest > most || greatest-least < most/3 {
			t.Errorf("after %d failures between %v and %v, want %v to %v", failures, least, greatest, most/2, most)
		}
	}
	if p := Pause(0, 5); p != 0 {
		t.Errorf("%v", p)
	}
}

// TestSecretsInAddresses: errors name the server, without what may be secret in its address.
func TestSecretsInAddresses(t *testing.T) {
	for _, address := range []string{"http://user:hunter2@127.0.0.1:1/reward?key=hunter2#hunter2", "http://u:hunter2@[::1/x"} {
		_, err := post(t, New(address, "hunter2", time.Second, 0))
		if err == nil || strings.Contains(err.Error(), "hunter2") || strings.Contains(address, "reward") && !strings.Contains(err.Error(), "http://127.0.0.1:1/reward: ") {
			t.Errorf("%v", err)
		}
	}
}

// TestMain makes the test's own binary a program that asks a server, for [TestProxy].
func TestMain(m *testing.M) {
	address := os.Getenv("TEST_ASK")
	if address == "" {
		os.Exit(m.Run())
	}
	answer, err := NewClient(time.Minute).Get(address)
	if err != nil {
		fmt.Print(err)
		os.Exit(1)
	}
	body, _ := Read(answer, 100)
	fmt.Printf("%s", body)
}

// TestProxy: the proxy of the environment is used, and not for what NO_PROXY names.
func TestProxy(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "proxy: %s %s", r.Method, r.RequestURI) }))
	defer proxy.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ask := func(address string) string {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), "TEST_ASK="+address, "HTTP_PROXY="+proxy.URL, "HTTPS_PROXY="+proxy.URL, "NO_PROXY=none.invalid")
		out, _ := cmd.Output()
		return string(out)
	}
	if got := ask("http://some.invalid/x"); got != "proxy: GET http://some.invalid/x" {
		t.Errorf("http: %q", got)
	}
	if got := ask("https://some.invalid/x"); !strings.Contains(got, "server gave HTTP response to HTTPS client") {
		t.Errorf("https through a proxy that answers in its own name: %q", got)
	}
	if got := ask("http://none.invalid/x"); strings.Contains(got, "proxy") {
		t.Errorf("without the proxy: %q", got)
	}
}

// FuzzRead: whatever the bytes of an answer, a body is within its bound and a failure is short and printable.
func FuzzRead(f *testing.F) {
	f.Add([]byte("1"), "gzip", "x", 200)
	f.Add([]byte(packed(1000)), "gzip", "", 503)
	f.Add([]byte("\x1b\xff"), "", "http://a/\x00", 302)
	f.Fuzz(func(t *testing.T, body []byte, encoding, location string, status int) {
		answer := func() *http.Response {
			return &http.Response{StatusCode: status, Body: io.NopCloser(bytes.NewReader(body)), Header: http.Header{
				"Content-Encoding": {encoding}, "Location": {location}, "Retry-After": {location}, "Date": {encoding},
			}}
		}
		data, err := Read(answer(), 100)
		if len(data) > 100 || encoding == "" && len(body) <= 100 && (err != nil || !bytes.Equal(data, body)) {
			t.Errorf("%d bytes, %v", len(data), err)
		}
		if encoding == "" && len(body) > 100 && !errors.As(err, new(*TooLongError)) {
			t.Errorf("%v", err)
		}
		if text := Failure(answer()).Error(); len(text) > 7000 || strings.ContainsAny(text, "\x00\x1b\r") {
			t.Errorf("%q", text)
		}
		if d := Asked(answer()); d < 0 || d > longestAsked {
			t.Errorf("%v", d)
		}
	})
}

// A wire is a connection on which a server has said so much.
type wire struct {
	io.Reader
	said []byte // what the client says
}

func (w *wire) Write(p []byte) (int, error) {
	w.said = append(w.said, p...)
	return len(p), nil
}

func (*wire) Close() error { return nil }

// FuzzFrames: whatever a server sends, a text is no longer than what was sent, and the client answers with short masked pongs and closings alone.
func FuzzFrames(f *testing.F) {
	for _, sent := range []string{"\x81\x02hi", "\x89\x01x\x01\x01a\x8a\x00\x80\x01b\x88\x02\x03\xe8", "\x81\x7e\x00\x03abc", "\x81\x7f\xff\xff\xff\xff\xff\xff\xff\xff", "\x89\x7e\x00\x7e", "\xc1\x00", "\x80\x00"} {
		f.Add([]byte(sent))
	}
	f.Fuzz(func(t *testing.T, sent []byte) {
		w := &wire{Reader: bytes.NewReader(sent)}
		s := &Socket{conn: w, from: bufio.NewReader(w)}
		for texts := 0; ; {
			message, err := s.read()
			if texts += len(message); texts > len(sent) {
				t.Fatalf("%d bytes of texts in %d", texts, len(sent))
			}
			if err != nil {
				break
			}
		}
		for said := w.said; len(said) > 0; {
			n := int(said[1] &^ masked)
			if kind := said[0]; kind != final|pong && kind != final|closing || said[1]&masked == 0 || n > longestControl || len(said) < 6+n {
				t.Fatalf("it says %x", w.said)
			}
			said = said[6+n:]
		}
	})
}
