package record

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"parley/recipe"
	"parley/runs"
)

// FilledRecipe is a recipe that a run recorded as this release reads it: keys that its own release did not know have their defaults.
type FilledRecipe struct {
	*FlatRecipe
	Known bool   // this release can read it: else it is as it was written
	Group string // what recipes share that differ in their seeds alone
	err   error  // it is no YAML
}

// KeptRecipes are recipes that were read: a page asks for the same ones at every update of their runs.
type KeptRecipes struct {
	mu      sync.Mutex
	recipes map[string]FilledRecipe // by how they are read, and their text
}

// mostFlat is how many there are in memory.
const mostFlat = 800

// Of are the keys of a recipe as it was written.
func (k *KeptRecipes) Of(text string) (*FlatRecipe, error) {
	f := k.read("written\x00"+text, func() (f FilledRecipe) {
		f.FlatRecipe, f.err = Flatten(text)
		return f
	})
	return f.FlatRecipe, f.err
}

// Filled are those with the defaults of a language.
func (k *KeptRecipes) Filled(l *recipe.Language, text string) FilledRecipe {
	return k.read("filled\x00"+text, func() (f FilledRecipe) {
		if l != nil {
			if r, err := l.Parse(runs.MetaFile, []byte(text), nil); err == nil {
				text, f.Known = string(r.YAML()), true
			}
		}
		if f.FlatRecipe, f.err = Flatten(text); f.err != nil {
			f.FlatRecipe = &FlatRecipe{}
		}
		for _, key := range slices.Sorted(maps.Keys(f.Values)) {
			if key != "seed" {
				f.Group += fmt.Sprintf("%s\x00%s\x00", key, f.Values[key])
			}
		}
		return f
	})
}

func (k *KeptRecipes) read(key string, read func() FilledRecipe) FilledRecipe {
	k.mu.Lock()
	f, ok := k.recipes[key]
	k.mu.Unlock()
	if ok {
		return f
	}
	f = read()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.recipes == nil || len(k.recipes) >= mostFlat {
		k.recipes = map[string]FilledRecipe{}
	}
	k.recipes[key] = f
	return f
}
