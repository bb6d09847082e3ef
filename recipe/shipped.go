package recipe

import (
	"embed"
	"path"
	"sort"
	"strings"
)

// DefaultName is the shipped recipe that `parley train` runs when none is named.
const DefaultName = "debate-sums"

//go:embed shipped/*.yaml
var shippedFiles embed.FS

// Names lists the shipped recipes in alphabetical order.
func Names() []string {
	entries, err := shippedFiles.ReadDir("shipped")
	if err != nil {
		panic("internal error: " + err.Error())
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".yaml")
	}
	sort.Strings(names) // with their endings they sort otherwise: a dash comes before the dot
	return names
}

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

// shippedSource returns the text of a shipped recipe.
func shippedSource(name string) ([]byte, bool) {
	data, err := shippedFiles.ReadFile(path.Join("shipped", name+".yaml"))
	return data, err == nil
}
