package servecmd

import (
	_ "embed"
	"net/http"

	"parley/serve"
)

// A small page to talk to what is served, and to see who said what: the page, how it looks, and what it does. Its files send requests only to the
// server that they come from, and hold no secrets: the user enters the token. Texts of models are never read as HTML.
var (
	//go:embed page.html
	document []byte
	//go:embed page.css
	looks []byte
	//go:embed page.js
	script []byte
)

// policy is what a browser lets the page do.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// pageRoutes are the page and what it consists of.
func pageRoutes() []serve.Route {
	return []serve.Route{
		file("/{$}", "text/html; charset=utf-8", document),
		file("/page.css", "text/css; charset=utf-8", looks),
		file("/page.js", "text/javascript; charset=utf-8", script),
	}
}

func file(path, kind string, data []byte) serve.Route {
	return serve.Route{Method: http.MethodGet, Path: path, Open: true, Answer: func(w http.ResponseWriter, _ *http.Request) *serve.Failure {
		h := w.Header()
		h.Set("Content-Type", kind)
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-cache")
		_, _ = w.Write(data) // a browser that left needs nothing
		return nil
	}}
}
