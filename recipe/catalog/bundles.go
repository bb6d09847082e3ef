package catalog

import (
	"slices"
	"strings"

	"parley/recipe/schema"
	"parley/rl/learn"
)

// ChosenBundle is the word that a file or a change names, as KEY=WORD; empty: none does.
func ChosenBundle(sections []learn.Section, lookup func(key string) (schema.Scalar, bool), sets []string) (chosen string) {
	each(sections, func(key string, b learn.Bundle) {
		if value, ok := lookup(key); ok && value.Text == b.Word {
			chosen = key + "=" + b.Word
		}
	})
	for _, set := range sets {
		if key, _, _ := strings.Cut(set, "="); known(sections, key) {
			chosen = set
		}
	}
	return chosen
}

// BundleOf is the word that values hold, as KEY=WORD.
func BundleOf(sections []learn.Section, root *schema.Field, values any) (chosen string) {
	each(sections, func(key string, b learn.Bundle) {
		if f := root.Find(key); f != nil && f.At(values).String() == b.Word {
			chosen = key + "=" + b.Word
		}
	})
	return chosen
}

// PutBundle gives the values of a word, KEY=WORD.
func PutBundle(sections []learn.Section, chosen string, root *schema.Field, values any) {
	each(sections, func(key string, b learn.Bundle) {
		if chosen != key+"="+b.Word {
			return
		}
		put(append([]string{chosen}, b.Set...), root, values)
	})
}

// Begin gives the values that recipes with a protocol begin with, of keys that there are.
func (c *Catalog) Begin(protocol string, root *schema.Field, values any) {
	if k, known := c.Protocol(protocol); known {
		put(slices.DeleteFunc(slices.Clone(k.Begins), func(set string) bool {
			key, _, _ := strings.Cut(set, "=")
			return root.Find(key) == nil
		}), root, values)
	}
}

func put(sets []string, root *schema.Field, values any) {
	for _, set := range sets {
		key, text, _ := strings.Cut(set, "=")
		v, ok := root.Find(key).Read(text)
		if !ok {
			panic("internal error: a word says " + set)
		}
		root.Find(key).At(values).Set(v)
	}
}

// ExpandBundles puts the changes of each word that is set before it.
func ExpandBundles(sections []learn.Section, sets []string) (out []string) {
	for _, set := range sets {
		each(sections, func(key string, b learn.Bundle) {
			if set == key+"="+b.Word {
				out = append(out, b.Set...)
			}
		})
		out = append(out, set)
	}
	return out
}

func known(sections []learn.Section, wanted string) (found bool) {
	each(sections, func(key string, _ learn.Bundle) { found = found || key == wanted })
	return found
}

// each visits the words of all sections, with the key that they are values of.
func each(sections []learn.Section, visit func(key string, b learn.Bundle)) {
	for _, s := range sections {
		for _, b := range s.Bundles {
			visit(s.Name+"."+s.BundleKey, b)
		}
	}
}
