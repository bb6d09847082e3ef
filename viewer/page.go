package viewer

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
)

// page serves the files of the page. They are the same for everybody, so that they need no token.
func (s *Server) page(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		fail(http.StatusMethodNotAllowed, "bad_request", "the method is %s, expected GET", short(r.Method)).write(w)
		return
	}
	name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	if name == "" {
		name = "index.html"
		if s.enter(w, r) {
			return
		}
	}
	data, err := fs.ReadFile(s.options.Files, name)
	if err != nil {
		fail(http.StatusNotFound, "not_found", "there is nothing at %s", short(r.URL.Path)).write(w)
		return
	}
	sum := sha256.Sum256(data)
	tag := `"` + hex.EncodeToString(sum[:8]) + `"`
	w.Header().Set("ETag", tag)
	w.Header().Set("Cache-Control", "no-cache") // ask whether it is still the same
	w.Header().Set("Content-Type", typeOf(name))
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	_, _ = w.Write(data) // a client that is gone is told nothing
}

// typeOf is the media type of a file by its name: the same on all systems for what a page has.
func typeOf(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	}
	if t := mime.TypeByExtension(path.Ext(name)); t != "" {
		return t
	}
	return "application/octet-stream"
}
