package kernel

import (
	"runtime"
	"sync/atomic"
	"time"
)

// A poolWorker is the parking place of one thread.
type poolWorker struct {
	parked atomic.Bool
	wake   chan struct{}
	_      [64]byte
}

// serve is the life of a worker.
func (t *threadPool) serve(i int) {
	defer t.stopped.Done()
	w := &t.workers[i]
	for seen := int64(0); !t.closed.Load(); {
		if !poll(t.spin(), func() bool { return t.epoch.Load() != seen }) {
			w.park(func() bool { return t.epoch.Load() == seen })
		}
		seen = t.epoch.Load()
		start := time.Now()
		for lo, hi := t.claim(i + 1); lo < hi; lo, hi = t.claim(i + 1) {
			t.do(lo, hi)
		}
		if seen%2 != 0 && time.Since(start) < shortWork {
			t.expectEnd(seen)
		}
	}
}

// expectEnd waits for the end of a short job that has nothing left to claim. If it does not come, the caller is not running:
// perhaps this loop is what keeps it from its processor.
func (t *threadPool) expectEnd(seen int64) {
	if !poll(joinTime, func() bool { return t.epoch.Load() != seen }) {
		t.stuck.Store(true)
		t.oversubscribed.Store(true)
	}
}

// park sleeps until unpark, unless idle no longer holds. Whoever ends idleness looks at parked afterwards, so one of the two must see
// the other: parked has to be set before idle is asked. A swap is a barrier for emulators too, which let a store pass the load behind it.
func (w *poolWorker) park(idle func() bool) {
	w.parked.Swap(true)
	if idle() || !w.parked.CompareAndSwap(true, false) {
		<-w.wake
	}
}

// unpark wakes the worker if it is parked, with one token for each time that it parked, and reports whether it was.
func (w *poolWorker) unpark() bool {
	if !w.parked.Load() || !w.parked.CompareAndSwap(true, false) {
		return false
	}
	w.wake <- struct{}{}
	return true
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
