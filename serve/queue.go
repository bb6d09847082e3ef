package serve

// This file lets a bounded number of requests work at a time, and a bounded number wait. Those who wait are let in client by client in turn,
// so that one who asks a hundred things at once delays the others by one.

import (
	"context"
	"errors"
	"sync"
)

// ErrFull says that too many requests wait already.
var ErrFull = errors.New("too many requests are waiting")

// A Queue has room for some requests that work and some that wait. Its methods are safe for concurrent use.
type Queue struct {
	working, waiting int // limits

	mu      sync.Mutex
	inside  int
	outside int
	clients []string // those with waiting requests, the next one first
	waiters map[string][]*waiter
}

// A waiter is a request that waits. Its channel is closed when it may work.
type waiter struct{ turn chan struct{} }

// NewQueue returns a queue where at most working requests work and at most waiting ones wait.
func NewQueue(working, waiting int) *Queue {
	return &Queue{working: working, waiting: waiting, waiters: map[string][]*waiter{}}
}

// Enter waits until a request of a client may work. The caller calls leave once when it is done.
func (q *Queue) Enter(ctx context.Context, client string) (leave func(), err error) {
	q.mu.Lock()
	if q.inside < q.working && q.outside == 0 {
		q.inside++
		q.mu.Unlock()
		return q.leave, nil
	}
	if q.outside >= q.waiting {
		q.mu.Unlock()
		return nil, ErrFull
	}
	w := &waiter{make(chan struct{})}
	if len(q.waiters[client]) == 0 {
		q.clients = append(q.clients, client)
	}
	q.waiters[client] = append(q.waiters[client], w)
	q.outside++
	q.mu.Unlock()
	select {
	case <-w.turn:
		return q.leave, nil
	case <-ctx.Done():
		q.giveUp(client, w)
		return nil, ctx.Err()
	}
}

// Counts are how many requests work and wait.
func (q *Queue) Counts() (working, waiting int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.inside, q.outside
}

// leave ends a request, and lets the next one in.
func (q *Queue) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.inside--
	q.admit()
}

// admit lets in whose turn it is while there is room.
func (q *Queue) admit() {
	for q.inside < q.working && len(q.clients) > 0 {
		client := q.clients[0]
		q.clients = q.clients[1:]
		w := q.waiters[client][0]
		if rest := q.waiters[client][1:]; len(rest) > 0 {
			q.waiters[client] = rest
			q.clients = append(q.clients, client)
		} else {
			delete(q.waiters, client)
		}
		q.outside--
		q.inside++
		close(w.turn)
	}
}

// giveUp takes a request out that no longer wants to wait; one that was let in meanwhile leaves again.
func (q *Queue) giveUp(client string, w *waiter) {
	q.mu.Lock()
	defer q.mu.Unlock()
	select {
	case <-w.turn:
		q.inside--
		q.admit()
		return
	default:
	}
	q.outside--
	all := q.waiters[client]
	for i, other := range all {
		if other == w {
			all = append(all[:i:i], all[i+1:]...)
			break
		}
	}
	if len(all) > 0 {
		q.waiters[client] = all
		return
	}
	delete(q.waiters, client)
	for i, c := range q.clients {
		if c == client {
			q.clients = append(q.clients[:i:i], q.clients[i+1:]...)
			return
		}
	}
}
