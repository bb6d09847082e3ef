package servecmd

import (
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"parley/serve"
)

// TestPage: the page and its parts are served without a token and under a policy that lets nothing else in.
func TestPage(t *testing.T) {
	h := httptest.NewServer(serve.NewGate(nil, serve.GateOptions{Token: "secret", Working: 1}).Handler(pageRoutes()...))
	t.Cleanup(h.Close)
	parts := regexp.MustCompile(`(?:href|src)="([^"]+)"`).FindAllStringSubmatch(string(document), -1)
	paths := []string{""}
	for _, m := range parts {
		paths = append(paths, m[1])
	}
	if len(paths) != 3 {
		t.Errorf("the page consists of %v", paths)
	}
	for _, path := range paths {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.URL+"/"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != 200 || len(body) == 0 || answer.Header.Get("Content-Security-Policy") != policy || answer.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%q: %d, %v, %v", path, answer.StatusCode, err, answer.Header)
		}
	}
}

// TestNothingFromElsewhere: no part of the page asks another server, and none makes HTML of a text.
func TestNothingFromElsewhere(t *testing.T) {
	for name, data := range map[string][]byte{"page.html": document, "page.css": looks, "page.js": script} {
		for _, never := range []string{"http://", "https://", "//cdn", "@import", "url(", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "style=", "onclick=", "<script>", "<style>", "javascript:"} {
			if strings.Contains(string(data), never) {
				t.Errorf("%s has %s", name, never)
			}
		}
	}
}
