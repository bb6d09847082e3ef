package catalog

import (
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
		for _, set := range append([]string{chosen}, b.Set...) {
			key, text, _ := strings.Cut(set, "=")
			v, ok := root.Find(key).Read(text)
			if !ok {
				panic("internal error: word " + b.Word + " says " + set)
			}
			root.Find(key).At(values).Set(v)
		}
	})
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
