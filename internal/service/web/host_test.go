package web

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/internal/usererror"
)

// TestLocate: what an address means, with the program that started parley and without.
func TestLocate(t *testing.T) {
	const here = "http://127.0.0.1:8000"
	for _, c := range []struct {
		address, host, token string
		url, key, name       string
		wrong                string
	}{
		{"http://a/x", "", "", "http://a/x", "own", "", ""},
		{"http://a/x", here, "t", "http://a/x", "own", "", ""},
		{"host:reward", here, "t", here + "/reward", "t", "host:reward", ""},
		{"host:agents/b_1.x-y", "http://[::1]:9", "t", "http://[::1]:9/agents/b_1.x-y", "t", "host:agents/b_1.x-y", ""},
		{"host:reward", "", "t", "", "", "", "reward.user.url is host:reward, which is answered by the program that starts parley: resume this run from Python"},
		{"host:reward", here, "", "", "", "", "resume this run from Python"},
		{"host:reward", "http://192.168.0.1:8000", "t", "", "", "", `PARLEY_HOST is "http://192.168.0.1:8000", expected a loopback address`},
		{"host:reward", "http://localhost:8000", "t", "", "", "", "expected a loopback address"},
		{"host:reward", "http://127.0.0.1", "t", "", "", "", "expected a loopback address"},
		{"host:reward", "https://127.0.0.1:80", "t", "", "", "", "expected a loopback address"},
		{"host:reward", here + "/", "t", "", "", "", "expected a loopback address"},
		{"host:reward", here + "?x", "t", "", "", "", "expected a loopback address"},
		{"host:reward", "http://me@127.0.0.1:80", "t", "", "", "", "expected a loopback address"},
	} {
		t.Setenv(hostVariable, c.host)
		t.Setenv(tokenVariable, c.token)
		got, err := Locate("reward.user.url", c.address, "own")
		if c.wrong != "" {
			if err == nil || !errors.As(err, new(*usererror.Error)) || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%s of %q: %v, want %q", c.address, c.host, err, c.wrong)
			}
			continue
		}
		if want := (Place{c.url, c.key, c.name}); err != nil || got != want {
			t.Errorf("%s of %q: %+v, %v, want %+v", c.address, c.host, got, err, want)
		}
	}
}

// FuzzLocate: whatever stands in the environment, what is asked with its token is on this machine.
func FuzzLocate(f *testing.F) {
	f.Add("http://127.0.0.1:1", "host:x")
	f.Add("http://127.0.0.1:1@evil:2", "host:../x")
	f.Fuzz(func(t *testing.T, host, address string) {
		if strings.ContainsRune(host, 0) {
			return
		}
		t.Setenv(hostVariable, host)
		t.Setenv(tokenVariable, "t")
		at, err := Locate("k", address, "")
		if err != nil || at.Key == "" {
			return
		}
		r, err := http.NewRequest(http.MethodPost, at.URL, nil)
		if err != nil || !loopback(r.URL.Hostname()) || r.URL.Scheme != "http" || !OfHost(address) {
			t.Fatalf("%q, %q: %+v, %v", host, address, at, err)
		}
	})
}

// TestHostedServer: a request has the path and the token, and messages have neither port nor token.
func TestHostedServer(t *testing.T) {
	s, _ := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/reward" || r.Header.Get("Authorization") != "Bearer secret" {
			t.Errorf("%s %q", r.URL.Path, r.Header.Get("Authorization"))
		}
		fmt.Fprint(w, "no")
	})
	t.Setenv(hostVariable, s.URL)
	t.Setenv(tokenVariable, "secret")
	at, err := Locate("k", "host:reward", "")
	if err != nil {
		t.Fatal(err)
	}
	err = at.Server(time.Minute, 0).Post(t.Context(), 1, func([]byte) error { return errors.New("no reply") })
	if err == nil || err.Error() != "host:reward: no reply" {
		t.Errorf("%v", err)
	}
}
