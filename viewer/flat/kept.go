package flat

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"parley/recipe"
	"parley/runs"
)

// Filled is a recipe that a run recorded as this release reads it: keys that its own release did not know have their defaults.
type Filled struct {
	*Recipe
	Known bool   // this release can read it: else it is as it was written
	Group string // what recipes share that differ in their seeds alone
	err   error  // it is no YAML
}

// Kept are recipes that were read: a page asks for the same ones at every update of their runs.
type Kept struct {
	mu      sync.Mutex
	recipes map[string]Filled // by how they are read, and their text
}

// mostKept is how many there are in memory.
const mostKept = 800

// Of are the keys of a recipe as it was written.
func (k *Kept) Of(text string) (*Recipe, error) {
	f := k.read("written\x00"+text, func() (f Filled) {
		f.Recipe, f.err = Of(text)
		return f
	})
	return f.Recipe, f.err
}

// Filled are those with the defaults of a language.
func (k *Kept) Filled(l *recipe.Language, text string) Filled {
	return k.read("filled\x00"+text, func() (f Filled) {
		if l != nil {
			if r, err := l.Parse(runs.MetaFile, []byte(text), nil); err == nil {
				text, f.Known = string(r.YAML()), true
			}
		}
		if f.Recipe, f.err = Of(text); f.err != nil {
			f.Recipe = &Recipe{}
		}
		for _, key := range slices.Sorted(maps.Keys(f.Values)) {
			if key != "seed" {
				f.Group += fmt.Sprintf("%s\x00%s\x00", key, f.Values[key])
			}
		}
		return f
	})
}

func (k *Kept) read(key string, read func() Filled) Filled {
	k.mu.Lock()
	f, ok := k.recipes[key]
	k.mu.Unlock()
	if ok {
		return f
	}
	f = read()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.recipes == nil || len(k.recipes) >= mostKept {
		k.recipes = map[string]Filled{}
	}
	k.recipes[key] = f
	return f
}
