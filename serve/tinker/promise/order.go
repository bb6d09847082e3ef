package promise

import (
	"sync"
	"time"
)

// An Op is what is done when its number is next.
type Op struct {
	Do   func()
	Drop func() // the lane was closed before
}

// A Lane does one operation at a time, each when all before it are done.
type Lane struct {
	patience time.Duration

	mu      sync.Mutex
	next    int
	waiting map[int]Op
	running bool
	closed  bool
	gap     *time.Timer // nil: nobody waits for a number that has not come
}

// NewLane is a lane whose first number is given. A number that has not come when a later one has waited so long is given up.
func NewLane(first int, patience time.Duration) *Lane {
	return &Lane{patience: patience, next: first, waiting: map[int]Op{}}
}

// Put takes an operation in. It reports false where the number has passed or is taken, or the lane is closed: nothing is done then.
func (l *Lane) Put(number int, op Op) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, taken := l.waiting[number]; l.closed || taken || number < l.next {
		return false
	}
	l.waiting[number] = op
	l.start()
	return true
}

// Close drops what waits, and lets nothing in any more. What is being done goes on.
func (l *Lane) Close() {
	l.mu.Lock()
	left := l.waiting
	l.waiting, l.closed = map[int]Op{}, true
	l.stopGap()
	l.mu.Unlock()
	for _, op := range left {
		op.Drop()
	}
}

// start lets the lane run where the next number is there, or else waits for it no longer than its patience. l.mu is held.
func (l *Lane) start() {
	if l.running || l.closed {
		return
	}
	if _, there := l.waiting[l.next]; there {
		l.stopGap()
		l.running = true
		go l.run()
		return
	}
	if len(l.waiting) > 0 && l.gap == nil {
		l.gap = time.AfterFunc(l.patience, l.giveUp)
	}
}

func (l *Lane) stopGap() {
	if l.gap != nil {
		l.gap.Stop()
		l.gap = nil
	}
}

// giveUp goes on with the lowest number that is there.
func (l *Lane) giveUp() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.gap = nil
	if l.running || l.closed || len(l.waiting) == 0 {
		return
	}
	lowest := -1
	for number := range l.waiting {
		if lowest < 0 || number < lowest {
			lowest = number
		}
	}
	l.next = lowest
	l.start()
}

// run does what is there, in order.
func (l *Lane) run() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		op, there := l.waiting[l.next]
		if !there || l.closed {
			l.running = false
			l.start()
			return
		}
		delete(l.waiting, l.next)
		l.next++
		l.mu.Unlock()
		op.Do()
		l.mu.Lock()
	}
}
