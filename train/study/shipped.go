package study

import (
	"embed"

	"parley/internal/shipped"
	"parley/recipe"
)

//go:embed shipped/*.yaml
var files embed.FS

var inBinary = shipped.Files{FS: files, Folder: "shipped"}

// Names lists the shipped studies in alphabetical order.
func Names() []string { return inBinary.Names() }

// A Shipped study comes with parley.
type Shipped struct {
	*Study
	Plan *Plan
}

// All returns the studies in the binary, in the order of [Names].
func All(l *recipe.Language) []Shipped {
	var list []Shipped
	for _, name := range Names() {
		s, plan, err := Load(l, name)
		if err != nil {
			panic("internal error: shipped study: " + err.Error())
		}
		list = append(list, Shipped{s, plan})
	}
	return list
}
