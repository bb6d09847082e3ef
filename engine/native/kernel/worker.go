package kernel

import (
	"runtime"
	"sync/atomic"
	"time"
)

// A worker is the parking place of one thread.
type worker struct {
	parked atomic.Bool
	wake   chan struct{}
	_      [64]byte
}

// serve is the life of a worker.
func (t *team) serve(i int) {
	defer t.stopped.Done()
	w := &t.workers[i]
	for seen := int64(0); !t.closed.Load(); {
		if !poll(t.spin, func() bool { return t.epoch.Load() != seen }) {
			w.park(func() bool { return t.epoch.Load() == seen })
		}
		seen = t.epoch.Load()
		t.work(i + 1)
	}
}

// park sleeps until unpark, unless idle no longer holds.
func (w *worker) park(idle func() bool) {
	w.parked.Store(true)
	if idle() || !w.parked.CompareAndSwap(true, false) {
		<-w.wake
	}
}

// unpark sends exactly one token for each time that the worker parked.
func (w *worker) unpark() {
	if w.parked.Load() && w.parked.CompareAndSwap(true, false) {
		w.wake <- struct{}{}
	}
}

// poll reports whether ready came true within the limit. It lets other goroutines run every microsecond or so.
func poll(limit time.Duration, ready func() bool) bool {
	const pauses = 32
	for start := time.Now(); ; runtime.Gosched() {
		for range pauses {
			if ready() {
				return true
			}
			pause()
		}
		if time.Since(start) >= limit {
			return ready()
		}
	}
}
