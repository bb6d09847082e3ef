package classeval

import (
	"crypto/sha256"
	"sync"
)

// cacheSize is how many results of merged classes are kept (§8): teams write the same class again and again.
const cacheSize = 256

// key stands for a merged class and its tests.
type key [sha256.Size]byte

func keyOf(program, tests string) key { return sha256.Sum256([]byte(program + "\x00" + tests)) }

// A cache keeps the tallies of the newest classes. The zero value is empty.
type cache struct {
	mu      sync.Mutex
	tallies map[key]Tally
	order   []key // oldest first
}

func (c *cache) get(k key) (Tally, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t, ok := c.tallies[k]
	return t, ok
}

func (c *cache) put(k key, t Tally) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tallies == nil {
		c.tallies = map[key]Tally{}
	}
	if _, known := c.tallies[k]; known {
		return
	}
	if len(c.order) == cacheSize {
		delete(c.tallies, c.order[0])
		c.order = c.order[1:]
	}
	c.tallies[k], c.order = t, append(c.order, k)
}
