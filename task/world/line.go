package world

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"time"

	"parley/internal/service"
	"parley/task/sandbox"
)

// A line is a connection with the program of an episode, which is asked line by line.
type line struct {
	name     string // of the file
	deadline time.Duration
	conn     net.Conn
	lines    *bufio.Scanner
}

func newLine(conn net.Conn, s External) *line {
	l := &line{filepath.Base(s.Python), s.Deadline, conn, bufio.NewScanner(conn)}
	l.lines.Buffer(nil, longestReply)
	return l
}

// ask asks a call. gone says why the program has ended instead of answering, by the error of reading; nil: there is none.
func (l *line) ask(ctx context.Context, request json.RawMessage, gone func(error) error) (service.Reply, error) {
	// The program tells of its own lateness, with the line that it was at. This deadline is for one that cannot.
	err := l.conn.SetDeadline(time.Now().Add(l.deadline + sandbox.Grace))
	defer context.AfterFunc(ctx, func() { _ = l.conn.SetDeadline(time.Unix(1, 0)) })()
	if err == nil {
		_, err = l.conn.Write(append(slices.Clone(request), '\n'))
	}
	if err == nil && l.lines.Scan() {
		return service.Reply{Body: slices.Clone(l.lines.Bytes())}, nil
	}
	if err == nil {
		err = l.lines.Err()
	}
	if err := service.Left(ctx, l.name); err != nil {
		return service.Reply{}, err
	}
	var late net.Error
	switch {
	case errors.As(err, &late) && late.Timeout():
		err = fmt.Errorf("no answer within %v", l.deadline)
	case errors.Is(err, bufio.ErrTooLong):
		err = fmt.Errorf("its answer is longer than %d bytes", longestReply)
	default:
		err = gone(err)
	}
	return service.Reply{Err: fmt.Errorf("%s: %w", l.name, err)}, nil
}
