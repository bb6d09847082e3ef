package hub

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// serverOf returns a client of a server that gives every request to f.
func serverOf(t *testing.T, f http.HandlerFunc) *Client {
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	return (&fakeHub{T: t, hub: s}).client()
}

// TestRefusals checks what users are told, and that only what may pass is tried again.
func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		status      int
		code, token string
		want        string
		requests    int
	}{
		"private":             {401, "", "", "set HF_TOKEN", 1},
		"gated, no token":     {403, "GatedRepo", "", "set HF_TOKEN", 1},
		"gated, with a token": {403, "GatedRepo", "x", "accept its conditions", 1},
		"wrong token":         {401, "", "x", "the token in HF_TOKEN may not", 1},
		"missing":             {404, "RepoNotFound", "", "there is no such model", 1},
		"no revision":         {404, "RevisionNotFound", "", `no revision "main"`, 1},
		"busy":                {429, "", "", "429", 5},
		"broken":              {502, "", "", "502", 5},
		"strange":             {418, "", "", "418", 1},
	} {
		t.Run(name, func(t *testing.T) {
			requests := 0
			client := serverOf(t, func(w http.ResponseWriter, _ *http.Request) {
				requests++
				w.Header().Set("X-Error-Code", c.code)
				w.WriteHeader(c.status)
			})
			client.Token = c.token
			_, err := client.Pull(t.Context(), "org/tiny", Options{})
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "org/tiny") {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if requests != c.requests {
				t.Errorf("%d requests, want %d", requests, c.requests)
			}
		})
	}
}

// TestBusy: a busy server is asked again no sooner than it says, and who watches is told so.
func TestBusy(t *testing.T) {
	client := serverOf(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	ctx, stop := context.WithCancel(t.Context())
	var told Retry
	_, err := client.Pull(ctx, "org/tiny", Options{Observe: func(p Progress) {
		if p.Retry != nil {
			told = *p.Retry
			stop()
		}
	}})
	if !errors.Is(err, context.Canceled) || told.Pause != 2*time.Minute || told.Try != 2 {
		t.Errorf("%+v, %v", told, err)
	}
}

// TestLedAbout: redirects without end are an error at once, as is one that is no redirect, which is named.
func TestLedAbout(t *testing.T) {
	requests := 0
	client := serverOf(t, func(w http.ResponseWriter, r *http.Request) {
		requests++
		http.Redirect(w, r, r.URL.Path, http.StatusFound)
	})
	if _, err := client.Pull(t.Context(), "org/tiny", Options{}); err == nil || !strings.Contains(err.Error(), "more than 10 redirects") || requests != 11 {
		t.Errorf("%v after %d requests", err, requests)
	}
	client = serverOf(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "http://elsewhere/x")
		w.WriteHeader(http.StatusMultipleChoices)
	})
	if _, err := client.Pull(t.Context(), "org/tiny", Options{}); err == nil || !strings.Contains(err.Error(), `300 Multiple Choices: it redirects to "http://elsewhere/x"`) {
		t.Errorf("%v", err)
	}
}

// TestReplies: lists of files that cannot be used.
func TestReplies(t *testing.T) {
	for name, c := range map[string]struct{ reply, want string }{
		"no JSON":   {"<html>", "list of files"},
		"no commit": {`{"sha":"main","siblings":[]}`, `"main" as commit`},
		"escapes":   {fmt.Sprintf(`{"sha":%q,"siblings":[{"rfilename":"../../x"}]}`, commit), "outside"},
		"absolute":  {fmt.Sprintf(`{"sha":%q,"siblings":[{"rfilename":"/etc/x"}]}`, commit), "outside"},
		"too long":  {strings.Repeat(" ", longestReply+1), "longer than"},
		"too many": {
			fmt.Sprintf(`{"sha":%q,"siblings":[{"rfilename":"model.safetensors"}%s]}`, commit, strings.Repeat(`,{"rfilename":"model-1-of-1.safetensors"}`, mostFiles)),
			"10001 such files",
		},
		"nothing": {fmt.Sprintf(`{"sha":%q}`, commit), "neither"},
	} {
		client := serverOf(t, func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(c.reply)) })
		if _, err := client.Pull(t.Context(), "org/tiny", Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

// TestMetadata: answers to HEAD for a file.
func TestMetadata(t *testing.T) {
	git, sha := strings.Repeat("a", 40), strings.Repeat("b", 64)
	for name, c := range map[string]struct {
		header map[string]string
		want   File
		wrong  string
	}{
		"small":       {map[string]string{"Etag": `"` + git + `"`, "Content-Length": "7"}, File{"f", 7, git}, ""},
		"weak":        {map[string]string{"Etag": `W/"` + git + `"`, "Content-Length": "7"}, File{"f", 7, git}, ""},
		"linked":      {map[string]string{"Etag": `"other"`, "X-Linked-Etag": `"` + sha + `"`, "X-Linked-Size": "9", "Content-Length": "1"}, File{"f", 9, sha}, ""},
		"no checksum": {map[string]string{"Etag": `"abc"`, "Content-Length": "7"}, File{}, "could not be verified"},
		"path":        {map[string]string{"Etag": `"../../x"`, "Content-Length": "7"}, File{}, "could not be verified"},
		"no size":     {map[string]string{"Etag": git}, File{}, "as size"},
		"too large":   {map[string]string{"Etag": git, "Content-Length": "999999999999999999"}, File{}, "as size"},
		"negative":    {map[string]string{"Etag": git, "X-Linked-Size": "-1"}, File{}, "as size"},
	} {
		answer := &http.Response{StatusCode: 200, Header: http.Header{}}
		for key, value := range c.header {
			answer.Header.Set(key, value)
		}
		f, err := describe("f", answer)
		if f != c.want || (err != nil) != (c.wrong != "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %+v, %v", name, f, err)
		}
	}
}

// TestRedirect: a moved model is followed, the store of large files is not asked for checksums, encryption is not given up.
//
// What redirects do to tokens is tested where they are decided about, in package web.
func TestRedirect(t *testing.T) {
	request := func(method, address string, linked bool) *http.Request {
		r := httptest.NewRequest(method, address, nil)
		r.Header.Set("Authorization", "Bearer x")
		r.Response = &http.Response{Header: http.Header{}}
		if linked {
			r.Response.Header.Set("X-Linked-Etag", "x")
		}
		return r
	}
	const hub = "https://hub/a"
	for name, c := range map[string]struct {
		method, to string
		linked     bool
		stays, ok  bool // the redirect is the answer; it is followed
		token      bool
	}{
		"moved model":        {"HEAD", "https://hub/b", false, false, true, true},
		"store":              {"HEAD", "https://store/b", true, true, false, false},
		"store on same host": {"HEAD", "https://hub/b", true, true, false, true},
		"contents":           {"GET", "https://store/b", true, false, true, false},
		"subdomain":          {"GET", "https://cdn.hub/b", true, false, true, false},
		"downgrade":          {"GET", "http://hub/b", false, false, false, true},
	} {
		r := request(c.method, c.to, c.linked)
		err := redirect(r, []*http.Request{request(c.method, hub, false)})
		if errors.Is(err, http.ErrUseLastResponse) != c.stays || (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
		if (r.Header.Get("Authorization") != "") != c.token {
			t.Errorf("%s: authorization %q", name, r.Header.Get("Authorization"))
		}
	}
}

// TestPatience: tries are bounded, and an interrupt ends the wait between them.
func TestPatience(t *testing.T) {
	c := &pull{Client: serverOf(t, nil), observe: func(Progress) {}}
	tries := 0
	again := func() error { tries++; return temporary{error: errors.New("no")} }
	if err := c.patiently(t.Context(), again); err == nil || tries != c.tries {
		t.Errorf("%d tries, %v", tries, err)
	}
	c.pause = func(int) time.Duration { return time.Hour }
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := c.patiently(ctx, again); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
