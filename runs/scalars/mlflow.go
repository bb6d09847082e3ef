package scalars

// This file sends what a run measures to an MLflow server: the numbers of metrics.jsonl and timing.jsonl at the step of their update,
// the recipe as parameters, and the scores of the report at the end.
//
//	mlflow.go  a [MLflowTracker] that follows a run, and [SendMLflow] for a run that exists
//	sender.go  what is still to be sent, and sending it
//	client.go  MLflow's REST interface
//
// The server may be away: training goes on, one note says so, and what was not sent is sent later, after a resume too, because the run's
// folder has everything. The file mlflow.json in it says which run of the server it is and up to which update that knows all, so that a run
// that goes on is the same run there and no number is sent twice.

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"parley/internal/service"
	"parley/internal/service/web"
	"parley/internal/usererror"
	"parley/runs"
)

// MLflowOptions say where to.
type MLflowOptions struct {
	URL        string
	Experiment string // on the server; it is made where there is none
	Name       string // of the run on the server
	Token      string // sent as a bearer token; empty: none
}

// A MLflowTracker sends while a run is trained. It implements [runs.Follower].
type MLflowTracker struct {
	sender *sender
	note   func(string)
	pause  time.Duration // before the first try again
	grace  time.Duration // for what is left when the run ends

	held Step      // metrics whose timing is still to come
	at   time.Time // of the last update: the run's start and the seconds of all updates, as [History] has it

	mutex   sync.Mutex
	pending []Step
	results []Scalar // nil: not finished
	last    Step     // the last update, without its numbers

	owner  context.Context // that of the run
	ctx    context.Context // of what is sent, also when the run has ended
	cancel context.CancelFunc

	wake    chan struct{}
	closing chan struct{}
	done    chan struct{} // closed when the last is sent, or nothing more will be
}

// FollowMLflow begins to send what the run in dir writes from now on, and what it has written and was not sent. note is told what goes wrong, also
// between the calls of the tracker's methods.
func FollowMLflow(ctx context.Context, dir string, o MLflowOptions, note func(string)) *MLflowTracker {
	return follow(ctx, dir, o, note, time.Second, 10*time.Second)
}

func follow(ctx context.Context, dir string, o MLflowOptions, note func(string), pause, grace time.Duration) *MLflowTracker {
	t := &MLflowTracker{
		sender: newSender(dir, o), note: note, pause: pause, grace: grace, owner: ctx,
		wake: make(chan struct{}, 1), closing: make(chan struct{}), done: make(chan struct{}),
	}
	t.ctx, t.cancel = context.WithCancel(context.WithoutCancel(ctx))
	go t.run()
	return t
}

// Restored implements [runs.Follower]: what the folder has up to this update and the server does not is to be sent.
func (t *MLflowTracker) Restored(int) {
	meta, err := runs.Read(t.sender.dir)
	history, failed := History(t.sender.dir)
	if err := errors.Join(err, failed); err != nil {
		t.note(fmt.Sprintf("MLflow: what was measured before is not sent: %v", err))
		return
	}
	t.held, t.at = Step{}, meta.Created
	if len(history) > 0 {
		t.at = history[len(history)-1].At
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.pending = history
	if len(history) > 0 {
		t.last = Step{Update: history[len(history)-1].Update, At: t.at}
	}
	t.signal()
}

// Metrics implements [runs.Follower].
func (t *MLflowTracker) Metrics(update int, line []byte) {
	list, err := Of(line)
	if err != nil {
		t.note(fmt.Sprintf("MLflow: update %d is not sent: %v", update, err))
	}
	t.held = Step{Update: update, Scalars: list}
}

// Timing implements [runs.Follower]: an update is sent when it is whole.
func (t *MLflowTracker) Timing(update int, line []byte) {
	seconds, list, err := OfTiming(line)
	if err != nil || t.held.Update != update {
		t.note(fmt.Sprintf("MLflow: update %d is not sent: %v", update, err))
		return
	}
	t.at = t.at.Add(seconds)
	step := Step{Update: update, At: t.at, Scalars: append(t.held.Scalars, list...)}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.pending, t.last = append(t.pending, step), Step{Update: update, At: t.at}
	t.signal()
}

// Finished implements [runs.Follower].
func (t *MLflowTracker) Finished(r runs.Report) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.results = Results(r)
	t.signal()
}

// Close implements [runs.Follower]: it gives what is left a few seconds, and a moment where the run was interrupted.
func (t *MLflowTracker) Close() error {
	parting, stop := service.Parting(t.owner, t.grace)
	defer stop()
	defer context.AfterFunc(parting, t.cancel)()
	close(t.closing)
	<-t.done
	t.cancel()
	return nil
}

func (t *MLflowTracker) signal() {
	select {
	case t.wake <- struct{}{}:
	default: // it is awake
	}
}

// run sends until the run is closed.
func (t *MLflowTracker) run() {
	defer close(t.done)
	closing, failures := t.closing, 0 // closing is nil once that is known
	for {
		select {
		case <-closing:
			closing = nil
		default:
		}
		err := t.flush()
		wake, again := t.wake, (<-chan time.Time)(nil)
		switch {
		case err == nil && closing == nil:
			t.end()
			return
		case err == nil:
			failures = 0
		case lasting(err), t.ctx.Err() != nil:
			t.note(fmt.Sprintf("MLflow: nothing more is sent to %s: %v; later: %s", t.sender.options.URL, err,
				usererror.Quote("parley", "run", "export", t.sender.dir, "--mlflow", t.sender.options.URL)))
			return
		default:
			if failures++; failures == 1 {
				t.note(fmt.Sprintf("MLflow: %s cannot be reached (%v); training goes on, and what is measured is sent when it can be", t.sender.options.URL, err))
			}
			wake, again = nil, time.After(max(web.Pause(t.pause, failures), asked(err))) // something new is no reason to try again
		}
		select {
		case <-wake:
		case <-closing:
		case <-again:
		case <-t.ctx.Done():
		}
	}
}

// flush sends what is pending, and the results of a finished run after them.
func (t *MLflowTracker) flush() error {
	t.mutex.Lock()
	steps, results, last := t.pending, t.results, t.last
	t.pending = nil
	t.mutex.Unlock()
	left, err := t.sender.send(t.ctx, steps)
	if err == nil && results != nil {
		err = t.sender.finish(t.ctx, last, results)
	}
	t.mutex.Lock()
	t.pending = append(left, t.pending...)
	if err == nil && results != nil {
		t.results = nil
	}
	t.mutex.Unlock()
	return err
}

// end says on the server that a run was interrupted, where it was not finished.
func (t *MLflowTracker) end() {
	if err := t.sender.interrupted(t.ctx, time.Now()); err != nil {
		t.note(fmt.Sprintf("MLflow: %s still shows the run as running: %v", t.sender.options.URL, err))
	}
}

// SendMLflow sends a run that exists, with its results where it has them, and returns the id of its run on the server.
func SendMLflow(ctx context.Context, dir string, o MLflowOptions) (string, error) {
	s := newSender(dir, o)
	history, err := History(dir)
	if err != nil {
		return "", err
	}
	if _, err := s.send(ctx, history); err != nil {
		return "", fmt.Errorf("send to %s: %w", o.URL, err)
	}
	report, err := runs.ReadReport(dir)
	if err != nil || len(history) == 0 {
		return s.state.Run, s.interrupted(ctx, time.Now())
	}
	if err := s.finish(ctx, history[len(history)-1], Results(report)); err != nil {
		return "", fmt.Errorf("send to %s: %w", o.URL, err)
	}
	return s.state.Run, nil
}
