package tokenizer

import (
	"hash/maphash"
	"slices"
	"strings"
	"sync"
)

// A worker is what one call of Encode needs beside the tokenizer: buffers, and the words it has seen. It never changes a
// result.
type worker struct {
	words   wordCache
	symbols []int32
	pairs   []candidate
	links   []link
	places  []place
	lattice []node
}

// workerPool keeps idle workers: as many as were ever busy at once.
type workerPool struct {
	mu   sync.Mutex
	idle []*worker
}

func (p *workerPool) get() *worker {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.idle); n > 0 {
		w := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return w
	}
	return &worker{words: newWordCache()}
}

func (p *workerPool) put(w *worker) {
	w.trim()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, w)
}

// keptSymbols bounds the buffers that an idle worker holds on to.
const keptSymbols = 1 << 16

// trim lets go of the buffers that a very long word has grown.
func (w *worker) trim() {
	if cap(w.symbols) > keptSymbols {
		w.symbols, w.links, w.places = nil, nil, nil
	}
	if cap(w.lattice) > keptSymbols {
		w.lattice = nil
	}
}

// longestCached is the length in bytes of the longest word that is remembered.
const longestCached = 64

// A wordCache remembers the ids of words. Each word has one place in it, by its hash, and drives out the one that was
// there: the cache never grows.
type wordCache struct {
	seed  maphash.Seed
	words []cachedWord
}

type cachedWord struct {
	word string
	ids  []int
}

const cachedWords = 1 << 14

func newWordCache() wordCache {
	return wordCache{maphash.MakeSeed(), make([]cachedWord, cachedWords)}
}

func (c *wordCache) find(word string) *cachedWord {
	return &c.words[maphash.String(c.seed, word)&(cachedWords-1)]
}

// recall appends the ids of word, if they are remembered.
func (c *wordCache) recall(ids []int, word string) ([]int, bool) {
	if len(word) > longestCached {
		return nil, false
	}
	entry := c.find(word)
	if entry.word != word {
		return nil, false
	}
	return append(ids, entry.ids...), true
}

// remember keeps the ids of a word, unless it is long.
func (c *wordCache) remember(word string, ids []int) {
	if len(word) <= longestCached {
		*c.find(word) = cachedWord{strings.Clone(word), slices.Clone(ids)}
	}
}
