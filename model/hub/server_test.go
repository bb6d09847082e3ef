package hub

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const commit = "0123456789abcdef0123456789abcdef01234567"

// A fakeHub speaks like the Hugging Face Hub: small files come from it, large ones from a store that it redirects to.
type fakeHub struct {
	*testing.T
	hub, store *httptest.Server
	files      map[string][]byte
	large      map[string]bool

	mu     sync.Mutex
	log    []string // of what was asked: method, path, Range
	tokens []string // that the store was shown
	// sabotage, if set, answers a GET of contents in the store's place and says whether it did. gets counts those before.
	sabotage func(w http.ResponseWriter, r *http.Request, data []byte, gets int) bool
	gets     int
}

// newHub starts a hub with one model, org/tiny: a configuration, a tokenizer and weights of 300 kB.
func newHub(t *testing.T) *fakeHub {
	weights := make([]byte, 300_000)
	for i := range weights {
		weights[i] = byte(i * i >> 3)
	}
	h := &fakeHub{T: t, large: map[string]bool{"model.safetensors": true}, files: map[string][]byte{
		"config.json": []byte(`{"model_type":"llama"}`), "tokenizer.json": []byte(`{}`), "README.md": []byte("hello"), "model.safetensors": weights,
		"onnx/model.onnx": []byte("no"),
	}}
	h.hub = httptest.NewServer(http.HandlerFunc(h.serveHub))
	h.store = httptest.NewServer(http.HandlerFunc(h.serveStore))
	t.Cleanup(h.hub.Close)
	t.Cleanup(h.store.Close)
	return h
}

// client is a client for h with a cache of its own that loses no time.
func (h *fakeHub) client() *Client {
	h.Setenv("HF_ENDPOINT", h.hub.URL+"/")
	h.Setenv("HF_TOKEN", "")
	c, err := NewClient(filepath.Join(h.TempDir(), "hub"))
	if err != nil {
		h.Fatal(err)
	}
	c.pause = func(int) time.Duration { return time.Millisecond }
	return c
}

func (h *fakeHub) pull(c *Client) *Result {
	h.Helper()
	r, err := c.Pull(h.Context(), "org/tiny", Options{})
	if err != nil {
		h.Fatal(err)
	}
	return r
}

func (h *fakeHub) note(r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.log = append(h.log, strings.TrimSpace(r.Method+" "+r.URL.Path+" "+r.Header.Get("Range")))
}

// asked returns how many requests began so.
func (h *fakeHub) asked(prefix string) (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, l := range h.log {
		if strings.HasPrefix(l, prefix) {
			n++
		}
	}
	return n
}

// repair ends the sabotage and forgets what was asked.
func (h *fakeHub) repair() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sabotage, h.log = nil, nil
}

// shown lists the tokens that the store was shown.
func (h *fakeHub) shown() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.tokens)
}

// requests lists what was asked.
func (h *fakeHub) requests() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.log)
}

func (h *fakeHub) serveHub(w http.ResponseWriter, r *http.Request) {
	h.note(r)
	if r.URL.EscapedPath() == "/api/models/org/tiny/revision/main" || r.URL.EscapedPath() == "/api/models/org/tiny/revision/refs%2Fpr%2F1" {
		var list []map[string]string
		for name := range h.files {
			list = append(list, map[string]string{"rfilename": name})
		}
		json.NewEncoder(w).Encode(map[string]any{"sha": commit, "siblings": list})
		return
	}
	name, ok := strings.CutPrefix(r.URL.Path, "/org/tiny/resolve/"+commit+"/")
	data, there := h.files[name]
	if !ok || !there {
		http.Error(w, "Repository not found", http.StatusNotFound)
		return
	}
	if h.large[name] {
		w.Header().Set("X-Linked-Etag", `"`+sha256Of(data)+`"`)
		w.Header().Set("X-Linked-Size", strconv.Itoa(len(data)))
		http.Redirect(w, r, h.store.URL+"/"+name, http.StatusFound)
		return
	}
	w.Header().Set("Etag", `W/"`+gitOf(data)+`"`)
	h.serve(w, r, data)
}

func (h *fakeHub) serveStore(w http.ResponseWriter, r *http.Request) {
	h.note(r)
	h.mu.Lock()
	h.tokens = append(h.tokens, r.Header.Get("Authorization"))
	h.mu.Unlock()
	w.Header().Set("Etag", `"an etag of the store's own"`)
	h.serve(w, r, h.files[strings.TrimPrefix(r.URL.Path, "/")])
}

func (h *fakeHub) serve(w http.ResponseWriter, r *http.Request, data []byte) {
	h.mu.Lock()
	sabotage, gets := h.sabotage, h.gets
	hit := r.Method == http.MethodGet && sabotage != nil && len(data) > 1000
	if hit {
		h.gets++
	}
	h.mu.Unlock()
	if hit && sabotage(w, r, data, gets) {
		return
	}
	http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(data)))
}

// cut sends the header for all of data from the asked byte on, but only n bytes of it.
func cut(w http.ResponseWriter, r *http.Request, data []byte, n int) bool {
	from := 0
	fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from)
	w.Header().Set("Content-Length", strconv.Itoa(len(data)-from))
	if from > 0 {
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(data)-1, len(data)))
		w.WriteHeader(http.StatusPartialContent)
	}
	w.Write(data[from:min(len(data), from+n)])
	w.(http.Flusher).Flush()
	panic(http.ErrAbortHandler)
}

func sha256Of(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func gitOf(data []byte) string {
	sum := sha1.Sum(append(fmt.Appendf(nil, "blob %d\x00", len(data)), data...))
	return hex.EncodeToString(sum[:])
}

// check compares a snapshot with the hub's files of those names.
func (h *fakeHub) check(r *Result, names ...string) {
	h.Helper()
	if len(r.Files) != len(names) {
		h.Errorf("%d files were pulled, want %q", len(r.Files), names)
	}
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(r.Path, filepath.FromSlash(name)))
		if err != nil || string(data) != string(h.files[name]) {
			h.Errorf("%s: %d bytes, %v; want %d", name, len(data), err, len(h.files[name]))
		}
	}
}

// inCache lists the paths below the model's folder in the cache that match.
func (h *fakeHub) inCache(c *Client, pattern string) []string {
	h.Helper()
	list, err := filepath.Glob(filepath.Join(c.Cache, "models--org--tiny", pattern))
	if err != nil {
		h.Fatal(err)
	}
	return list
}
