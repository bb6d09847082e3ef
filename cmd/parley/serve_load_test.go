//go:build long

package main

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"sync"
	"testing"
	"time"

	"parley/tools/serveload/load"
)

// A reborn is a server in this process, which keeps its token when it is stopped and started again, on another port.
type reborn struct {
	t     *testing.T
	mu    sync.Mutex
	url   string
	token string
	stop  func() int
}

func (r *reborn) start() {
	url, token, stop := serving(r.t, load.Team, load.Model, "--working", "4", "--waiting", "2")
	r.mu.Lock()
	defer r.mu.Unlock()
	r.url, r.token, r.stop = url, token, stop
}

func (r *reborn) end() error {
	if code := r.stop(); code != 0 {
		return fmt.Errorf("exit code %d", code)
	}
	return nil
}

func (r *reborn) Address() string { r.mu.Lock(); defer r.mu.Unlock(); return r.url }
func (r *reborn) Key() string     { r.mu.Lock(); defer r.mu.Unlock(); return r.token }

func (r *reborn) Restart(context.Context) error {
	err := r.end()
	if err == nil {
		r.start()
	}
	return err
}

// TestLongServeLoad: clients who are too many, leave in mid-stream or are hostile, and a restart in between: each answer is what the request gets alone,
// and no goroutine is left. tools/serveload does the same for minutes.
func TestLongServeLoad(t *testing.T) {
	t.Setenv("PARLEY_TOKEN", "")
	before := runtime.NumGoroutine()
	s := &reborn{t: t}
	s.start()
	l := load.New(s, 12, 1)
	if err := l.Alone(t.Context()); err != nil {
		t.Fatal(err)
	}
	const most = 240
	var again sync.WaitGroup
	l.More = func(n int) bool {
		if n == most/2 {
			again.Go(func() {
				if err := l.Restart(t.Context()); err != nil {
					l.Wrong(err.Error())
				}
			})
		}
		return n <= most
	}
	l.Work(t.Context())
	again.Wait()
	if err := s.end(); err != nil {
		t.Error(err)
	}
	for _, what := range l.Mistakes() {
		t.Error(what)
	}
	if c := l.Counts; c.Compared+c.Left+c.Hostile != most || c.Left == 0 || c.Hostile == 0 || c.Busy == 0 {
		t.Errorf("requests %+v", c)
	}
	http.DefaultClient.CloseIdleConnections()
	for begun := time.Now(); runtime.NumGoroutine() > before; time.Sleep(10 * time.Millisecond) {
		if time.Since(begun) > time.Minute {
			all := make([]byte, 1<<20)
			t.Fatalf("%d goroutines are left of %d\n%s", runtime.NumGoroutine(), before, all[:runtime.Stack(all, true)])
		}
	}
}
