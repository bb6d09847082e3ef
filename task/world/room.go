package world

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"parley/internal/plainfile"
	"parley/internal/service"
	"parley/task/sandbox"
)

// Bounds of an episode in a sandbox. That of a call is the settings' own.
const (
	longestEpisode = 24 * time.Hour
	longestWords   = 1 << 16 // bytes that the interpreter may say where it dies
)

// rooms are sandboxes of which each holds one episode at a time. There are as many as there were episodes at once.
type rooms struct {
	job      job
	settings External
	limits   sandbox.Limits

	mu   sync.Mutex
	free []*sandbox.Pool
	all  []*sandbox.Pool
}

// errNoRoom is why a backend cannot hold an episode.
var errNoRoom = errors.New("this sandbox cannot hold an episode of a stateful environment: use bubblewrap, or set isolated to false")

// openRooms opens the first sandbox, which proves that isolation works here.
func openRooms(ctx context.Context, s External) (*rooms, error) {
	text, err := plainfile.Read(s.Python)
	if err != nil {
		return nil, err
	}
	limits := sandbox.Limits{Wall: longestEpisode, Memory: s.Memory, Output: longestWords}
	r := &rooms{job: job{Name: filepath.Base(s.Python), Source: string(text), Seconds: s.Deadline.Seconds()}, settings: s, limits: limits}
	pool, err := r.pool(ctx)
	if err != nil {
		return nil, err
	}
	if _, joins := pool.Backend.(sandbox.Joiner); joins { // it has no channels
		return nil, errors.Join(errNoRoom, r.Close())
	}
	r.free = append(r.free, pool)
	return r, nil
}

// pool returns a sandbox that is free, or a new one.
func (r *rooms) pool(ctx context.Context) (*sandbox.Pool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.free); n > 0 {
		pool := r.free[n-1]
		r.free = r.free[:n-1]
		return pool, nil
	}
	pool, err := sandbox.Open(ctx, sandbox.Options{Workers: 1, Modules: []sandbox.Module{{Name: "parley_environment", Source: service.PythonDriver(driver)}}})
	if err == nil {
		r.all = append(r.all, pool)
	}
	return pool, err
}

// Close ends all sandboxes.
func (r *rooms) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var errs []error
	for _, pool := range r.all {
		errs = append(errs, pool.Close())
	}
	return errors.Join(errs...)
}

// A room is an episode in a sandbox, which is asked line by line.
type room struct {
	*line
	rooms  *rooms
	pool   *sandbox.Pool
	cancel context.CancelFunc
	ended  chan struct{}
	result sandbox.Result // how; read when ended is closed
	err    error
}

// take begins an episode in a sandbox that knows nothing of those before.
func (r *rooms) take(ctx context.Context) (session, error) {
	pool, err := r.pool(ctx)
	if err != nil {
		return nil, err
	}
	conn, theirs, err := connection()
	if err != nil {
		return nil, err
	}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s := &room{line: newLine(conn, r.settings), rooms: r, pool: pool, cancel: cancel, ended: make(chan struct{})}
	go func() {
		defer close(s.ended)
		s.result, s.err = pool.Run(running, sandbox.Program{Source: "import parley_environment\nparley_environment.hold(argument, channel)", Argument: r.job, Channel: theirs, Limits: r.limits})
	}()
	if _, err := heard(ctx, conn, s.lines, longestImport); err != nil && ctx.Err() != nil {
		s.end(ctx)
		return nil, err
	}
	return s, nil // where it is not ready, its first call says why
}

// connection is a pair of sockets: ours, and one for a program.
func connection() (ours net.Conn, theirs *os.File, err error) {
	a, b, err := sandbox.SocketPair()
	if err != nil {
		return nil, nil, err
	}
	defer a.Close()
	if ours, err = net.FileConn(a); err != nil {
		b.Close()
		return nil, nil, fmt.Errorf("connect with a sandbox: %w", err)
	}
	return ours, b, nil
}

func (s *room) ask(ctx context.Context, request json.RawMessage) (service.Reply, error) {
	return s.line.ask(ctx, request, func(error) error {
		select {
		case <-s.ended: // a connection ends with its program
		case <-time.After(sandbox.Grace):
			return errors.New("it closed its channel instead of answering")
		}
		if s.err != nil {
			return s.err
		}
		return errors.New(s.result.Failure(s.rooms.settings.Deadline, longestReply))
	})
}

// end ends the episode and gives its sandbox back.
func (s *room) end(context.Context) {
	s.cancel()
	_ = s.conn.Close()
	<-s.ended
	s.rooms.mu.Lock()
	defer s.rooms.mu.Unlock()
	s.rooms.free = append(s.rooms.free, s.pool)
}
