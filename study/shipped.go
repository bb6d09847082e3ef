package study

import (
	"embed"
	"path"
	"sort"
	"strings"

	"parley/recipe"
)

//go:embed shipped/*.yaml
var shippedFiles embed.FS

// Names lists the shipped studies in alphabetical order.
func Names() []string {
	entries, err := shippedFiles.ReadDir("shipped")
	if err != nil {
		panic("internal error: " + err.Error())
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".yaml")
	}
	sort.Strings(names)
	return names
}

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

// shippedSource returns the text of a shipped study.
func shippedSource(name string) ([]byte, bool) {
	data, err := shippedFiles.ReadFile(path.Join("shipped", name+".yaml"))
	return data, err == nil
}
