// Package jobs does what is started from the page: one training after the other, and beside them what only looks at runs, such as swaps, each by a process
// of its own.
//
//	jobs.go   the queue
//	work.go   the process of a job
//
// A process of its own has its own memory, and its failure harms no other job. It goes on when the page's server ends, like a process that
// was started on a command line. Jobs that still wait then are forgotten.
package jobs

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// A State says how far a job is.
type State string

// The states.
const (
	Waiting State = "waiting"
	Running State = "running"
	Done    State = "done"
	Failed  State = "failed"
)

// A Job is one thing to do.
type Job struct {
	Job     int    `json:"job"`
	What    string `json:"what"` // train, resume, swap, ask or tokens
	Title   string `json:"title"`
	Run     string `json:"run"` // its id
	State   State  `json:"state"`
	Message string `json:"message"`
	Created string `json:"created"`

	work     Work
	stop     func() error // asks the process to save its state and end
	stopping bool         // it was asked
}

// Work is what a job does: arguments of the program, and how the run is called that it makes, as soon as it begins.
type Work struct {
	What, Title, Run string
	Begin            func() (args []string, run string, err error)
	End              func() // after it, however it ended
}

// mostKept is how many jobs that have ended are remembered, and mostWaiting how many may wait.
const (
	mostKept    = 50
	mostWaiting = 100
)

// A Queue does jobs. Its methods may be called from anywhere.
type Queue struct {
	Program string // that is run: parley
	Now     func() time.Time

	mu      sync.Mutex
	jobs    []*Job
	last    int
	working map[bool]bool // somebody does what stands aside, and the trainings
}

// What jobs are that do not wait for trainings.
const (
	Swap         = "swap"
	Ask          = "ask"
	Tokens       = "tokens"
	Contribution = "contribution"
)

// aside says that a job does not wait for trainings.
func (j *Job) aside() bool { return slices.Contains([]string{Swap, Ask, Tokens, Contribution}, j.What) }

// A BusyError says that too many jobs wait.
type BusyError struct{}

func (*BusyError) Error() string { return fmt.Sprintf("%d jobs wait already", mostWaiting) }

// A NoneError says that there is no job to do that with.
type NoneError struct{ Why string }

func (e *NoneError) Error() string { return e.Why }

// goesOn says that a run is trained, or that its training waits.
func (j *Job) goesOn(run string) bool {
	return run != "" && j.Run == run && !j.aside() && (j.State == Waiting || j.State == Running && !j.stopping)
}

// Add puts work into the queue. A run is not queued for training again while it waits or is trained, so that stopping it really
// stops it.
func (q *Queue) Add(w Work) (Job, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	waiting := 0
	for _, j := range q.jobs {
		if j.State == Waiting {
			waiting++
		}
	}
	if waiting >= mostWaiting {
		return Job{}, &BusyError{}
	}
	if lane := (&Job{What: w.What}); !lane.aside() && slices.ContainsFunc(q.jobs, func(j *Job) bool { return j.goesOn(w.Run) }) {
		return Job{}, &NoneError{w.Run + " is in the queue already"}
	}
	q.last++
	j := &Job{Job: q.last, What: w.What, Title: w.Title, Run: w.Run, State: Waiting, Created: q.Now().UTC().Format(time.RFC3339), work: w}
	q.jobs = append(q.jobs, j)
	if lane := j.aside(); !q.working[lane] {
		if q.working == nil {
			q.working = map[bool]bool{}
		}
		q.working[lane] = true
		go q.work(lane)
	}
	return *j, nil
}

// List is all jobs, oldest first.
func (q *Queue) List() []Job {
	q.mu.Lock()
	defer q.mu.Unlock()
	out := []Job{}
	for _, j := range q.jobs {
		out = append(out, *j)
	}
	return out
}

// Cancel takes a job out of the queue that has not begun.
func (q *Queue) Cancel(job int) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.IndexFunc(q.jobs, func(j *Job) bool { return j.Job == job && j.State == Waiting })
	if i < 0 {
		return &NoneError{fmt.Sprintf("no job %d waits", job)}
	}
	end := q.jobs[i].work.End
	q.jobs = slices.Delete(q.jobs, i, i+1)
	if end != nil {
		end()
	}
	return nil
}

// Stop asks the process that trains a run to save its state and end, where this queue has started it.
func (q *Queue) Stop(run string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, j := range q.jobs {
		if j.State == Running && j.Run == run && !j.aside() && j.stop != nil {
			if j.stopping {
				return nil // to ask again would end it before its state is saved
			}
			j.stopping = true
			return j.stop()
		}
	}
	return &NoneError{fmt.Sprintf("%s was not started from this page: stop it where it was started", run)}
}

// work does jobs until none waits.
func (q *Queue) work(lane bool) {
	for {
		j := q.next(lane)
		if j == nil {
			return
		}
		err := q.do(j)
		q.mu.Lock()
		j.stop, j.State = nil, Done
		if err != nil {
			j.Message = strings.TrimSpace(err.Error())
			if !errors.Is(err, errStopped) && !errors.Is(err, errUnkept) {
				j.State = Failed
			}
		}
		end := j.work.End
		q.mu.Unlock()
		if end != nil {
			end()
		}
	}
}

// next begins the job that has waited the longest; nil: there is none.
func (q *Queue) next(lane bool) *Job {
	q.mu.Lock()
	defer q.mu.Unlock()
	ended := slices.IndexFunc(q.jobs, func(j *Job) bool { return j.State == Done || j.State == Failed })
	if len(q.jobs) > mostKept+mostWaiting && ended >= 0 {
		q.jobs = slices.Delete(q.jobs, ended, ended+1)
	}
	for _, j := range q.jobs {
		if j.State == Waiting && j.aside() == lane {
			j.State = Running
			return j
		}
	}
	q.working[lane] = false
	return nil
}

// do does one job.
func (q *Queue) do(j *Job) error {
	args, run, err := j.work.Begin()
	if err != nil {
		return err
	}
	q.mu.Lock()
	j.Run = cmp.Or(run, j.Run)
	q.mu.Unlock()
	p, err := start(q.Program, args)
	if err != nil {
		return err
	}
	q.mu.Lock()
	j.stop = p.interrupt
	q.mu.Unlock()
	return p.wait()
}

var (
	errSilent  = errors.New("it ended without a word")
	errStopped = errors.New("it was stopped")
	errUnkept  = errors.New("what it found is not kept, and stands only here")
)

// interrupted is the exit code of a program that was asked to end and has saved its state.
const interrupted = 130
