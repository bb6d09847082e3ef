package hub

import (
	"errors"
	"strings"
	"testing"
)

// TestRoom: a pull without room downloads nothing and names both numbers; what is there already needs none.
func TestRoom(t *testing.T) {
	h := newHub(t)
	c := h.client()
	room := func(n int64) Options {
		return Options{Free: func(string) (int64, error) { return n, nil }}
	}
	_, err := c.Pull(t.Context(), "org/tiny", room(100<<10))
	if err == nil || !strings.Contains(err.Error(), "only 0.1 MiB free") || !strings.Contains(err.Error(), "0.3 MiB are to be downloaded") {
		t.Errorf("error %v", err)
	}
	if n := h.asked("GET /model"); n != 0 || len(h.inCache(c, "blobs/*")) != 0 {
		t.Errorf("%d downloads", n)
	}
	unknown := Options{Free: func(string) (int64, error) { return 0, errors.New("not known") }}
	if _, err := c.Pull(t.Context(), "org/tiny", unknown); err != nil {
		t.Error(err)
	}
	if _, err := c.Pull(t.Context(), "org/tiny", room(0)); err != nil {
		t.Errorf("everything is there: %v", err)
	}
}
