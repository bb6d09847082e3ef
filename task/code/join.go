package code

import (
	"context"

	"parley/task/sandbox"
)

// join runs a test and the program that it is about in two sandboxes with a channel between them, until the test ends. The result is
// the test's own, or that a sandbox was lost or the program's time was up. How the program ends says nothing else: the test decides.
func (l *Sandboxes) join(ctx context.Context, test, program sandbox.Program) (sandbox.Result, error) {
	if j, ok := l.programs.Backend.(sandbox.Joiner); ok {
		return j.Join(ctx, test, program)
	}
	var err error
	if test.Channel, program.Channel, err = sandbox.SocketPair(); err != nil {
		return sandbox.Result{}, err
	}
	ctx, cancel := context.WithCancel(ctx)
	served := make(chan sandbox.Status, 1)
	go func() {
		r, _ := l.programs.Run(ctx, program) // its end is asked for below
		served <- r.Status
	}()
	r, err := l.trusted.Run(ctx, test)
	cancel()
	if status := <-served; status == sandbox.Lost || status == sandbox.TimedOut && !r.OK() {
		r.Status = status
	}
	return r, err
}
