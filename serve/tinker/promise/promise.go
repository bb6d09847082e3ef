// Package promise keeps results that clients come for later: every request of work gets a name at once, and its result is asked for by that name,
// as often as the client likes, for some time after it is there.
//
// A [Lane] puts the operations of a model into the order of their numbers, in which they do not always come: clients send the pieces of a batch at
// the same time, and what was lost leaves a number that never comes.
package promise

import (
	"container/list"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Result is what a request got.
type Result interface {
	JSON() ([]byte, error)
	Proto() []byte // nil: it has no such form
}

// A Failure is what a request got in place of a result.
type Failure struct {
	Category string // user: who asked has to change something; server
	Words    string
}

// A Promise is one result to come.
type Promise struct {
	ID    string
	table *Table
	size  int // bytes of the request, while it is open
	stop  context.CancelFunc
	done  chan struct{}

	// Written before done is closed:
	result  Result
	failure *Failure
	ended   time.Time
	weight  int // bytes of the result

	// Guarded by the table's mutex:
	place *list.Element // among the results that are kept; nil: it has none yet, or is forgotten
	told  time.Time     // when the result was first given out
}

// A Table has all promises of a server.
type Table struct {
	limits Limits
	epoch  string // of this process: names of others are not taken for its own

	mu     sync.Mutex
	made   int
	all    map[string]*Promise
	closed list.List // with results that nobody has come for, the oldest first
	told   list.List // with results that were given out, the first first
	kept   int       // bytes of those
	open   int       // without
	asked  int       // bytes of their requests
}

// Limits bound what a table holds.
type Limits struct {
	Open      int           // promises without a result
	OpenBytes int           // of their requests
	Keep      time.Duration // how long a result can be asked for
	Again     time.Duration // how long one can be asked for again
	KeepBytes int           // of results; the oldest go first
}

// ErrFull says that too much waits already.
var ErrFull = errors.New("too many requests are waiting")

// NewTable is an empty one.
func NewTable(l Limits) *Table {
	var b [8]byte
	rand.Read(b[:])
	return &Table{limits: l, epoch: hex.EncodeToString(b[:]), all: map[string]*Promise{}}
}

// Make opens a promise for a request of so many bytes. stop ends the work on it.
func (t *Table) Make(size int, stop context.CancelFunc) (*Promise, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open >= t.limits.Open || t.open > 0 && t.asked+size > t.limits.OpenBytes {
		return nil, ErrFull
	}
	return t.add(size, stop), nil
}

// Broken is a promise that has failed already: who asked comes for the reason. It takes no room.
func (t *Table) Broken(f Failure) *Promise {
	t.mu.Lock()
	p := t.add(0, func() {})
	t.mu.Unlock()
	p.Break(f)
	return p
}

func (t *Table) add(size int, stop context.CancelFunc) *Promise {
	t.made++
	p := &Promise{ID: t.epoch + "-" + strconv.Itoa(t.made), table: t, size: size, stop: stop, done: make(chan struct{})}
	t.all[p.ID] = p
	t.open++
	t.asked += size
	return p
}

// Open counts promises without a result.
func (t *Table) Open() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.open
}

// Find is the promise of a name. gone says that there was one, of this process or of one before.
func (t *Table) Find(id string) (p *Promise, gone bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sweep()
	if p := t.all[id]; p != nil {
		return p, false
	}
	epoch, number, _ := strings.Cut(id, "-")
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || len(epoch) != len(t.epoch) || epoch == t.epoch && n > t.made {
		return nil, false
	}
	_, err = hex.DecodeString(epoch)
	return nil, err == nil
}

// Sweep forgets results whose time is over.
func (t *Table) Sweep() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sweep()
}

// sweep forgets results that were given out some time ago, that were not fetched in time, or that are too many. t.mu is
// held.
func (t *Table) sweep() {
	now := time.Now()
	t.forget(&t.told, func(p *Promise) bool { return now.Sub(p.told) >= t.limits.Again })
	t.forget(&t.closed, func(p *Promise) bool { return now.Sub(p.ended) >= t.limits.Keep })
}

// forget takes the first ones out of a list, as long as they are old or there are too many results.
func (t *Table) forget(from *list.List, old func(*Promise) bool) {
	for e := from.Front(); e != nil; e = from.Front() {
		p := e.Value.(*Promise)
		if t.kept <= t.limits.KeepBytes && !old(p) {
			return
		}
		t.kept -= p.weight
		delete(t.all, p.ID)
		from.Remove(e)
		p.place = nil
	}
}

// overhead is about what a promise takes beside its result.
const overhead = 512

// Keep gives the result, of so many bytes.
func (p *Promise) Keep(r Result, weight int) { p.end(r, nil, weight) }

// Break says that there is none.
func (p *Promise) Break(f Failure) { p.end(nil, &f, len(f.Words)) }

func (p *Promise) end(r Result, f *Failure, weight int) {
	t := p.table
	t.mu.Lock()
	defer t.mu.Unlock()
	if !p.ended.IsZero() {
		return
	}
	defer p.stop() // nothing is left to do, and what it holds goes before the result does
	p.stop = func() {}
	p.result, p.failure, p.weight, p.ended = r, f, weight+overhead, time.Now()
	close(p.done)
	t.open--
	t.asked -= p.size
	t.kept += p.weight
	p.place = t.closed.PushBack(p)
	if t.kept > t.limits.KeepBytes {
		t.sweep()
	}
}

// Cancel ends the work on it.
func (p *Promise) Cancel() {
	p.table.mu.Lock()
	stop := p.stop
	p.table.mu.Unlock()
	stop()
}

// Wait waits for the end, no longer than so long, and reports whether it came.
func (p *Promise) Wait(ctx context.Context, hold time.Duration) bool {
	timer := time.NewTimer(hold)
	defer timer.Stop()
	select {
	case <-p.done:
		return true
	default:
	}
	select {
	case <-p.done:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

// Outcome is how it ended. Who asks for it gets it, so that it need not be kept for long.
func (p *Promise) Outcome() (Result, *Failure) {
	<-p.done
	t := p.table
	t.mu.Lock()
	defer t.mu.Unlock()
	if p.told.IsZero() && p.place != nil {
		t.closed.Remove(p.place)
		p.told, p.place = time.Now(), t.told.PushBack(p)
	}
	return p.result, p.failure
}
