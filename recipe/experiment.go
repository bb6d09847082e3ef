package recipe

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/recipe/schema"
)

// Experiment makes one recipe several runs. Without seeds and variants it is a single one.
type Experiment struct {
	Seeds    []int    `yaml:"seeds" min:"0" doc:"Every variant is run with each of these seeds; empty: with seed alone."`
	Variants Variants `yaml:"variants" doc:"Runs to compare, each a name with a list of changes of this recipe, as after --set; empty: the recipe as it is."`
}

// Active says that the recipe asks for more than one run.
func (e Experiment) Active() bool { return len(e.Seeds) > 0 || len(e.Variants) > 0 }

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
	if !folderName.MatchString(name) {
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

// A Trial is one run of an experiment.
type Trial struct {
	Variant string // empty: the recipe has none
	Recipe  *Recipe
}

// Name is that of the trial's folder within the experiment's.
func (t Trial) Name() string {
	if t.Variant == "" {
		return fmt.Sprintf("s%d", t.Recipe.Seed)
	}
	return fmt.Sprintf("%s-s%d", t.Variant, t.Recipe.Seed)
}

// Trials lists the runs that r asks for: of each variant, all seeds.
func (r *Recipe) Trials() ([]Trial, error) {
	variants, seeds := r.Experiment.Variants, r.Experiment.Seeds
	if len(variants) == 0 {
		variants = Variants{{}}
	}
	if len(seeds) == 0 {
		seeds = []int{r.Seed}
	}
	var out []Trial
	for _, v := range variants {
		for _, seed := range seeds {
			one, err := r.variant(v, seed)
			if err != nil {
				return nil, err
			}
			out = append(out, Trial{v.Name, one})
		}
	}
	return out, nil
}

// variant is r with the changes of one variant, for a single run. What r says and has no effect under these changes is left out: only a
// change of the variant's own without effect is a mistake.
func (r *Recipe) variant(v Variant, seed int) (*Recipe, error) {
	plain := *r
	plain.Seed, plain.Experiment = seed, Experiment{}
	if v.Name != "" {
		plain.Name += "-" + v.Name
	}
	d := r.language.reader("variant " + v.Name)
	d.lenient = true
	return d.parse(plain.YAML(), v.Set)
}

// mostRuns bounds an experiment: every variant of a recipe is checked like a recipe.
const mostRuns = 200

// experiment reports what is wrong with the variants of r, which is fine itself.
func (d *reader) experiment(r *Recipe) {
	if d.Failed() {
		return
	}
	at := d.Origin("experiment.variants", "experiment.seeds")
	if n := max(1, len(r.Experiment.Variants)) * max(1, len(r.Experiment.Seeds)); n > mostRuns {
		d.Fail(at, fmt.Sprintf("experiment asks for %d runs, expected at most %d", n, mostRuns), "make several recipes of it")
		return
	}
	d.repeatedSeeds(r)
	first := map[string]string{} // by what a variant is: the variant that is so
	for _, v := range r.Experiment.Variants {
		one, err := r.variant(v, r.Seed)
		var wrong *Errors
		if errors.As(err, &wrong) {
			for _, e := range wrong.List {
				d.Fail(at, fmt.Sprintf("variant %s: %s", v.Name, e.Message), e.Hint)
			}
			continue
		}
		d.countsOnce(r, v, one, first)
	}
}

// repeatedSeeds refuses a seed that stands twice: the same run would count as two, without any spread.
func (d *reader) repeatedSeeds(r *Recipe) {
	for i, seed := range r.Experiment.Seeds {
		if slices.Contains(r.Experiment.Seeds[:i], seed) {
			d.Fail(d.Origin("experiment.seeds"), fmt.Sprintf("experiment.seeds names %d twice, which is the same run again", seed), "remove one")
		}
	}
}

// countsOnce refuses a variant that is no single run for every seed, and one that is another's run again.
func (d *reader) countsOnce(r *Recipe, v Variant, one *Recipe, first map[string]string) {
	at := d.Origin("experiment.variants")
	if one.Experiment.Active() {
		d.Fail(at, fmt.Sprintf("variant %s is an experiment itself, expected changes of a single run", v.Name), "leave its experiment out")
	}
	seeded := slices.ContainsFunc(v.Set, func(set string) bool { return strings.HasPrefix(set, "seed=") })
	if seeded && len(r.Experiment.Seeds) > 0 {
		d.Fail(at, fmt.Sprintf("variant %s sets seed, but every variant is run with each of experiment.seeds", v.Name), "leave its seed out")
	}
	plain := *one
	plain.Name = r.Name
	text := string(plain.YAML())
	if other, twice := first[text]; twice {
		d.Fail(at, fmt.Sprintf("variants %s and %s are the same run", other, v.Name), "remove one")
	}
	first[text] = v.Name
}
