package tinker

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"parley/engine"
	"parley/engine/enginetest"
	"parley/engine/native"
	"parley/engine/tinker/link"
	"parley/engine/tinker/tinkertest"
	"parley/internal/turn"
	"parley/model/modeltest"
)

// tiny is the base that the server of tests has.
var tiny = modeltest.Tiny()

func openNative(t testing.TB) *native.Engine {
	t.Helper()
	e, err := native.Open(native.Random(tiny, 3), engine.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// serve starts a server; around may stand between it and who asks.
func serve(t testing.TB, around func(http.Handler) http.Handler) (*tinkertest.Server, link.Server) {
	t.Helper()
	s := tinkertest.New(openNative(t), "tiny", t.TempDir())
	s.Key = "secret"
	h := http.Handler(s)
	if around != nil {
		h = around(h)
	}
	l := httptest.NewServer(h)
	t.Cleanup(l.Close)
	return s, link.Server{URL: l.URL, Key: s.Key, Model: "tiny", Wait: time.Minute}
}

// impatient is a client whose pauses are short.
func impatient(t testing.TB, s link.Server) *link.Client {
	t.Helper()
	c, err := link.New(s)
	if err != nil {
		t.Fatal(err)
	}
	c.Patience, c.Pause, c.Hold, c.Canary = time.Second, time.Millisecond, time.Second, time.Minute
	return c
}

func dial(t testing.TB, s link.Server) *Engine {
	t.Helper()
	return dialWith(t, impatient(t, s))
}

func dialWith(t testing.TB, c *link.Client) *Engine {
	t.Helper()
	e, err := open(t.Context(), c, Shape{Vocab: tiny.Vocab, Context: tiny.Context}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// TestServersConform runs the suite of all engines over the client, with servers that sum, servers that average, and servers whose samplers follow their
// models.
func TestServersConform(t *testing.T) {
	changes := map[string]func(*tinkertest.Server){
		"sum": func(*tinkertest.Server) {}, "mean": func(s *tinkertest.Server) { s.Mean = true }, "live": func(s *tinkertest.Server) { s.Live = true },
	}
	for i, name := range slices.Sorted(maps.Keys(changes)) {
		if !turn.Share(i) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			enginetest.Conformance(t, func(t *testing.T) engine.Engine {
				s, at := serve(t, nil)
				changes[name](s)
				return dial(t, at)
			}, tiny.Vocab)
		})
	}
}
