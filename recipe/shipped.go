package recipe

import (
	"embed"

	"parley/internal/shipped"
)

// DefaultName is the shipped recipe that `parley train` runs when none is named.
const DefaultName = "debate-sums"

//go:embed shipped/*.yaml
var files embed.FS

var inBinary = shipped.Files{FS: files, Folder: "shipped"}

// Names lists the shipped recipes in alphabetical order.
func Names() []string { return inBinary.Names() }

// Shipped returns the recipes in the binary, in the order of [Names].
func (l *Language) Shipped() []*Recipe {
	var list []*Recipe
	for _, name := range Names() {
		r, err := l.Load(name, nil)
		if err != nil {
			panic("internal error: shipped recipe: " + err.Error())
		}
		list = append(list, r)
	}
	return list
}
