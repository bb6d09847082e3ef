package hub

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var chosen = []string{"config.json", "model.safetensors", "tokenizer.json"}

func TestPull(t *testing.T) {
	h := newHub(t)
	c := h.client()
	c.Token = "secret"
	var last Progress
	r, err := c.Pull(t.Context(), "org/tiny", Options{Observe: func(p Progress) {
		if p.Done < last.Done {
			t.Errorf("progress went from %d to %d", last.Done, p.Done)
		}
		last = p
	}})
	if err != nil {
		t.Fatal(err)
	}
	h.check(r, chosen...)
	if last.Done != last.Total || last.Total < 300_000 {
		t.Errorf("last progress %+v", last)
	}
	ref, err := os.ReadFile(h.inCache(c, "refs/main")[0])
	if err != nil || string(ref) != commit || r.Commit != commit || filepath.Base(r.Path) != commit {
		t.Errorf("ref %q, %v, result %+v", ref, err, r)
	}
	if blobs := h.inCache(c, "blobs/*"); len(blobs) != 3 {
		t.Errorf("blobs %q, want three and nothing incomplete", blobs)
	}
	if sum := sha256Of(h.files["model.safetensors"]); len(h.inCache(c, "blobs/"+sum)) != 1 {
		t.Error("the weights are not stored under their sha256")
	}
	for _, token := range h.shown() {
		if token != "" {
			t.Errorf("the store was shown %q", token)
		}
	}
}

// TestPullAgain: what is there is not downloaded again; another revision of the same commit only gets a name.
func TestPullAgain(t *testing.T) {
	h := newHub(t)
	c := h.client()
	h.pull(c)
	before := h.asked("GET /model") + h.asked("GET /org")
	r, err := c.Pull(t.Context(), "org/tiny", Options{Revision: "refs/pr/1"})
	if err != nil {
		t.Fatal(err)
	}
	h.check(r, chosen...)
	if after := h.asked("GET /model") + h.asked("GET /org"); after != before {
		t.Errorf("%d files were downloaded again", after-before)
	}
	if len(h.inCache(c, "refs/refs/pr/1")) != 1 {
		t.Error("the revision has no ref")
	}
}

func TestPullPatterns(t *testing.T) {
	h := newHub(t)
	r, err := h.client().Pull(t.Context(), "org/tiny", Options{Files: []string{"*.md", "model.onnx"}})
	if err != nil {
		t.Fatal(err)
	}
	h.check(r, "README.md", "onnx/model.onnx")
}

func TestPullEmptyFile(t *testing.T) {
	h := newHub(t)
	h.files["tokenizer.json"] = nil
	h.check(h.pull(h.client()), chosen...)
}

// TestPullConcurrently: pulls of the same model take turns; each byte is downloaded once.
func TestPullConcurrently(t *testing.T) {
	h := newHub(t)
	c := h.client()
	errs := make(chan error)
	for range 4 {
		go func() {
			_, err := c.Pull(context.Background(), "org/tiny", Options{})
			errs <- err
		}()
	}
	for range 4 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if n := h.asked("GET /model.safetensors"); n != 1 {
		t.Errorf("the weights were downloaded %d times", n)
	}
}

// TestLockIsWaitedFor: a pull waits for the lock that another process holds, says so, and can be interrupted.
func TestLockIsWaitedFor(t *testing.T) {
	h := newHub(t)
	c := h.client()
	config := File{Path: "config.json", Checksum: gitOf(h.files["config.json"])}
	unlock, err := (&pull{Client: c, kind: models, name: "org/tiny", observe: func(Progress) {}}).lock(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	_, err = c.Pull(ctx, "org/tiny", Options{Observe: func(p Progress) {
		if p.Waiting && p.File == "config.json" {
			stop()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	unlock()
	h.check(h.pull(c), chosen...)
}

func TestNewClient(t *testing.T) {
	t.Setenv("HF_TOKEN", " secret\n")
	t.Setenv("HF_ENDPOINT", "")
	c, err := NewClient("cache")
	if err != nil || c.Endpoint != DefaultEndpoint || c.Token != "secret" {
		t.Errorf("client %+v, %v", c, err)
	}
	for _, wrong := range []string{"huggingface.co", "ftp://a", "https://", "https://user:password@host", "://"} {
		t.Setenv("HF_ENDPOINT", wrong)
		if _, err := NewClient("cache"); !errors.As(err, new(*InputError)) {
			t.Errorf("HF_ENDPOINT=%s: error %v", wrong, err)
		}
	}
	t.Setenv("HF_ENDPOINT", "")
	if _, err := NewClient(""); err == nil || !strings.Contains(err.Error(), "HF_HOME") {
		t.Errorf("no cache: error %v", err)
	}
}
