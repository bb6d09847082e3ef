package studycmd

import (
	"context"
	"sync"
	"time"
)

// A queue does jobs by their names, so many at a time, and says how far it is and how long the rest may take.
//
// A job that fails stops no other. When the context ends no further job begins, those that go on are waited for, and the error is the
// context's. Running the same names again does the jobs that are not done.
type queue struct {
	Jobs int // at a time, at least 1
	Do   func(ctx context.Context, name string) error
	Tell func(event) // called from one goroutine at a time
	Now  func() time.Time
}

// An event is that a job begins, or that it is done.
type event struct {
	Name  string
	Ended bool
	Err   error // why it failed; nil: it did not, or it only begins
	Took  time.Duration
	Done  int // jobs that have ended
	All   int
	Left  time.Duration // of all of them, as far as can be told from those that are done; 0: nothing is known
}

// A failedJob is a job that failed.
type failedJob struct {
	Name string
	Err  error
}

// Run does all jobs in order. The failures are in that order too.
func (q *queue) Run(ctx context.Context, names []string) ([]failedJob, error) {
	r := &running{queue: q, all: len(names), began: q.Now(), errs: make([]error, len(names))}
	next := make(chan int)
	var workers sync.WaitGroup
	for range max(1, min(q.Jobs, len(names))) {
		workers.Go(func() {
			for i := range next {
				r.do(ctx, i, names[i])
			}
		})
	}
	for i := range names {
		if ctx.Err() != nil {
			break
		}
		select {
		case next <- i:
		case <-ctx.Done():
		}
	}
	close(next)
	workers.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var failed []failedJob
	for i, err := range r.errs {
		if err != nil {
			failed = append(failed, failedJob{names[i], err})
		}
	}
	return failed, nil
}

// running is what a queue knows while it runs.
type running struct {
	queue *queue
	all   int
	began time.Time
	errs  []error

	mu   sync.Mutex // of what follows, and held while somebody is told
	done int
}

// do does one job.
func (r *running) do(ctx context.Context, i int, name string) {
	began := r.queue.Now()
	r.tell(event{Name: name})
	r.errs[i] = r.queue.Do(ctx, name)
	if ctx.Err() != nil {
		return // nobody knows whether it is done
	}
	r.tell(event{Name: name, Ended: true, Err: r.errs[i], Took: r.queue.Now().Sub(began)})
}

func (r *running) tell(e event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e.Ended {
		r.done++
	}
	e.Done, e.All = r.done, r.all
	if r.done > 0 { // jobs at a time are as many as before, so the rest takes its share of the time
		e.Left = time.Duration(float64(r.queue.Now().Sub(r.began)) / float64(r.done) * float64(r.all-r.done))
	}
	r.queue.Tell(e)
}
