package sandbox

import (
	"sync"
	"time"
)

// A Budget is the time that several programs have together, such as all tests of one submission, whatever each of them may take by
// itself. Time in which several of them run counts once, time in which they wait for a worker does not. A nil budget has no end.
type Budget struct {
	mu      sync.Mutex
	left    time.Duration
	running int
	since   time.Time // the time up to which left is right, while programs run
	spent   bool
}

// NewBudget returns a budget of some time.
func NewBudget(most time.Duration) *Budget { return &Budget{left: most} }

// Spent reports whether a program of the budget was not run, or ended before its own time was over, because the budget's was.
func (b *Budget) Spent() bool {
	if b == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.spent
}

// Begin says how long a program may run that has wall by its own limits; 0: not at all. Backends call it when they have a worker, and end
// with how the program ended.
func (b *Budget) Begin(wall time.Duration) (granted time.Duration, end func(Status)) {
	if b == nil {
		return wall, func(Status) {}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count()
	if b.left <= 0 {
		b.spent = true
		return 0, func(Status) {}
	}
	b.running++
	granted = min(wall, b.left)
	return granted, func(s Status) { b.end(s == TimedOut && granted < wall) }
}

func (b *Budget) end(cut bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count()
	b.running--
	b.spent = b.spent || cut
}

// count takes away the time since it was last done in which a program ran.
func (b *Budget) count() {
	now := time.Now()
	if b.running > 0 {
		b.left -= now.Sub(b.since)
	}
	b.since = now
}
