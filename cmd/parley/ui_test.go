package main

import (
	"context"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestUI: the page and its routes answer where the program says, with the token that it says, and ^C ends it.
func TestUI(t *testing.T) {
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS("../../viewer/testdata/runs")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var stderr spoken
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, []string{"ui", root, "--addr", "127.0.0.1:0", "--read-only"}, strings.NewReader(""), io.Discard, &stderr)
	}()
	listening := regexp.MustCompile(`^token ([0-9a-f]{48})\nlistening on (http://127\.0\.0\.1:\d+)\n$`)
	var m []string
	for begun := time.Now(); m == nil; time.Sleep(5 * time.Millisecond) {
		if m = listening.FindStringSubmatch(stderr.String()); m == nil && time.Since(begun) > time.Minute {
			t.Fatalf("it does not listen: %s", stderr.String())
		}
	}
	get := func(path, token string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, m[2]+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(body)
	}
	for path, says := range map[string]string{"/": "<script", "/assets/page.js": "", "/assets/page.css": "", "/api/runs": `"magrpo-tiny"`, "/api/session": `"read_only":true`} {
		if status, body := get(path, m[1]); status != http.StatusOK || !strings.Contains(body, says) {
			t.Errorf("%s: %d %.200s", path, status, body)
		}
	}
	if status, _ := get("/api/runs", "no"); status != http.StatusUnauthorized {
		t.Errorf("a wrong token gets %d", status)
	}
	cancel()
	if c := <-code; c != 0 {
		t.Errorf("exit code %d: %s", c, stderr.String())
	}
}
