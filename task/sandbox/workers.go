//go:build linux && (amd64 || arm64)

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"slices"

	"golang.org/x/sys/unix"
)

// A bubblewrap is the backend of warm workers under bubblewrap.
type bubblewrap struct {
	bwrap   string
	python  interpreter
	capable bool // workers may make namespaces, as far as bubblewrap is concerned
	groups  *groups
	modules []Module
	version string
	shared  string        // why every program has a worker of its own instead of namespaces of its own; empty: it has namespaces
	running chan struct{} // full when as many programs run as may
	slots   chan *worker  // a slot with nil has no worker yet
	starts  chan func()
	closed  context.Context
	close   context.CancelFunc
	ended   chan struct{} // all workers have
}

// openBubblewrap starts the first worker.
func openBubblewrap(ctx context.Context, o Options) (Backend, error) {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		return nil, &Unavailable{"bwrap is not installed", installBubblewrap}
	}
	candidates := interpreters(ctx)
	if len(candidates) == 0 {
		return nil, &Unavailable{"there is no python3 that programs without privileges can start", installPython}
	}
	p := &bubblewrap{
		bwrap: bwrap, groups: findGroups("/"), modules: o.Modules, running: make(chan struct{}, o.Workers), starts: make(chan func()), ended: make(chan struct{}),
	}
	p.closed, p.close = context.WithCancel(context.Background())
	go p.starter()
	w, err := p.first(candidates, !o.shared)
	if err != nil {
		p.Close()
		return nil, &Unavailable{err.Error(), remedy("/")}
	}
	p.version, p.shared = w.python, w.shared
	p.fill(w)
	return p, nil
}

// fill makes the slots, the first with the first worker. Where a worker takes one program only, more stand ready than run at once, so that
// a program waits for no start; the first has tried to make namespaces, so that another takes its place, which finds what all others do.
func (p *bubblewrap) fill(first *worker) {
	workers := cap(p.running)
	if p.shared == "" {
		p.slots = make(chan *worker, workers)
		p.slots <- first
		for range workers - 1 {
			p.slots <- nil
		}
		return
	}
	p.capable = false
	p.slots = make(chan *worker, 2*workers+1)
	for range cap(p.slots) - 1 {
		go p.replace(nil)
	}
	p.replace(first)
}

// first starts a worker with the first Python that can be one: in a group where that is possible, and one that may make namespaces where
// capable says so and bubblewrap lets it.
func (p *bubblewrap) first(candidates []interpreter, capable bool) (*worker, error) {
	var reasons []error
	for _, p.python = range candidates {
		var w *worker
		var err error
		for _, p.capable = range slices.Compact([]bool{capable, false}) {
			if w, err = p.firstInGroup(); err == nil {
				return w, nil
			}
		}
		reasons = append(reasons, fmt.Errorf("%s: %w", p.python.Executable, err))
	}
	return nil, errors.Join(reasons...)
}

// firstInGroup starts a worker, without a group if that is what stands in the way.
func (p *bubblewrap) firstInGroup() (*worker, error) {
	w, err := p.start()
	if err == nil || p.groups.folder == "" {
		return w, err
	}
	grouped := p.groups
	p.groups = &groups{why: "no worker starts in one: " + err.Error()}
	if w, err = p.start(); err != nil {
		p.groups = grouped
	}
	return w, err
}

// starter runs what starts workers on one thread: bubblewrap ends with the thread that started it, so that must be one which
// lives as long as the pool.
func (p *bubblewrap) starter() {
	runtime.LockOSThread()
	fixAddresses()
	defer close(p.ended)
	for {
		select {
		case f := <-p.starts:
			f()
		case <-p.closed.Done():
			for range cap(p.slots) {
				if w := <-p.slots; w != nil {
					w.stop()
				}
			}
			return
		}
	}
}

// fixAddresses has the processes that this thread starts find their memory at the same addresses: what a program makes of them, such as
// an order, is then the same in every worker. A container may refuse it; then programs that depend on addresses are not repeatable.
func fixAddresses() (fixed bool) {
	const noRandomization = 0x0040000 // ADDR_NO_RANDOMIZE
	_, _, failed := unix.RawSyscall(unix.SYS_PERSONALITY, noRandomization, 0, 0)
	return failed == 0
}

func (p *bubblewrap) start() (*worker, error) {
	g, err := p.groups.next()
	if err != nil {
		return nil, err
	}
	cmd := p.python.command(p.bwrap, p.capable)
	if g != nil {
		cmd.SysProcAttr.UseCgroupFD, cmd.SysProcAttr.CgroupFD = true, int(g.folder.Fd())
	}
	w, err := startWorker(cmd, g, greeting{p.modules, p.shared != ""}, p.onThread)
	if err != nil {
		g.remove()
	}
	return w, err
}

// onThread calls f on the thread that workers are tied to.
func (p *bubblewrap) onThread(f func() error) (err error) {
	done := make(chan struct{})
	select {
	case p.starts <- func() { err = f(); close(done) }:
		<-done
	case <-p.closed.Done():
		err = context.Cause(p.closed)
	}
	return err
}

// String implements [Backend].
func (p *bubblewrap) String() string {
	return fmt.Sprintf("bubblewrap at %s, Python %s at %s", p.bwrap, p.version, p.python.Executable)
}

// Lacks implements [Lacking].
func (p *bubblewrap) Lacks() (lacks []Lack) {
	if p.shared != "" {
		lacks = append(lacks, Lack{
			"namespaces", "every program has a worker of its own, which many in a row have to wait for: " + p.shared,
			"let what bubblewrap starts keep the capability CAP_SYS_ADMIN in its own user namespace (AppArmor's profile unpriv_bwrap takes it)",
		})
	}
	if p.groups.folder == "" {
		lacks = append(lacks, Lack{
			"control group", "memory is bounded for each process, not for all of a program's together: " + p.groups.why,
			"where systemd runs, start parley with `systemd-run --user --scope parley …`",
		})
	}
	return lacks
}

// Run implements [Backend].
func (p *bubblewrap) Run(ctx context.Context, program Program) (Result, error) {
	if program.Channel != nil {
		defer program.Channel.Close()
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.closed, cancel)()
	if err := ctx.Err(); err != nil {
		return Result{}, fmt.Errorf("run a program: %w", err)
	}
	select {
	case p.running <- struct{}{}:
		defer func() { <-p.running }()
	case <-ctx.Done():
		return Result{}, fmt.Errorf("run a program: %w", ctx.Err())
	}
	var w *worker
	select {
	case w = <-p.slots:
	case <-ctx.Done():
		return Result{}, fmt.Errorf("run a program: %w", ctx.Err())
	}
	if w == nil {
		var err error
		if w, err = p.start(); err != nil {
			p.slots <- nil
			return Result{}, fmt.Errorf("run a program: %w", err)
		}
	}
	result, healthy, err := w.run(ctx, program)
	if healthy {
		p.slots <- w
	} else {
		go p.replace(w)
	}
	if err != nil {
		err = fmt.Errorf("run a program: %w", err)
	}
	return result, err
}

// replace ends a worker, if there is one, and starts another in its place, before somebody waits for it. Where that fails, the next program
// tries again.
func (p *bubblewrap) replace(w *worker) {
	if w != nil {
		w.stop()
	}
	next, err := p.start()
	if err != nil {
		next = nil
	}
	p.slots <- next
}

// Close implements [Backend].
func (p *bubblewrap) Close() error {
	p.close()
	<-p.ended
	return nil
}
