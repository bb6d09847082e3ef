package kernel

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// spinTime is how long an idle worker polls for the next job before it parks. Waking a parked thread costs 10-40 µs, and the
// joins of a transformer layer are closer together than this.
const spinTime = 80 * time.Microsecond

// A team is a fixed number of threads that do one job at a time: the calling goroutine and the workers.
//
// A job is cut into one contiguous share per thread. Each thread claims pieces of its own share first (so that it finds its
// part of the weights in its own cache, job after job) and then helps with the others' shares: a worker that the operating
// system does not let run costs nothing but its help, because the caller can do all of a job.
//
// Claiming needs no job number. A share is one word (next, end) that changes by compare-and-swap, a claim that succeeds is
// therefore a claim on the job of this moment, and that job cannot end before the claimed piece is done. So f is valid after
// a successful claim, and is never read otherwise.
type team struct {
	busy    sync.Mutex // held while a job runs
	f       func(int)
	shares  []share
	workers []worker
	pending padded        // indices of the job not done yet
	epoch   padded        // counts jobs, to wake spinning workers
	waiting atomic.Bool   // the caller has parked until pending is 0
	done    chan struct{} // wakes it; may hold a stale token
	closed  atomic.Bool
	stopped sync.WaitGroup
	spin    time.Duration
}

// padded is a counter alone on its cache lines.
type padded struct {
	_ [64]byte
	atomic.Int64
	_ [64]byte
}

func newTeam(threads int) *team {
	t := &team{
		shares:  make([]share, threads),
		workers: make([]worker, threads-1),
		done:    make(chan struct{}, 1),
		spin:    spinTime,
	}
	if threads > runtime.GOMAXPROCS(0) {
		t.spin = 0 // a spinning worker would hold the processor of one that has work
	}
	t.stopped.Add(len(t.workers))
	for i := range t.workers {
		t.workers[i].wake = make(chan struct{}, 1)
		go t.serve(i)
	}
	return t
}

func (t *team) threads() int { return len(t.shares) }

// run does the job (n, f). A job that comes while the team is busy (from another goroutine, or from within f), or after
// close, is done by the caller alone.
func (t *team) run(n int, f func(int)) {
	if n <= 1 || len(t.workers) == 0 || t.closed.Load() || !t.busy.TryLock() {
		for i := range n {
			f(i)
		}
		return
	}
	// The lock is not released when f panics: pieces may still be running, and without the lock no job can disturb them.
	t.publish(n, f)
	t.work(0)
	t.wait()
	t.f = nil
	t.busy.Unlock()
}

func (t *team) publish(n int, f func(int)) {
	t.f = f
	t.pending.Store(int64(n))
	threads := len(t.shares)
	for i := range t.shares {
		t.shares[i].set(i*n/threads, (i+1)*n/threads)
	}
	t.epoch.Add(1)
	for i := range min(n-1, len(t.workers)) {
		t.workers[i].unpark()
	}
}

// work claims pieces, of share first to begin with, until all are claimed.
func (t *team) work(first int) {
	for i := range t.shares {
		s := &t.shares[(first+i)%len(t.shares)]
		for {
			lo, hi := s.claim()
			if lo == hi {
				break
			}
			t.do(lo, hi)
		}
	}
}

func (t *team) do(lo, hi int) {
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

// wait returns when all claimed pieces are done: it polls for a while, then parks.
func (t *team) wait() {
	if poll(t.spin, func() bool { return t.pending.Load() == 0 }) {
		return
	}
	t.waiting.Store(true)
	for t.pending.Load() != 0 {
		<-t.done
	}
	t.waiting.Store(false)
}

func (t *team) close() {
	t.closed.Store(true)
	t.epoch.Add(1)
	for i := range t.workers {
		t.workers[i].unpark()
	}
	t.stopped.Wait()
}
