// Package pipe is how the engine torch speaks with a worker: frames on stdin and stdout of a process, one call at a time. A worker that dies, lies, or is
// silent for too long is of no use any more, and every later call says why.
package pipe

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"parley/engine"
)

const (
	patience   = 2 * time.Second // for a worker that is told to leave
	tailShown  = 2000            // bytes of stderr in an error
	waitToKill = 5 * time.Second // for pipes of a process that is gone
)

// A Process is a worker. It does one call at a time.
type Process struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	frames  chan *Frame // what it says; closed behind the last
	stderr  tail
	timeout time.Duration
	turn    chan struct{} // holds one token while nobody calls
	id      uint64        // of the last call
	died    chan struct{} // closed once it is of no use
	failing sync.Once

	mu   sync.Mutex
	dead error // why
	ends error // of what it says
}

// Start starts a worker by its command.
func Start(cmd *exec.Cmd, timeout time.Duration) (*Process, error) {
	p := &Process{cmd: cmd, frames: make(chan *Frame, 1), timeout: timeout, turn: make(chan struct{}, 1), died: make(chan struct{})}
	p.turn <- struct{}{}
	cmd.Stderr, cmd.WaitDelay = &p.stderr, waitToKill
	var err error
	if p.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	// A pipe of our own: Wait must not close what is still read.
	out, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdout = write
	err = cmd.Start()
	write.Close()
	if err != nil {
		out.Close()
		return nil, err
	}
	go p.listen(out)
	return p, nil
}

// listen hands out frames until there are no more.
func (p *Process) listen(out io.ReadCloser) {
	defer out.Close()
	defer close(p.frames)
	r := bufio.NewReaderSize(out, 1<<16)
	for {
		f, err := readFrame(r)
		if err != nil {
			p.mu.Lock()
			p.ends = err
			p.mu.Unlock()
			return
		}
		select {
		case p.frames <- f:
		case <-p.died:
			return
		}
	}
}

// An Answer is the head of a frame from a worker.
type Answer struct {
	ID    *uint64
	OK    json.RawMessage
	More  bool // an answer in between: the worker waits for the second part of the request
	Burst bool // tokens
	Alive bool
	Error *struct{ Kind, Message string }
}

// A Request is what a worker is asked.
type Request struct {
	Op      string
	Fields  map[string]any
	Tensors []Tensor
	// During takes what comes before the answer, and may send more of the call. Its error ends the call.
	During func(a Answer, f *Frame, send func(fields map[string]any, tensors ...Tensor) error) error
}

// Call asks a worker and waits for its answer. The end of ctx ends the call; the worker is then told to stop, and the next call waits until it has.
func (p *Process) Call(ctx context.Context, q Request) (*Frame, error) {
	select {
	case <-p.turn:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	f, done, err := p.ask(ctx, q)
	if done {
		p.turn <- struct{}{}
	}
	return f, p.Believe(q.Op, err)
}

// ask is Call for who has the turn. It is done with it, unless the worker still is to stop.
func (p *Process) ask(ctx context.Context, q Request) (f *Frame, done bool, err error) {
	if err := p.failure(); err != nil {
		return nil, true, err
	}
	if err := ctx.Err(); err != nil {
		return nil, true, err
	}
	p.id++
	fields := map[string]any{"op": q.Op}
	maps.Copy(fields, q.Fields)
	send := func(fields map[string]any, tensors ...Tensor) error {
		fields["id"] = p.id
		return p.send(q.Op, fields, tensors)
	}
	if err := send(fields, q.Tensors...); err != nil {
		return nil, true, err
	}
	for {
		f, a, err := p.next(ctx, q.Op)
		switch {
		case err != nil && ctx.Err() != nil && p.failure() == nil:
			return nil, p.stop(ctx, send), err
		case err != nil:
			return nil, true, err
		case a.Error != nil:
			return nil, true, p.refusal(q.Op, a)
		case a.OK != nil:
			f.Head = a.OK
			return f, true, nil
		case a.Alive:
			continue
		case !(a.More || a.Burst) || q.During == nil:
			return nil, true, p.Fail(q.Op, fmt.Errorf("it says %.80q, which is no answer", f.Head))
		}
		if err := q.During(a, f, send); err != nil {
			return nil, p.stop(ctx, send), err
		}
	}
}

// next waits for what the worker says.
func (p *Process) next(ctx context.Context, op string) (*Frame, Answer, error) {
	timer := time.NewTimer(p.timeout)
	defer timer.Stop()
	select {
	case f, open := <-p.frames:
		if !open {
			return nil, Answer{}, p.Fail(op, p.ended())
		}
		var a Answer
		if err := json.Unmarshal(f.Head, &a); err != nil {
			return nil, a, p.Fail(op, fmt.Errorf("the answer %.80q: %w", f.Head, err))
		}
		if a.ID == nil || *a.ID != p.id {
			return nil, a, p.Fail(op, fmt.Errorf("it answers another call than %d: %.80q", p.id, f.Head))
		}
		return f, a, nil
	case <-ctx.Done():
		return nil, Answer{}, ctx.Err()
	case <-p.died:
		return nil, Answer{}, p.failure()
	case <-timer.C:
		return nil, Answer{}, p.Fail(op, fmt.Errorf("it says nothing for %v (engine.torch.timeout)", p.timeout))
	}
}

// stop tells the worker to end a call that nobody waits for. It reports whether it has; if not, the turn is given back once it has.
func (p *Process) stop(ctx context.Context, send func(map[string]any, ...Tensor) error) (done bool) {
	if send(map[string]any{"cancel": true}) != nil {
		return true
	}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			_, a, err := p.next(context.WithoutCancel(ctx), "cancel")
			if err != nil || a.OK != nil || a.Error != nil {
				return
			}
		}
	}()
	select {
	case <-stopped:
		return true
	case <-time.After(patience / 4):
	}
	go func() {
		<-stopped
		p.turn <- struct{}{}
	}()
	return false
}

// send writes a frame, for which a worker that does not read has the usual time.
func (p *Process) send(op string, fields map[string]any, tensors []Tensor) error {
	written := make(chan error, 1)
	go func() { written <- writeFrame(p.in, fields, tensors) }()
	timer := time.NewTimer(p.timeout)
	defer timer.Stop()
	select {
	case err := <-written:
		if err == nil {
			return nil
		}
		var gone *os.PathError
		if !errors.As(err, &gone) && !errors.Is(err, io.ErrClosedPipe) {
			return err // it could not be written down
		}
		return p.Fail(op, p.ended())
	case <-p.died:
		return p.failure()
	case <-timer.C:
		return p.Fail(op, fmt.Errorf("it reads nothing for %v (engine.torch.timeout)", p.timeout))
	}
}

// ended says how a worker that says nothing more came to its end.
func (p *Process) ended() error {
	select { // a frame that waits to be read is not what is asked for
	case _, open := <-p.frames:
		for open {
			_, open = <-p.frames
		}
	case <-time.After(patience):
	}
	p.mu.Lock()
	err := p.ends
	p.mu.Unlock()
	if err == nil || err == io.EOF {
		return errors.New("it ended")
	}
	return fmt.Errorf("what it says is no frame: %w", err)
}

// Fail marks a worker that is of no use any more, and ends it. What it computed is lost, so nothing is half applied.
func (p *Process) Fail(op string, why error) error {
	p.failing.Do(func() {
		_ = p.cmd.Process.Kill() // it may be gone already
		_ = p.cmd.Wait()         // for the end of stderr
		text := p.stderr.String()
		if text != "" {
			text = "; the end of its stderr:\n" + text
		}
		p.mu.Lock()
		p.dead = fmt.Errorf("torch worker, %s: %w%s", op, why, text)
		p.mu.Unlock()
		close(p.died)
	})
	return p.failure()
}

// Believe ends a worker whose answer cannot be one: err is a [Lie]. Other errors it returns as they are.
func (p *Process) Believe(op string, err error) error {
	if _, ok := errors.AsType[liar](err); ok {
		return p.Fail(op, err)
	}
	return err
}

func (p *Process) failure() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dead
}

// refusal is the error that a worker answered with.
func (p *Process) refusal(op string, a Answer) error {
	text := fmt.Errorf("torch worker, %s: %s", op, a.Error.Message)
	switch a.Error.Kind {
	case "refused":
		return fmt.Errorf("%w: %w", errors.ErrUnsupported, text)
	case "not finite":
		return fmt.Errorf("%w: %w", engine.ErrNotFinite, text)
	case "memory":
		return fmt.Errorf("out of memory: %w; shorter completions or prompts, a lower engine.torch.dtype (nf4), or a larger engine.torch.memory may help", text)
	case "device":
		return p.Fail(op, errors.New(a.Error.Message))
	case "bad", "internal", "cancelled":
		return text
	}
	return p.Fail(op, fmt.Errorf("an error of kind %.40q: %s", a.Error.Kind, a.Error.Message))
}

// Close ends a worker: it leaves when its stdin closes.
func (p *Process) Close() {
	if p.failure() != nil {
		return
	}
	p.in.Close()
	gone := make(chan struct{})
	go func() {
		for range p.frames {
		}
		close(gone)
	}()
	select {
	case <-gone:
	case <-time.After(patience):
	}
	_ = p.Fail("close", errors.New("it is closed")) // what it had to say no longer matters
}

// A tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	data []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, b...)
	if over := len(t.data) - 2*tailShown; over > 0 {
		t.data = append(t.data[:0], t.data[over:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := bytes.TrimSpace(t.data)
	if over := len(text) - tailShown; over > 0 {
		text = text[over:]
	}
	return strings.ToValidUTF8(string(text), "?")
}
