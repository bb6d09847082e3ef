//go:build sandbox

package sandbox

import (
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/task/sandbox/hostile"
)

// TestBombs runs 500 hostile programs at once.
func TestBombs(t *testing.T) {
	p := open(t, Options{Workers: 4})
	var most atomic.Int64
	stop := make(chan struct{})
	var watch, wg sync.WaitGroup
	watch.Go(func() { watchMemory(t, p, stop, &most) })
	limits := Limits{Wall: 200 * time.Millisecond, Memory: 256 << 20, Output: 1 << 16, Processes: 3}
	for i := range 500 {
		b := hostile.Bombs[i%len(hostile.Bombs)]
		wg.Go(func() {
			start := time.Now()
			if _, err := p.Run(t.Context(), Program{Source: b.Source, Limits: limits}); err != nil {
				t.Errorf("%s: %v", b.Name, err)
			}
			if d := time.Since(start); d > 5*time.Minute {
				t.Errorf("%s took %v", b.Name, d)
			}
		})
	}
	wg.Wait()
	close(stop)
	watch.Wait()
	// Four workers with three processes each, what they wrote, and the workers themselves.
	if bound := int64(4 * (3*256 + 32 + 64) << 20); most.Load() > bound {
		t.Errorf("%d MiB were in use, more than %d", most.Load()>>20, bound>>20)
	}
	t.Logf("at most %d MiB in use", most.Load()>>20)
	if r := run(t, p, Program{Source: "print(1)"}); string(r.Stdout) != "1\n" {
		t.Errorf("afterwards: %+v", r)
	}
	noOrphans(t, p)
}

// watchMemory notes the greatest sum of the resident memory of all sandboxes.
func watchMemory(t *testing.T, p *Pool, stop chan struct{}, most *atomic.Int64) {
	for {
		select {
		case <-stop:
			return
		case <-time.After(50 * time.Millisecond):
		}
		sum := int64(0)
		for _, pid := range processes(t, p) {
			status, _ := os.ReadFile("/proc/" + pid + "/statm")
			if fields := strings.Fields(string(status)); len(fields) > 1 {
				sum += pages(fields[1])
			}
		}
		if sum > most.Load() {
			most.Store(sum)
		}
	}
}

func pages(text string) (bytes int64) {
	for _, c := range text {
		bytes = bytes*10 + int64(c-'0')
	}
	return bytes * int64(os.Getpagesize())
}
