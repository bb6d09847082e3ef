package keys

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"parley/recipe/schema"
)

// FolderName matches what a run's folder may be named after.
var FolderName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// Experiment makes one recipe several runs. Without seeds and variants it is a single one.
type Experiment struct {
	Seeds    []int    `yaml:"seeds" min:"0" most:"none"`
	Variants Variants `yaml:"variants"`
}

// Active says that the recipe asks for more than one run.
func (e Experiment) Active() bool { return len(e.Seeds) > 0 || len(e.Variants) > 0 }

// AllSeeds are those that the runs have of a recipe with a seed, each once.
func (e Experiment) AllSeeds(recipes int) (list []int) {
	if len(e.Seeds) > 0 {
		return e.Seeds
	}
	for _, v := range e.Variants {
		seed := recipes
		for _, set := range v.Set {
			if text, own := strings.CutPrefix(set, "seed="); own {
				seed, _ = strconv.Atoi(text) // what is no number is refused with the variant
			}
		}
		if !slices.Contains(list, seed) {
			list = append(list, seed)
		}
	}
	if len(list) == 0 {
		return []int{recipes}
	}
	return list
}

// A Variant is one of an experiment's recipes: changes of the form key=value.
type Variant struct {
	Name string
	Set  []string
}

// Variants are written as a mapping from names to lists of changes, in order.
type Variants []Variant

// Shape implements [schema.Mapping].
func (*Variants) Shape() schema.Shape {
	return schema.Shape{Kind: "named list of changes", Expected: "a name with a list of changes each", Example: "plain: []"}
}

// Check implements [schema.Mapping]: folders are named after variants.
func (list *Variants) Check(name string) (message, hint string) {
	if !FolderName.MatchString(name) {
		return "has a name that is no folder's name", "write letters, digits, dots, dashes and underscores"
	}
	for _, before := range *list {
		if before.Name != name && strings.EqualFold(before.Name, name) {
			return fmt.Sprintf("names %s and %s, whose folders some disks cannot tell apart", before.Name, name), "rename one"
		}
	}
	return "", ""
}

// Add implements [schema.Mapping].
func (list *Variants) Add(name string, changes []string) {
	*list = append(*list, Variant{Name: name, Set: changes})
}

// Each implements [schema.Mapping].
func (list *Variants) Each(visit func(name string, changes []string)) {
	for _, v := range *list {
		visit(v.Name, v.Set)
	}
}
