package service

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"
)

// A Program is a program of the user's, which is started once and talks JSON lines. Each request is written to its stdin as one line, an object
// with an "id" among its fields; the program writes one line for each to its stdout, in any order:
//
//	{"id":7, …}      or      {"id":7,"error":"why there is no answer"}
//
// A program that ends, that says nothing for longer than the deadline while answers wait, or that writes anything else is stopped and started
// again, and is asked once more what it has not answered. Where that does not help, it is asked for each answer alone: so a request that ends the
// program, or that it does not answer, does not fail the others. An error that the program itself replies is final.
//
// Its methods are safe for concurrent use; batches are asked one after the other.
type Program struct {
	Command  []string
	Name     string                   // of what is waited for; empty: the command's first word
	Deadline time.Duration            // without any answer
	Retries  int                      // starts of the program after the first, for one batch of requests
	Check    func(reply []byte) error // what is wrong with a line that has an id and no error; nil: nothing ever is

	mu      sync.Mutex
	process *process
	last    int // id
}

// A batch is what is asked together.
type batch struct {
	requests []json.RawMessage
	first    int         // id of the first request
	waiting  map[int]int // id: index
	replies  []Reply
}

// Ask asks the program everything at once. Requests are JSON objects with at least one field, and none named id.
func (p *Program) Ask(ctx context.Context, requests []json.RawMessage) ([]Reply, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.left(ctx); err != nil {
		return nil, err // while others were asked
	}
	b := &batch{requests: requests, first: p.last + 1, waiting: map[int]int{}, replies: make([]Reply, len(requests))}
	for i := range requests {
		p.last++
		b.waiting[p.last] = i
	}
	var failure error
	for attempt := 0; attempt <= p.Retries && len(b.waiting) > 0; attempt++ {
		if failure = p.attempt(ctx, b); failure != nil {
			p.stop()
		}
		if err := p.left(ctx); err != nil {
			return nil, err
		}
	}
	if p.Retries > 0 && len(b.waiting) > 1 {
		failure = p.alone(ctx, b, failure)
	}
	if err := p.left(ctx); err != nil {
		return nil, err
	}
	for _, i := range b.waiting {
		b.replies[i].Err = fmt.Errorf("%s: %w", p.Command[0], failure)
	}
	return b.replies, nil
}

func (p *Program) left(ctx context.Context) error {
	return Left(ctx, cmp.Or(p.Name, p.Command[0]))
}

// mostAlone is how many requests a program may fail at that is asked one at a time, before it is given up.
const mostAlone = 3

// alone asks what is waiting one after the other. What it fails at gets its own error; failure is that of the rest.
func (p *Program) alone(ctx context.Context, b *batch, failure error) error {
	waiting := b.waiting
	for lost, i := 0, 0; i < len(b.requests) && lost < mostAlone && ctx.Err() == nil; i++ {
		id := b.first + i
		if _, asked := waiting[id]; !asked {
			continue
		}
		b.waiting = map[int]int{id: i}
		if err := p.attempt(ctx, b); err != nil {
			p.stop()
			lost++
			failure = err
			b.replies[i].Err = fmt.Errorf("%s: %w", p.Command[0], err)
		}
		delete(waiting, id)
	}
	b.waiting = waiting
	return failure
}

// attempt asks what waits for an answer and takes answers until nothing waits; each leaves waiting.
func (p *Program) attempt(ctx context.Context, b *batch) error {
	if p.process == nil {
		var err error
		if p.process, err = start(p.Command); err != nil {
			return err
		}
	}
	p.process.ask(b.lines())
	timer := time.NewTimer(p.Deadline)
	defer timer.Stop()
	for len(b.waiting) > 0 {
		select {
		case line, more := <-p.process.lines:
			if !more {
				return p.process.end()
			}
			if err := p.take(line, b); err != nil {
				return err
			}
			timer.Reset(p.Deadline)
		case <-timer.C:
			return fmt.Errorf("no answer within %v", p.Deadline)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// lines ask what is waiting, in the order of the requests.
func (b *batch) lines() []byte {
	var lines bytes.Buffer
	for i, r := range b.requests {
		if _, asked := b.waiting[b.first+i]; asked {
			fmt.Fprintf(&lines, "{\"id\":%d,%s\n", b.first+i, bytes.TrimSpace(r)[1:])
		}
	}
	return lines.Bytes()
}

// take reads one line of the program.
func (p *Program) take(line []byte, b *batch) error {
	var r struct {
		ID    *int   `json:"id"`
		Error string `json:"error"`
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return fmt.Errorf("it wrote %.80q, which is no JSON object: %w", line, err)
	}
	if err := Text(line); err != nil {
		return fmt.Errorf("it wrote %.80q: %w", line, err)
	}
	if r.ID == nil {
		return fmt.Errorf(`it wrote %.80q, which has no "id"`, line)
	}
	i, asked := b.waiting[*r.ID]
	if !asked {
		return fmt.Errorf("it answered %d, which it was not asked, or has answered already", *r.ID)
	}
	if r.Error == "" && p.Check != nil {
		if err := p.Check(line); err != nil {
			return fmt.Errorf("it wrote %.80q: %w", line, err)
		}
	}
	delete(b.waiting, *r.ID)
	if r.Error != "" {
		b.replies[i].Err = Own(r.Error)
	} else {
		b.replies[i].Body = slices.Clone(line)
	}
	return nil
}

// stop ends the process, so that the next attempt starts another.
func (p *Program) stop() {
	if p.process != nil {
		_ = p.process.kill() // it may have ended already
		p.process = nil
	}
}

// Close ends the program.
func (p *Program) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stop()
	return nil
}
