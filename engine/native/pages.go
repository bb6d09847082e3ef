package native

import (
	"maps"
	"slices"

	"parley/engine/native/kernel"
)

const (
	pageTokens = 64 // room of a page that a completion grows into
	pageStep   = 16 // rooms are multiples of it
)

// A pagePool hands pages out and keeps those that come back for the next one of the same room.
type pagePool struct {
	free         map[int][]*page // by room
	tokens, idle int             // room of all pages that there are, and of the free ones among them
}

// roomFor is the room of the page that so many tokens get.
func roomFor(tokens int) int { return (tokens + pageStep - 1) / pageStep * pageStep }

func (pool *pagePool) get(c *Config, tokens int) *page {
	room := roomFor(tokens)
	if free := pool.free[room]; len(free) > 0 {
		last := len(free) - 1
		p := free[last]
		free[last], pool.free[room] = nil, free[:last]
		pool.idle -= room
		p.users = 1
		return p
	}
	pool.tokens += room
	return &page{room: room, data: kernel.NewStream(c.pageFloats(room)), users: 1}
}

// put gives a page back that one segment no longer needs.
func (pool *pagePool) put(p *page) {
	if p.users--; p.users > 0 {
		return
	}
	if pool.free == nil {
		pool.free = map[int][]*page{}
	}
	pool.free[p.room] = append(pool.free[p.room], p)
	pool.idle += p.room
}

// drop lets free pages go, large rooms first, until those that are left have at most so much room.
func (pool *pagePool) drop(most int) {
	for _, room := range slices.Backward(slices.Sorted(maps.Keys(pool.free))) {
		for free := pool.free[room]; len(free) > 0 && pool.tokens > most; free = pool.free[room] {
			free[len(free)-1].data.Free()
			free[len(free)-1] = nil
			pool.free[room] = free[:len(free)-1]
			pool.tokens, pool.idle = pool.tokens-room, pool.idle-room
		}
	}
}

func (c *Config) pageFloats(tokens int) int { return c.Layers * c.panelFloats(tokens) }
