package world

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	"parley/internal/service"
	"parley/task/sandbox"
)

// A nursery is a process that has loaded a Python file once, and forks another for each episode: what the file imports is not imported again. Where
// processes cannot be forked so, or the file says that it must not be, an episode has a fresh process, which imports it all.
type nursery struct {
	settings External

	mu      sync.Mutex
	process *service.Group // nil: there is none, or none any more
	control net.Conn       // with it
	alone   bool           // episodes have fresh processes
}

const (
	longestImport = 10 * time.Minute
	longestFork   = time.Minute
)

// take begins an episode.
func (n *nursery) take(ctx context.Context) (session, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.process == nil && !n.alone {
		if err := n.start(ctx); err != nil {
			return nil, err
		}
	}
	if n.alone {
		return newChild(n.settings, "keep", 0), nil
	}
	w, err := n.fork(ctx)
	if err != nil && ctx.Err() == nil {
		n.stop() // the next episode has another
	}
	return w, err
}

// start starts the process, and waits until it has loaded the file.
func (n *nursery) start(ctx context.Context) error {
	control, theirs, err := connection()
	if errors.Is(err, errors.ErrUnsupported) {
		n.alone = true
		return nil
	}
	if err != nil {
		return err
	}
	group, err := service.Start{Command: pythonCommand(n.settings, "nurse"), Stdin: theirs}.Group()
	if err != nil {
		return errors.Join(err, control.Close(), theirs.Close())
	}
	n.process, n.control = group, control
	word, err := heard(ctx, control, bufio.NewScanner(control), longestImport)
	if err != nil {
		n.stop()
		return fmt.Errorf("load %s: %w%s", n.settings.Python, err, group.Words())
	}
	if n.alone = word == "alone"; n.alone {
		n.stop()
	}
	return nil
}

// heard is the next line from a process, which has so long to say it.
func heard(ctx context.Context, conn net.Conn, lines *bufio.Scanner, within time.Duration) (string, error) {
	if err := conn.SetReadDeadline(time.Now().Add(within)); err != nil {
		return "", err
	}
	defer context.AfterFunc(ctx, func() { _ = conn.SetReadDeadline(time.Unix(1, 0)) })()
	if lines.Scan() {
		return lines.Text(), nil
	}
	if left := service.Left(ctx, "a file of Python that is loaded"); left != nil {
		return "", left
	}
	var late net.Error
	switch err := lines.Err(); {
	case errors.As(err, &late) && late.Timeout():
		return "", fmt.Errorf("it was not ready within %v", within)
	case err != nil:
		return "", err
	}
	return "", errors.New("its process ended")
}

// fork has the process fork one for an episode, whose first line is its number.
func (n *nursery) fork(ctx context.Context) (session, error) {
	conn, theirs, err := connection()
	if err != nil {
		return nil, err
	}
	err = sandbox.SendFile(n.control, []byte("fork\n"), theirs)
	_ = theirs.Close() // the process has its own
	w := &ward{line: newLine(conn, n.settings), nursery: n}
	var number string
	if err == nil {
		number, err = heard(ctx, conn, w.lines, longestFork)
	}
	if err == nil {
		w.pid, err = strconv.Atoi(number)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("fork a process that has loaded %s: %w%s", n.settings.Python, err, n.process.Words()), conn.Close())
	}
	return w, nil
}

// stop ends the process, and the episodes with it.
func (n *nursery) stop() {
	if n.process != nil {
		_ = n.control.Close()
		n.process.Stop()
	}
	n.process = nil
}

// Close ends the process.
func (n *nursery) Close() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.stop()
	return nil
}

// A ward is an episode in a process that was forked for it.
type ward struct {
	*line
	nursery *nursery
	pid     int
}

func (w *ward) ask(ctx context.Context, request json.RawMessage) (service.Reply, error) {
	return w.line.ask(ctx, request, func(error) error {
		w.nursery.mu.Lock()
		defer w.nursery.mu.Unlock()
		words := ""
		if w.nursery.process != nil {
			words = w.nursery.process.Words()
		}
		return fmt.Errorf("it ended while answers were waiting%s", words)
	})
}

// end ends the process of the episode, whatever it does.
func (w *ward) end(context.Context) {
	_ = w.conn.Close()
	w.nursery.mu.Lock()
	defer w.nursery.mu.Unlock()
	if w.nursery.process != nil {
		_, _ = fmt.Fprintf(w.nursery.control, "%d\n", w.pid) // where it cannot be told, it has ended, and they with it
	}
}
