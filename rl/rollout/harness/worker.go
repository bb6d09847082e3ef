package harness

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"parley/internal/service"
)

//go:embed driver.py
var driver string

// pythonCommand is the command of a process that calls a file's function episode.
func pythonCommand(interpreter, file string) []string {
	return []string{interpreter, "-u", "-c", service.PythonDriver(driver) + "\nserve(*sys.argv[1:])", file}
}

// workers are processes that stay: each plays one episode after the other, and gets a line for each.
type workers struct {
	h       *Harness
	command []string

	mu     sync.Mutex
	idle   []*worker
	closed bool
	ending sync.WaitGroup // processes that are asked to end
}

// A worker is one process.
type worker struct {
	*service.Group
	lines *service.Lines
	stays bool // it has played an episode
}

func newWorkers(h *Harness, command []string) *workers { return &workers{h: h, command: command} }

// take is a process that waits, or a new one.
func (w *workers) take() (*worker, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil, errors.New("the harness is closed")
	}
	for len(w.idle) > 0 {
		k := w.idle[len(w.idle)-1]
		w.idle = w.idle[:len(w.idle)-1]
		select {
		case <-k.Ended():
			w.ending.Go(k.Stop) // what it has left behind
		default:
			return k, nil
		}
	}
	lines := service.NewLines(16)
	g, err := service.Start{Command: w.command, Dir: w.h.settings.Folder, Env: w.h.idle(), Output: lines}.Group()
	return &worker{Group: g, lines: lines}, err
}

// give takes a process back.
func (w *workers) give(k *worker) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		w.ending.Go(k.Stop)
		return
	}
	k.stays = true
	w.idle = append(w.idle, k)
}

// play implements [program]. A process that does anything but answer in time is ended.
func (w *workers) play(ctx context.Context, e *Live, begin []byte) said {
	k, err := w.take()
	if err != nil {
		return said{err: err, unstarted: true}
	}
	k.Errors()
	k.lines.Forget()
	k.Say(append(begin, '\n'), false)
	result, err := k.answer(ctx, begin)
	s := said{result: result, err: err, output: k.Errors()}
	if err != nil {
		calls, _ := e.asked()
		s.unstarted = k.stays && calls == 0 // what it did wrong may be of another episode
		w.ending.Go(k.Stop)
	} else {
		w.give(k)
	}
	return s
}

// answer is the line of a process about an episode.
func (k *worker) answer(ctx context.Context, begin []byte) ([]byte, error) {
	var line []byte
	select {
	case line = <-k.lines.C():
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-k.Ended():
		select {
		case line = <-k.lines.C(): // its last words
		default:
			if err := k.Err(); err != nil {
				return nil, err
			}
			return nil, fmt.Errorf("it ended before the episode did%s", k.Words())
		}
	}
	if len(line) > longestResult {
		return nil, fmt.Errorf("its line has more than %d bytes: %.80q", longestResult, line)
	}
	var of, asked struct {
		ID json.RawMessage `json:"id"`
	}
	_ = json.Unmarshal(begin, &asked) // it is our own
	if err := json.Unmarshal(line, &of); err != nil {
		return nil, fmt.Errorf("it wrote %.80q, which is no JSON object: %w", line, err)
	}
	if !bytes.Equal(of.ID, asked.ID) {
		return nil, fmt.Errorf(`it wrote %.80q, expected a result with "id": %s, the number`, line, asked.ID)
	}
	return line, nil
}

func (w *workers) close() {
	w.mu.Lock()
	w.closed = true
	for _, k := range w.idle {
		w.ending.Go(k.Stop)
	}
	w.idle = nil
	w.mu.Unlock()
	w.ending.Wait()
}
