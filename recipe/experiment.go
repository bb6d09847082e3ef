package recipe

import (
	"errors"
	"fmt"
	"slices"

	"parley/recipe/keys"
	"parley/recipe/schema"
	"parley/recipe/teams"
)

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
		variants = keys.Variants{{}}
	}
	if len(seeds) == 0 {
		seeds = []int{r.Seed}
	}
	var out []Trial
	for _, v := range variants {
		one, err := r.variant(v, seeds[0])
		if err != nil {
			return nil, err
		}
		for _, seed := range seeds {
			trial := *one
			if !teams.SetsSeed(v) { // no other key depends on the seed; whoever counts seeds refuses such a variant
				trial.Seed = seed
			}
			out = append(out, Trial{v.Name, &trial})
		}
	}
	return out, nil
}

// variant is r with the changes of one variant, for a single run. Keys of r that have no effect under these changes are left out. Only
// a change of the variant that has no effect is a mistake.
func (r *Recipe) variant(v keys.Variant, seed int) (*Recipe, error) {
	plain := *r
	plain.Seed, plain.Experiment = seed, keys.Experiment{}
	if v.Name != "" {
		plain.Name += "-" + v.Name
	}
	d := r.language.reader("variant " + v.Name)
	d.lenient = true
	return d.parse(schema.PrintBare(r.schema(), &plain), v.Set)
}

// experiment reports what is wrong with the variants of r, which is fine itself.
func (d *reader) experiment(r *Recipe) {
	if d.Failed() {
		return
	}
	at := d.Origin("experiment.variants", "experiment.seeds")
	if message := teams.TooMany(r.Experiment); message != "" {
		d.Fail(at, message, "make several recipes of it")
		return
	}
	for _, seed := range teams.RepeatedSeeds(r.Experiment.Seeds) {
		d.Fail(d.Origin("experiment.seeds"), fmt.Sprintf("experiment.seeds names %d twice, which is the same run again", seed), "remove one")
	}
	d.ownSeed(r)
	first := map[string]string{} // by what a variant is: the variant that is so
	for _, v := range r.Experiment.Variants {
		one, err := r.variant(v, r.Seed)
		if wrong, ok := errors.AsType[*Errors](err); ok {
			for _, e := range wrong.List {
				d.Fail(at, fmt.Sprintf("variant %s: %s", v.Name, e.Message), e.Hint)
			}
			continue
		}
		d.countsOnce(r, v, one, first)
	}
}

// ownSeed refuses a seed that no run of an experiment would have, and a change to one beside others. A recipe that says nothing of its own seed has that of
// the experiment's first run, so that whatever prints it prints one that is used.
func (d *reader) ownSeed(r *Recipe) {
	at, given := d.Given("seed")
	changed := given && at.File != d.Origin().File // by --set, or by an overlay
	written := given && d.folder != ""             // a recorded recipe may have one
	if message, hint := teams.SeedFault(r.Experiment, r.Seed, changed, written); message != "" {
		d.Fail(at, message, hint)
	} else if seeds := r.Experiment.AllSeeds(r.Seed); !slices.Contains(seeds, r.Seed) {
		r.Seed = seeds[0]
	}
}

// countsOnce refuses a variant that is no single run for every seed, and one that is another's run again.
func (d *reader) countsOnce(r *Recipe, v keys.Variant, one *Recipe, first map[string]string) {
	at := d.Origin("experiment.variants")
	if one.Experiment.Active() {
		d.Fail(at, fmt.Sprintf("variant %s is an experiment itself, expected changes of a single run", v.Name), "leave its experiment out")
	}
	if teams.SetsSeed(v) && len(r.Experiment.Seeds) > 0 {
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
