package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"parley/internal/service/web"
	"parley/tools/serveload/load"
)

// A process is `parley serve`. It keeps its address and its token over restarts.
type process struct {
	program string
	cmd     *exec.Cmd
	at      string // host and port
	token   string
	last    resources // before it was stopped last
}

// Address implements [load.Server].
func (p *process) Address() string { return "http://" + p.at }

// Key implements [load.Server].
func (p *process) Key() string { return p.token }

// start starts the server, and returns when it listens.
func (p *process) start(ctx context.Context) error {
	at := p.at
	if at == "" {
		at = "127.0.0.1:0"
		p.token = "load"
	}
	p.cmd = exec.CommandContext(ctx, p.program, "serve", load.Team, load.Model, "--addr", at, "--working", "24", "--waiting", "4") // fewer places than clients
	p.cmd.Env = append(os.Environ(), "PARLEY_TOKEN="+p.token)
	said, err := p.cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := p.cmd.Start(); err != nil {
		return err
	}
	all := ""
	for lines := bufio.NewScanner(said); lines.Scan(); {
		all += lines.Text() + "\n"
		if at, ok := strings.CutPrefix(lines.Text(), "listening on http://"); ok {
			p.at = at
			go func() { _, _ = io.Copy(os.Stderr, said) }() // what it has to say is for who watches
			return nil
		}
	}
	return fmt.Errorf("it does not listen: %s", all)
}

// stop lets the server end what it has begun; it has to end with exit code 0.
func (p *process) stop(context.Context) error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("the server ends with %w", err)
	}
	return nil
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it has usually ended
	_ = p.cmd.Wait()
}

// Restart implements [load.Server].
func (p *process) Restart(ctx context.Context) error {
	var err error
	if p.last, err = p.resources(); err != nil {
		return err
	}
	return errors.Join(p.stop(ctx), p.start(ctx))
}

// resources are what a server holds.
type resources struct {
	Megabytes   int `json:"resident_mb"`
	Descriptors int `json:"descriptors"`
	Goroutines  int `json:"goroutines"`
}

// A life of a server: what it holds early, at a third of it, and late. Late in the last one nobody asks any more.
type life struct {
	Early resources `json:"early"`
	Late  resources `json:"late"`
}

// check says where a server holds more and more. Clients come and go, each with a descriptor and a few goroutines.
func (l life) check(wrong func(string)) {
	if l.Late.Megabytes > l.Early.Megabytes*5/4+32 {
		wrong(fmt.Sprintf("memory grew from %d to %d MB", l.Early.Megabytes, l.Late.Megabytes))
	}
	if l.Late.Descriptors > l.Early.Descriptors+64 {
		wrong(fmt.Sprintf("descriptors grew from %d to %d", l.Early.Descriptors, l.Late.Descriptors))
	}
	if l.Late.Goroutines > l.Early.Goroutines+200 {
		wrong(fmt.Sprintf("goroutines grew from %d to %d", l.Early.Goroutines, l.Late.Goroutines))
	}
}

var (
	resident   = regexp.MustCompile(`VmRSS:\s+(\d+) kB`)
	goroutines = regexp.MustCompile(`(?m)^go_goroutines (\d+)$`)
	idle       = regexp.MustCompile(`(?ms)^parley_num_requests_running 0$.*^parley_num_requests_waiting 0$`)
)

// resources measures the server.
func (p *process) resources() (r resources, err error) {
	proc := fmt.Sprintf("/proc/%d/", p.cmd.Process.Pid)
	status, err := os.ReadFile(proc + "status")
	if err != nil {
		return r, err
	}
	open, err := os.ReadDir(proc + "fd")
	if err != nil {
		return r, err
	}
	page, err := p.metrics()
	if err != nil {
		return r, err
	}
	r.Descriptors = len(open)
	if m := resident.FindSubmatch(status); m != nil {
		kB, err := strconv.Atoi(string(m[1]))
		if err != nil {
			return r, err
		}
		r.Megabytes = kB >> 10
	}
	if m := goroutines.FindStringSubmatch(page); m != nil {
		r.Goroutines, err = strconv.Atoi(m[1])
	}
	return r, err
}

func (p *process) metrics() (string, error) {
	r, err := http.NewRequest(http.MethodGet, p.Address()+"/metrics", nil)
	if err != nil {
		return "", err
	}
	client := web.NewClient(time.Minute)
	defer client.CloseIdleConnections()
	answer, err := client.Do(r)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	page, err := io.ReadAll(answer.Body)
	return string(page), err
}

// quiet waits until nothing is in flight, and no goroutine of a request is left.
func (p *process) quiet(ctx context.Context) error {
	page := ""
	for range 300 {
		var err error
		if page, err = p.metrics(); err != nil {
			return err
		}
		if m := goroutines.FindStringSubmatch(page); idle.MatchString(page) && m != nil {
			if n, err := strconv.Atoi(m[1]); err == nil && n <= mostIdle {
				return nil
			}
		}
		if err := load.Sleep(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
	return fmt.Errorf("30 s after the last request something is still in flight: %s", page)
}

// mostIdle is how many goroutines a server has whom nobody asks: its own, and that of the connection that says how many there are.
const mostIdle = 12
