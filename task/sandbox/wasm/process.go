package wasm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"parley/task/sandbox"
)

// A process is one child.
type process struct {
	cmd     *exec.Cmd
	stdin   io.WriteCloser
	replies chan reply // closed at its end
	quit    chan struct{}
	stderr  bytes.Buffer // read after the end
}

// start starts a child and waits until it is ready.
func start(ctx context.Context) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program's own file: %w", err)
	}
	p := &process{cmd: exec.Command(self), replies: make(chan reply), quit: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), childVariable+"=1")
	p.cmd.Stderr = &p.stderr
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start a child: %w", err)
	}
	go p.listen(stdout)
	ready, err := p.receive(ctx, readyTime)
	switch {
	case err == nil && ready.Error != "":
		err = errors.New(ready.Error)
	case errors.Is(err, errGone):
		p.stop()
		err = fmt.Errorf("a child did not start: %s", strings.TrimSpace(p.stderr.String()))
	case errors.Is(err, errLate):
		err = fmt.Errorf("a child was not ready within %v", readyTime)
	}
	if err != nil {
		p.stop()
		return nil, err
	}
	return p, nil
}

// listen passes on what the child answers.
func (p *process) listen(stdout io.Reader) {
	defer close(p.replies)
	for dec := json.NewDecoder(stdout); ; {
		var r reply
		if dec.Decode(&r) != nil {
			return
		}
		select {
		case p.replies <- r:
		case <-p.quit:
			return
		}
	}
}

var (
	errGone = errors.New("the child has ended")
	errLate = errors.New("the child did not answer in time")
)

func (p *process) receive(ctx context.Context, within time.Duration) (reply, error) {
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case r, more := <-p.replies:
		if !more {
			return reply{}, errGone
		}
		return r, nil
	case <-timer.C:
		return reply{}, errLate
	case <-ctx.Done():
		return reply{}, ctx.Err()
	}
}

// run runs one program, or two that are joined, whose time begins when every interpreter has started. healthy is false when the child
// must be stopped: something may still run in it.
func (p *process) run(ctx context.Context, r request, wall time.Duration) (result sandbox.Result, healthy bool, err error) {
	data, err := json.Marshal(r)
	if err != nil {
		return sandbox.Result{}, true, fmt.Errorf("describe a program to a child: %w", err)
	}
	go func() { _, _ = p.stdin.Write(data) }() // a child that does not read does not answer
	got, err := p.receive(ctx, startTime)
	began := err == nil && got.Began
	if began {
		got, err = p.receive(ctx, wall)
	}
	switch {
	case errors.Is(err, errLate) && began:
		return sandbox.Result{Status: sandbox.TimedOut}, false, nil
	case errors.Is(err, errLate), errors.Is(err, errGone):
		return sandbox.Result{Status: sandbox.Lost}, false, nil
	case err != nil:
		return sandbox.Result{}, false, fmt.Errorf("run a program: %w", err)
	}
	healthy = got.Result.Status != sandbox.Flooded
	if r.Second != nil && healthy {
		_, err := p.receive(ctx, graceTime) // its channel has ended, so that it does, unless it has other things to do
		healthy = err == nil
	}
	return got.Result, healthy, nil
}

// stop kills the child and waits for its end.
func (p *process) stop() {
	select {
	case <-p.quit:
		return
	default:
		close(p.quit)
	}
	_ = p.cmd.Process.Kill() // it may have ended by itself
	_ = p.cmd.Wait()
}
