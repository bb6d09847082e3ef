//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"
	"io"
	"os"
)

// A captured collects what a program writes. The zero value collects nothing.
type captured struct {
	streams [2]stream // stdout and stderr
	pending chan struct{}
}

type stream struct {
	from  *os.File
	data  []byte
	flood bool
}

// capture makes pipes for stdout and stderr that keep at most most bytes each, and appends the program's ends to files. A
// stream that would hold more calls flood once. Where most is 0, there are no pipes.
func capture(most int, flood func(), files []*os.File) (*captured, []*os.File, error) {
	c := &captured{}
	if most <= 0 {
		return c, files, nil
	}
	for i := range c.streams {
		from, to, err := os.Pipe()
		if err != nil {
			c.discard()
			return c, files, fmt.Errorf("make a pipe for a program's output: %w", err)
		}
		c.streams[i].from = from
		files = append(files, to)
	}
	c.pending = make(chan struct{}, len(c.streams))
	for i := range c.streams {
		go c.streams[i].collect(most, flood, c.pending)
	}
	return c, files, nil
}

func (s *stream) collect(most int, flood func(), done chan<- struct{}) {
	s.data, _ = io.ReadAll(io.LimitReader(s.from, int64(most)))
	var more [1]byte
	if n, _ := s.from.Read(more[:]); n > 0 {
		s.flood = true
		flood()
	}
	s.from.Close()
	done <- struct{}{}
}

// into waits for the streams' ends, which come with the program's, and reports whether one of them was flooded.
func (c *captured) into(r *Result) (flooded bool) {
	if c.pending == nil {
		return false
	}
	for range c.streams {
		<-c.pending
	}
	r.Stdout, r.Stderr = c.streams[0].data, c.streams[1].data
	return c.streams[0].flood || c.streams[1].flood
}

// discard closes what was opened for a program that does not run.
func (c *captured) discard() {
	for i := range c.streams {
		if c.streams[i].from != nil {
			c.streams[i].from.Close()
		}
	}
}
