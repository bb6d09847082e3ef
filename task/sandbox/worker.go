//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	startTime = 30 * time.Second // for a worker to be ready, on a machine with much else to do
	graceTime = 5 * time.Second  // for a worker to answer after the deadline of its program
)

// A worker is one running sandbox.
type worker struct {
	cmd     *exec.Cmd
	control *net.UnixConn
	group   *group // nil: none
	python  string // version
	shared  string // why programs have no namespaces of their own, so that the worker takes one program only; empty: they have
	ended   chan struct{}
	stderr  bytes.Buffer // of bubblewrap and of Python's start; read after ended
}

// A greeting is what a worker is told before it is ready.
type greeting struct {
	modules []Module
	alone   bool // it need not try to make namespaces: it takes one program only
}

// startWorker starts a sandbox in a group and waits until it is ready. start calls f on the thread that workers are tied to.
func startWorker(cmd *exec.Cmd, g *group, said greeting, start func(f func() error) error) (*worker, error) {
	control, theirs, err := packetPair()
	if err != nil {
		return nil, err
	}
	rules, err := memoryFile("filter", compiled(filter(workerAllowed...)))
	if err != nil {
		closeAll([]*os.File{theirs})
		control.Close()
		return nil, err
	}
	w := &worker{cmd: cmd, control: control, group: g, ended: make(chan struct{})}
	w.cmd.ExtraFiles = []*os.File{theirs, rules}
	w.cmd.Stderr = &w.stderr
	err = start(w.cmd.Start)
	closeAll([]*os.File{theirs, rules}) // the worker's now: when it ends, control does
	if err != nil {
		control.Close()
		return nil, err
	}
	go func() {
		defer close(w.ended)
		_ = w.cmd.Wait() // how a worker ended is in what it wrote
	}()
	if err := w.greet(said); err != nil {
		w.stop()
		return nil, fmt.Errorf("%w: %s", err, strings.TrimSpace(w.stderr.String()))
	}
	return w, nil
}

// greet sends the modules and the filter of programs, and waits for what the worker says of itself.
func (w *worker) greet(said greeting) error {
	file, err := jsonFile("modules", said.modules)
	if err != nil {
		return err
	}
	defer file.Close()
	rules, err := memoryFile("filter", compiled(filter()))
	if err != nil {
		return err
	}
	defer rules.Close()
	if err := w.send(map[string]any{"alone": said.alone}, []*os.File{file, rules}); err != nil {
		return errors.New("a worker did not start")
	}
	var hello struct{ Python, Shared string }
	if err := w.receive(startTime, &hello); err != nil {
		return errors.New("a worker did not start")
	}
	w.python, w.shared = hello.Python, hello.Shared
	w.group.settle()
	return nil
}

// stop kills the sandbox with everything in it and waits for its end.
func (w *worker) stop() {
	_ = w.cmd.Process.Kill()
	<-w.ended
	w.control.Close()
	w.group.remove()
}

func (w *worker) send(message any, files []*os.File) error {
	data, err := json.Marshal(message)
	if err != nil {
		return err
	}
	fds := make([]int, len(files))
	for i, f := range files {
		fds[i] = int(f.Fd())
	}
	_, _, err = w.control.WriteMsgUnix(data, unix.UnixRights(fds...), nil)
	return err
}

func (w *worker) receive(within time.Duration, v any) error {
	if err := w.control.SetReadDeadline(time.Now().Add(within)); err != nil {
		return err
	}
	var packet [4096]byte
	n, err := w.control.Read(packet[:])
	if err != nil {
		return err
	}
	return json.Unmarshal(packet[:n], v)
}

// job is what a worker is told of a program; the rest is in the job file.
type job struct {
	Wall      float64 `json:"wall"` // seconds
	CPU       int     `json:"cpu"`  // seconds
	Memory    int64   `json:"memory"`
	Processes int     `json:"processes"`
	File      int64   `json:"file"`
}

// ending is what a worker tells of a program.
type ending struct {
	How    string // ended, timeout or killed
	Signal *int
	Code   *int
}

// run runs one program. healthy is false when the worker must not run another.
func (w *worker) run(ctx context.Context, p Program) (result Result, healthy bool, err error) {
	limits := p.Limits.withDefaults()
	granted, end := limits.Budget.Begin(limits.Wall)
	if granted == 0 {
		return Result{Status: TimedOut}, true, nil
	}
	defer func() { end(result.Status) }()
	limits.Wall = granted
	source, err := jsonFile("job", map[string]any{"source": strings.ToValidUTF8(p.Source, "\uFFFD"), "argument": p.Argument})
	if err != nil {
		return Result{}, true, fmt.Errorf("describe a program to a worker: %w", err)
	}
	files := []*os.File{source}
	out, files, err := capture(limits.Output, w.kill, files)
	if err == nil && p.Channel != nil {
		files = append(files, p.Channel)
	}
	defer closeAll(files)
	if err == nil {
		err = w.group.bound(limits)
	}
	if err != nil {
		return Result{}, true, err
	}
	err = w.send(job{
		Wall: limits.Wall.Seconds(), CPU: int(limits.Wall.Seconds()) + 2, Memory: limits.Memory, Processes: limits.Processes,
		File: limits.FileSize,
	}, files)
	closeAll(files) // the program's ends are the worker's now
	if err != nil {
		out.discard()
		return Result{Status: Lost}, false, nil
	}
	defer w.killAtEnd(ctx)()
	var answer ending
	if err := w.receive(limits.Wall+graceTime, &answer); err == nil {
		result, healthy = answer.result(), w.shared == ""
	} else {
		result.Status = Lost
	}
	if result.Status == Lost {
		w.stop() // which ends the program, so that its output ends
		healthy = false
	}
	if flooded := out.into(&result); flooded {
		result.Status = Flooded
	}
	return result, healthy, ctx.Err()
}

// kill asks for the end of the running program. A worker without one ignores it.
func (w *worker) kill() { _, _ = w.control.Write([]byte("kill")) }

// killAtEnd kills the running program when ctx ends, until the returned function has been called: no kill comes later, when
// the worker may have another program.
func (w *worker) killAtEnd(ctx context.Context) (stop func()) {
	killed := make(chan struct{})
	stopped := context.AfterFunc(ctx, func() { w.kill(); close(killed) })
	return func() {
		if !stopped() {
			<-killed
		}
	}
}

// result reads an ending. An ending that does not say how the program ended comes from a worker that has failed.
func (e ending) result() Result {
	switch {
	case e.How == "timeout":
		return Result{Status: TimedOut}
	case e.Signal != nil:
		return Result{Status: Signaled, Code: *e.Signal}
	case e.Code != nil && (e.How == "ended" || e.How == "killed"): // killed, but it had ended just before
		return Result{Status: Exited, Code: *e.Code}
	}
	return Result{Status: Lost}
}
