package native

// pageTokens is the room of one page, in tokens.
const pageTokens = 64

// A pagePool keeps pages for reuse by room.
type pagePool map[int][]*page

func (pool *pagePool) get(c *Config, tokens int) *page {
	if *pool == nil {
		*pool = pagePool{}
	}
	room := (tokens + pageTokens - 1) / pageTokens * pageTokens
	free := (*pool)[room]
	if n := len(free); n > 0 {
		(*pool)[room] = free[:n-1]
		return free[n-1]
	}
	return &page{room: room, data: make([]float32, c.pageFloats(room))}
}

func (pool *pagePool) put(p *page) { (*pool)[p.room] = append((*pool)[p.room], p) }

func (c *Config) pageFloats(tokens int) int { return 2 * c.Layers * tokens * c.keyWidth() }
