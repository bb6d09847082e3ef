package kernel

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// A threadPool is a fixed number of threads that do one job at a time: the calling goroutine and the workers.
//
// A job is cut into one contiguous split per thread. Each thread claims pieces of its own split first (so that it finds its
// part of the weights in its own cache, job after job) and then helps with the others' splits: a worker that the operating
// system does not let run costs nothing but its help, because the caller can do all of a job.
//
// Claiming needs no job number. A split is one word (next, end) that changes by compare-and-swap, a claim that succeeds is
// therefore a claim on the job of this moment, and that job cannot end before the claimed piece is done. So f is valid after
// a successful claim, and is never read otherwise.
type threadPool struct {
	busy           sync.Mutex // held while a job runs
	f              func(int)
	wakePolicy     wakePolicy
	splits         []split
	workers        []poolWorker
	pending        padded        // indices of the job not done yet
	epoch          padded        // counts beginnings and ends of jobs: odd while one runs
	waiting        atomic.Bool   // the caller has parked until pending is 0
	done           chan struct{} // wakes it; may hold a stale token
	oversubscribed atomic.Bool   // other programs hold the processors: workers park at once
	stuck          atomic.Bool   // a worker has waited in vain for the end of a short job
	closed         atomic.Bool
	stopped        sync.WaitGroup
}

// padded is a counter alone on its cache lines.
type padded struct {
	_ [64]byte
	atomic.Int64
	_ [64]byte
}

func newThreadPool(threads int) *threadPool {
	t := &threadPool{
		splits:  make([]split, threads),
		workers: make([]poolWorker, threads-1),
		done:    make(chan struct{}, 1),
	}
	t.stopped.Add(len(t.workers))
	for i := range t.workers {
		t.workers[i].wake = make(chan struct{}, 1)
		go t.serve(i)
	}
	return t
}

func (t *threadPool) threads() int { return len(t.splits) }

// run does the job (n, f). A job that comes while the pool is busy (from another goroutine, or from within f), or after
// close, is done by the caller alone.
func (t *threadPool) run(n int, f func(int)) {
	if n <= 1 || len(t.workers) == 0 || t.closed.Load() || !t.busy.TryLock() {
		for i := range n {
			f(i)
		}
		return
	}
	// The lock is not released when f panics: pieces may still be running, and without the lock no job can disturb them.
	start := time.Now()
	t.publish(n, f)
	e := jobOutcome{woken: t.wakePolicy.due(0) && t.wake(n-1)}
	own := 0
	for lo, hi := t.claim(0); lo < hi; lo, hi = t.claim(0) {
		t.do(lo, hi)
		own += hi - lo
		if e.worked = time.Since(start); !e.woken && t.wakePolicy.due(e.worked) {
			e.woken = t.wake(n - own)
		}
	}
	e.helped = own < n
	t.join()
	e.blocked = t.stuck.Swap(false) || time.Since(start) > 2*e.worked+joinTime
	t.wakePolicy.learn(e)
	t.oversubscribed.Store(e.blocked)
	t.f = nil
	t.epoch.Add(1)
	t.busy.Unlock()
}

func (t *threadPool) publish(n int, f func(int)) {
	t.f = f
	t.pending.Store(int64(n))
	threads := len(t.splits)
	for i := range t.splits {
		t.splits[i].set(i*n/threads, (i+1)*n/threads)
	}
	t.epoch.Add(1)
}

// wake wakes at most n parked workers and reports whether there were any.
func (t *threadPool) wake(n int) bool {
	any := false
	for i := range min(n, len(t.workers)) {
		any = t.workers[i].unpark() || any
	}
	return any
}

// claim takes a piece of the job, of split first if it has one left; lo == hi: none is left at all.
func (t *threadPool) claim(first int) (lo, hi int) {
	for i := range t.splits {
		if lo, hi = t.splits[(first+i)%len(t.splits)].claim(); lo < hi {
			break
		}
	}
	return lo, hi
}

func (t *threadPool) do(lo, hi int) {
	f := t.f
	for i := lo; i < hi; i++ {
		f(i)
	}
	if t.pending.Add(int64(lo-hi)) == 0 && t.waiting.Load() {
		select {
		case t.done <- struct{}{}:
		default: // a token is there already
		}
	}
}

// join returns when all claimed pieces are done.
func (t *threadPool) join() {
	if poll(joinTime, func() bool { return t.pending.Load() == 0 }) {
		return
	}
	t.waiting.Swap(true) // a swap for the same reason as in park
	for t.pending.Load() != 0 {
		<-t.done
	}
	t.waiting.Store(false)
}

func (t *threadPool) close() {
	t.closed.Store(true)
	t.epoch.Add(2)
	t.wake(len(t.workers))
	t.stopped.Wait()
}

// spin is how long a worker polls for work.
func (t *threadPool) spin() time.Duration {
	if t.oversubscribed.Load() || t.threads() > runtime.GOMAXPROCS(0) {
		return 0 // it would hold the processor of one that has work
	}
	return spinTime
}
