// Package language makes the language of parley's recipes: the general keys, and what the registers of tasks, protocols and algorithms list. It is the only
// place that knows all tasks and algorithms; everything else asks it, or is given what it lists.
//
//	l := language.New()
//	r, err := l.Load("debate-sums", []string{"training.updates=3"})
//
//	tasks.go       the register of tasks
//	algorithms.go  the register of algorithms
package language

import (
	"parley/recipe"
	"parley/team/protocols"
)

// New returns the language of the shipped recipes. It is made once and handed to whoever reads recipes.
func New() *recipe.Language {
	return recipe.NewLanguage(Tasks(), protocols.All(), Algorithms())
}
