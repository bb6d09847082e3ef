// Package language makes the language of parley's recipes: the general keys, and what the registers of tasks, protocols and algorithms list.
//
//	l := language.New()
//	r, err := l.Load("debate-sums", []string{"training.updates=3"})
package language

import (
	"parley/learn/algorithms"
	"parley/recipe"
	"parley/task/register"
	"parley/team/protocols"
)

// New returns the language of the shipped recipes. It is made once and handed to whoever reads recipes.
func New() *recipe.Language {
	return recipe.NewLanguage(register.Tasks(), protocols.All(), algorithms.All())
}
