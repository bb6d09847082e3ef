package hub

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestResumeAfterCut: wherever connections are cut, the file arrives, and no byte is sent twice.
func TestResumeAfterCut(t *testing.T) {
	h := newHub(t)
	h.sabotage = func(w http.ResponseWriter, r *http.Request, data []byte, gets int) bool {
		return gets < 7 && cut(w, r, data, 40_000) // more cuts than tries: those that bring bytes do not count
	}
	c := h.client()
	h.check(h.pull(c), chosen...)
	if n := h.asked("GET /model.safetensors bytes=40000-"); n != 1 {
		t.Errorf("the second part was asked for %d times: %q", n, h.requests())
	}
}

// TestRetriesAreTold: whoever watches a pull learns that a request is made again, why, and after what pause; an answer that was cut is
// gone on with at once.
func TestRetriesAreTold(t *testing.T) {
	h := newHub(t)
	h.sabotage = func(w http.ResponseWriter, r *http.Request, data []byte, gets int) bool {
		if gets < 2 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return true
		}
		return gets == 2 && cut(w, r, data, 40_000)
	}
	c := h.client()
	c.pause = func(try int) time.Duration { return time.Duration(try) * time.Microsecond }
	var told []string
	_, err := c.Pull(t.Context(), "org/tiny", Options{Observe: func(p Progress) {
		if p.Retry != nil {
			told = append(told, fmt.Sprintf("%s: %d of %d after %s: %.36v", p.File, p.Retry.Try, p.Retry.Tries, p.Retry.Pause, p.Retry.Err))
		}
	}})
	want := []string{
		"model.safetensors: 2 of 5 after 2µs: the server answered 503 Service Unav",
		"model.safetensors: 3 of 5 after 3µs: the server answered 503 Service Unav",
		"model.safetensors: 1 of 5 after 0s: unexpected EOF",
	}
	if err != nil || !slices.Equal(told, want) {
		t.Errorf("%q, %v", told, err)
	}
}

// TestSecondPullContinues: a pull that failed leaves nothing under a final name, and the next one goes on.
func TestSecondPullContinues(t *testing.T) {
	h := newHub(t)
	h.sabotage = func(w http.ResponseWriter, r *http.Request, data []byte, gets int) bool {
		if gets == 0 {
			return cut(w, r, data, 100_000)
		}
		panic(http.ErrAbortHandler)
	}
	c := h.client()
	if _, err := c.Pull(t.Context(), "org/tiny", Options{}); err == nil || !strings.Contains(err.Error(), "model.safetensors") {
		t.Fatalf("error %v", err)
	}
	sum := sha256Of(h.files["model.safetensors"])
	if len(h.inCache(c, "blobs/"+sum)) != 0 || len(h.inCache(c, "snapshots/*/*")) != 0 || len(h.inCache(c, "refs/*")) != 0 {
		t.Errorf("final names exist: %q", append(h.inCache(c, "*/*"), h.inCache(c, "snapshots/*/*")...))
	}
	if info, err := os.Stat(h.inCache(c, "blobs/"+sum+".incomplete")[0]); err != nil || info.Size() != 100_000 {
		t.Errorf("what arrived: %v, %v", info, err)
	}
	h.repair()
	h.check(h.pull(c), chosen...)
	if h.asked("GET /model.safetensors bytes=100000-") != 1 || h.asked("GET /model.safetensors") != 1 {
		t.Errorf("requests %q", h.requests())
	}
}

// TestStartsOver: a server without ranges, and one that lost the bytes, send the whole file.
func TestStartsOver(t *testing.T) {
	for name, answer := range map[string]func(w http.ResponseWriter, r *http.Request, data []byte) bool{
		"no ranges": func(w http.ResponseWriter, _ *http.Request, data []byte) bool { w.Write(data); return true },
		"no bytes": func(w http.ResponseWriter, r *http.Request, _ []byte) bool {
			if r.Header.Get("Range") == "" {
				return false
			}
			w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
			return true
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHub(t)
			h.sabotage = func(w http.ResponseWriter, r *http.Request, data []byte, gets int) bool {
				return gets == 0 && cut(w, r, data, 40_000) || answer(w, r, data)
			}
			h.check(h.pull(h.client()), chosen...)
		})
	}
}

// TestWrongBytes: damaged contents are thrown away, and a new pull begins again.
func TestWrongBytes(t *testing.T) {
	for _, name := range []string{"model.safetensors", "tokenizer.json"} {
		h := newHub(t)
		h.files["tokenizer.json"] = bytes.Repeat([]byte("{}"), 1000)
		right := h.files[name]
		h.sabotage = func(w http.ResponseWriter, r *http.Request, data []byte, _ int) bool {
			if !bytes.Equal(data, right) {
				return false
			}
			w.Write(append(bytes.Clone(right[:len(right)-1]), '?'))
			return true
		}
		c := h.client()
		if _, err := c.Pull(t.Context(), "org/tiny", Options{}); err == nil || !strings.Contains(err.Error(), name+": its checksum is") {
			t.Errorf("%s: error %v", name, err)
		}
		if left := append(h.inCache(c, "blobs/*.incomplete"), h.inCache(c, "snapshots/*/*")...); len(left) != 0 {
			t.Errorf("%s: %q is left", name, left)
		}
		h.repair()
		h.check(h.pull(c), chosen...)
	}
}

// TestWrongLength: a server that sends more than it named is stopped, as is one that sends another range.
func TestWrongLength(t *testing.T) {
	h := newHub(t)
	h.sabotage = func(w http.ResponseWriter, _ *http.Request, data []byte, _ int) bool {
		w.Write(append(bytes.Clone(data), "more"...))
		return true
	}
	if _, err := h.client().Pull(t.Context(), "org/tiny", Options{}); err == nil || !strings.Contains(err.Error(), "more than the 300000 bytes") {
		t.Errorf("too long: %v", err)
	}
	h = newHub(t)
	h.sabotage = func(w http.ResponseWriter, r *http.Request, data []byte, gets int) bool {
		if r.Header.Get("Range") == "" {
			return cut(w, r, data, 1000)
		}
		w.Header().Set("Content-Range", "bytes 0-299999/300000")
		w.WriteHeader(http.StatusPartialContent)
		return true
	}
	if _, err := h.client().Pull(t.Context(), "org/tiny", Options{}); err == nil || !strings.Contains(err.Error(), "instead of one from byte 1000") {
		t.Errorf("another range: %v", err)
	}
}

// TestSilence: a server that stops sending is given up and asked again.
func TestSilence(t *testing.T) {
	h := newHub(t)
	h.sabotage = func(w http.ResponseWriter, r *http.Request, data []byte, gets int) bool {
		if gets > 0 {
			return false
		}
		w.Write(data[:1000])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		return true
	}
	c := h.client()
	c.stall = 50 * time.Millisecond
	h.check(h.pull(c), chosen...)
	if h.asked("GET /model.safetensors bytes=1000-") != 1 {
		t.Errorf("requests %q", h.requests())
	}
}

// TestDrops: a server that sends a byte now and then is given up, and its drops do not count as progress.
func TestDrops(t *testing.T) {
	h := newHub(t)
	h.sabotage = func(w http.ResponseWriter, r *http.Request, data []byte, _ int) bool {
		from := 0
		if n, _ := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from); n > 0 {
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(data)-1, len(data)))
			w.WriteHeader(http.StatusPartialContent)
		}
		for r.Context().Err() == nil {
			w.Write(data[from : from+1])
			w.(http.Flusher).Flush()
			from++
			time.Sleep(5 * time.Millisecond)
		}
		return true
	}
	c := h.client()
	c.stall = 100 * time.Millisecond
	_, err := c.Pull(t.Context(), "org/tiny", Options{})
	if err == nil || !strings.Contains(err.Error(), "next to nothing") || h.asked("GET /model.safetensors") != c.tries {
		t.Errorf("%v after %d requests", err, h.asked("GET /model.safetensors"))
	}
}

// TestInterrupted: an interrupt ends a pull at once and keeps what arrived.
func TestInterrupted(t *testing.T) {
	h := newHub(t)
	c := h.client()
	ctx, stop := context.WithCancel(t.Context())
	h.sabotage = func(w http.ResponseWriter, r *http.Request, data []byte, _ int) bool {
		w.Write(data[:1000])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		return true
	}
	_, err := c.Pull(ctx, "org/tiny", Options{Observe: func(p Progress) {
		if p.Done > 1000 {
			stop()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if parts := h.inCache(c, "blobs/*.incomplete"); len(parts) != 1 {
		t.Errorf("kept %q", parts)
	}
}

// TestDiskErrors: an error of the disk is no reason to try again.
func TestDiskErrors(t *testing.T) {
	h := newHub(t)
	c := h.client()
	if err := os.MkdirAll(filepath.Join(c.Cache, "models--org--tiny"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(c.Cache, "models--org--tiny", "blobs"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Pull(t.Context(), "org/tiny", Options{}); err == nil || !strings.Contains(err.Error(), "blobs") {
		t.Errorf("error %v", err)
	}
	if n := h.asked("GET /org"); n != 0 {
		t.Errorf("%d files were asked for", n)
	}
}

// TestPart: however bytes come in pieces and whatever was there before, the hash is that of the whole.
func TestPart(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "data")
		there := rapid.IntRange(0, len(data)).Draw(t, "there")
		f := &File{Path: "x", Bytes: int64(len(data)), Checksum: rapid.SampledFrom([]string{sha256Of(data), gitOf(data)}).Draw(t, "checksum")}
		name := filepath.Join(dir, "blob")
		if err := os.WriteFile(name+".incomplete", data[:there], 0o644); err != nil {
			t.Fatal(err)
		}
		p, err := openPart(name+".incomplete", f)
		if err != nil || p.n != int64(there) {
			t.Fatalf("%v, %v", p, err)
		}
		for p.n < f.Bytes {
			end := rapid.IntRange(int(p.n)+1, len(data)).Draw(t, "end")
			if _, err := p.Write(data[p.n:end]); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.finish(name); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, data) {
			t.Fatalf("%v, %v", got, err)
		}
	})
}
