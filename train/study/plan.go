package study

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"parley/recipe"
	"parley/recipe/keys"
	"parley/recipe/schema"
)

// A Plan is what a study does.
type Plan struct {
	Cells   []Cell
	Runs    []Run    // cell by cell, seed by seed
	LeftOut []Reason // cells that are not run, one each
}

// A Cell is what is compared: a recipe under one level of each factor and one budget.
type Cell struct {
	Name   string
	Levels []Level // of each dimension, in order
	Tokens int     // budget; 0: its recipe's
}

// A Level is where a cell is in one dimension.
type Level struct{ Dimension, Name string }

// A Run is one seed of a cell.
type Run struct {
	Name   string // of its folder
	Cell   string
	Seed   int
	Recipe *recipe.Recipe
}

// Level is the name of the level of a dimension; empty: the cell has none.
func (c *Cell) Level(dimension string) string {
	for _, l := range c.Levels {
		if l.Dimension == dimension {
			return l.Name
		}
	}
	return ""
}

// mostRuns bounds a study.
const mostRuns = 500

// mostUpdates is how many updates a run may need for its budget.
const mostUpdates = 100_000

// A combination is one recipe and one level of each factor, with the changes that they make.
type combination struct {
	base   Base
	levels []Level
	set    []string // of the levels
	tokens int
}

// plan lists what a study does, and reports what is wrong with its recipes.
func (d *reader) plan(s *Study) *Plan {
	p := &Plan{}
	used := make([]bool, len(s.Without))
	if n := s.size(); n > mostRuns {
		d.Fail(d.Origin("factors", "seeds"), fmt.Sprintf("the study asks for more than %d runs", mostRuns), "make several studies of it")
		return p
	}
	for _, c := range s.combinations() {
		d.cells(p, s, c, used)
	}
	for i, r := range s.Without {
		if !used[i] && len(d.blamed) == 0 { // the cells of a recipe that cannot be read are not known
			d.Fail(d.Near("without."+r.Cells, "without"), fmt.Sprintf("without names %s, which is no cell of the study", r.Cells), cellHint(r.Cells, p.names()))
		}
	}
	if len(p.Runs) == 0 && !d.Failed() {
		d.Fail(d.Origin("without"), "without leaves no cell to run", "")
	}
	d.sameFolder(p)
	d.comparable(p, s)
	return p
}

// names are those of all cells, left out or not.
func (p *Plan) names() (list []string) {
	for _, c := range p.Cells {
		list = append(list, c.Name)
	}
	for _, r := range p.LeftOut {
		list = append(list, r.Cells)
	}
	return list
}

// cellHint says what to write for a pattern that no cell has.
func cellHint(pattern string, names []string) string {
	if open := pattern + "-*"; slices.ContainsFunc(names, func(name string) bool { return matches(open, name) }) {
		return fmt.Sprintf("did you mean %q?", open)
	}
	if hint := nearHint(pattern, names); hint != "" || len(names) == 0 {
		return hint
	}
	return fmt.Sprintf("a cell is named %s, for example; * stands for anything", names[0])
}

// size is how many runs the dimensions make, at most one more than a study may have: a file can name more than a machine can count.
func (s *Study) size() int {
	n := 1
	for _, f := range append([]int{len(s.Recipes), len(s.Seeds), max(1, len(s.Tokens))}, s.Factors.sizes()...) {
		n = min(n*min(f, mostRuns+1), mostRuns+1)
	}
	return n
}

// combinations crosses the dimensions of a study.
func (s *Study) combinations() (list []combination) {
	for _, b := range s.Recipes {
		list = append(list, combination{base: b, levels: []Level{{RecipesDimension, b.Name}}})
	}
	for _, f := range s.Factors {
		var next []combination
		for _, c := range list {
			for _, l := range f.Levels {
				next = append(next, combination{c.base, append(slices.Clone(c.levels), Level{f.Name, l.Name}), slices.Concat(c.set, l.Set), 0})
			}
		}
		list = next
	}
	if len(s.Tokens) == 0 {
		return list
	}
	var next []combination
	for _, c := range list {
		for _, n := range s.Tokens {
			one := combination{c.base, slices.Clone(c.levels), c.set, n}
			if len(s.Tokens) > 1 {
				one.levels = append(one.levels, Level{TokensDimension, fmt.Sprint(n)})
			}
			next = append(next, one)
		}
	}
	return next
}

// cells adds the cells of a combination: one, or one for each variant of its recipe.
func (d *reader) cells(p *Plan, s *Study, c combination, used []bool) {
	if d.blamed[c.base.Name] {
		return
	}
	r, err := d.base(s, c)
	if err != nil && d.outline {
		r, err = &recipe.Recipe{}, nil
	}
	if err != nil {
		d.blamed[c.base.Name] = true
		c.levels = c.levels[:1]
		d.blame(s, c, err)
		return
	}
	variants := r.Experiment.Variants
	if len(variants) == 0 {
		variants = keys.Variants{{}}
	}
	for _, v := range variants {
		cell := Cell{Levels: slices.Clone(c.levels), Tokens: c.tokens}
		if v.Name != "" {
			cell.Levels = slices.Insert(cell.Levels, 1, Level{VariantsDimension, v.Name})
		}
		cell.Name = cellName(cell.Levels)
		if why := leftOut(s, cell.Name, used); why != "" {
			p.LeftOut = append(p.LeftOut, Reason{cell.Name, why})
			continue
		}
		trials := make([]recipe.Trial, len(s.Seeds))
		if !d.outline {
			r.Experiment = keys.Experiment{Seeds: s.Seeds, Variants: keys.Variants{{Name: cellName(cell.Levels[1:]), Set: slices.Concat(v.Set, r.Located(d.folder, c.set))}}}
			if trials, err = r.Trials(); err != nil {
				d.blame(s, c, err)
				continue
			}
			d.budget(s, c, cell, trials[0].Recipe)
			d.seeded(s, c, cell, trials)
		}
		p.Cells = append(p.Cells, cell)
		for i, seed := range s.Seeds {
			p.Runs = append(p.Runs, Run{fmt.Sprintf("%s-s%d", cell.Name, seed), cell.Name, seed, trials[i].Recipe})
		}
	}
}

// base is the recipe of a combination without the changes of its levels. Those come behind as the changes of an experiment's variant do: what
// has no effect any more is then left out of the recipe.
func (d *reader) base(s *Study, c combination) (*recipe.Recipe, error) {
	var sets []string
	if len(s.Baselines) > 0 {
		sets = append(sets, "eval.baselines=["+strings.Join(s.Baselines, ", ")+"]")
	}
	if c.tokens > 0 {
		sets = append(sets, fmt.Sprintf("training.updates=%d", mostUpdates), fmt.Sprintf("training.tokens=%d", c.tokens))
	}
	sets = slices.Concat(sets, s.Set, c.base.Set)
	return d.language.Load(d.locate(c.base.Recipe), append(sets, "name="+c.base.Name))
}

// locate finds a recipe's file beside the study.
func (d *reader) locate(name string) string {
	if slices.Contains(recipe.Names(), name) || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(d.folder, name)
}

// blame reports what is wrong with the recipe of a combination: a change at its own place in the study, all else at the recipe's.
func (d *reader) blame(s *Study, c combination, err error) {
	at := d.Near("recipes."+c.base.Name, "recipes")
	var list *recipe.Errors
	if !errors.As(err, &list) {
		d.Fail(at, fmt.Sprintf("%s: %v", c.base.Name, err), "")
		return
	}
	for _, e := range list.List {
		message, where := e.Message, at
		if change, ok := strings.CutPrefix(e.File, "--set "); ok && e.Line == 0 { // lines of a recipe's print say nothing to a reader
			message = e.File + ": " + message
			where = d.Near(changeKey(s, c, func(set string) bool { return set == change }), "recipes")
		}
		d.Fail(where, fmt.Sprintf("cell %s: %s", cellName(c.levels), message), e.Hint)
	}
}

// changeKey is where a study has a change of a combination: the last place, which is the one that counts; else the recipe.
func changeKey(s *Study, c combination, is func(set string) bool) string {
	for _, f := range slices.Backward(s.Factors) {
		for _, l := range f.Levels {
			if i := slices.IndexFunc(l.Set, is); i >= 0 && slices.Contains(c.levels, Level{f.Name, l.Name}) {
				return fmt.Sprintf("factors.%s.%s[%d]", f.Name, l.Name, i)
			}
		}
	}
	if i := slices.IndexFunc(s.Set, is); i >= 0 && !slices.ContainsFunc(c.base.Set, is) {
		return fmt.Sprintf("set[%d]", i)
	}
	return "recipes." + c.base.Name
}

// setting is where a combination sets a key.
func (d *reader) setting(s *Study, c combination, key string) schema.Origin {
	return d.Near(changeKey(s, c, func(set string) bool { return strings.HasPrefix(set, key+"=") }), "recipes")
}

// budget refuses a training whose course depends on how many updates it will have, which a budget in tokens leaves open.
func (d *reader) budget(s *Study, from combination, c Cell, r *recipe.Recipe) {
	if c.Tokens == 0 {
		return
	}
	at := d.Near("recipes."+c.Level(RecipesDimension), "recipes")
	if r.Optimizer.Decay != "none" {
		d.Fail(at, fmt.Sprintf("cell %s: its learning rate falls over training.updates, but tokens ends the training", c.Name), "add optimizer.decay=none to set")
	}
	if r.Training.Updates != mostUpdates {
		d.Fail(d.setting(s, from, "training.updates"), fmt.Sprintf("cell %s: training.updates is %d, but tokens ends the training", c.Name, r.Training.Updates), "leave training.updates out of its changes")
	}
	if r.Training.Tokens != c.Tokens {
		d.Fail(d.setting(s, from, "training.tokens"), fmt.Sprintf("cell %s: training.tokens is %d, but tokens gives every run %d", c.Name, r.Training.Tokens, c.Tokens), "leave training.tokens out of its changes, or write several budgets in tokens")
	}
	if r.Prefers() {
		d.Fail(at, fmt.Sprintf("cell %s: its iterations are parts of training.updates, but tokens ends the training", c.Name), "leave tokens out, or the recipe")
	}
}

// seeded refuses a cell whose changes give its runs another seed: the same run would count as several.
func (d *reader) seeded(s *Study, from combination, c Cell, trials []recipe.Trial) {
	for i, seed := range s.Seeds {
		if got := trials[i].Recipe.Seed; got != seed {
			d.Fail(d.setting(s, from, "seed"), fmt.Sprintf("cell %s: its changes set seed to %d, but every cell is run with each of seeds", c.Name, got), "leave seed out of its changes")
			return
		}
	}
}

// leftOut is why a cell is not run; empty: it is.
func leftOut(s *Study, cell string, used []bool) (why string) {
	for i, r := range s.Without {
		if matches(r.Cells, cell) {
			used[i] = true
			if why == "" {
				why = r.Why
			}
		}
	}
	return why
}

// matches says whether a name fits a pattern, in which * stands for anything.
func matches(pattern, name string) bool {
	fits, err := path.Match(pattern, name)
	return fits && err == nil
}

// sameFolder refuses cells whose runs would share a folder.
func (d *reader) sameFolder(p *Plan) {
	seen := map[string]string{} // by the name in lower case: the cell
	for _, r := range p.Runs {
		lower := strings.ToLower(r.Name)
		if other, ok := seen[lower]; ok {
			message := fmt.Sprintf("two cells of the study are named %s", r.Cell)
			if other != r.Cell {
				message = fmt.Sprintf("the cells %s and %s differ in capitals alone, which some disks do not tell apart", other, r.Cell)
			}
			d.Fail(d.Origin("recipes"), message, "rename a recipe or a level")
			return
		}
		seen[lower] = r.Cell
	}
}

// comparable refuses a study with pairs of which none has two cells.
func (d *reader) comparable(p *Plan, s *Study) {
	if d.Failed() {
		return
	}
	for _, pair := range s.Pairs {
		if len(p.Tested(pair)) == 0 {
			d.Fail(d.Near("pairs."+pair.Dimension, "pairs"), fmt.Sprintf("pairs.%s compares nothing: no two cells differ in it alone, with %s as one level", pair.Dimension, strings.Join(pair.With, " or ")), "")
		}
	}
}

// Tested lists the cells that a pair compares, by index: the first one's numbers less the second's.
func (p *Plan) Tested(pair Pair) (list [][2]int) {
	for w, with := range pair.With {
		for b, against := range p.Cells {
			if against.Level(pair.Dimension) != with {
				continue
			}
			for a, c := range p.Cells {
				if level := c.Level(pair.Dimension); level != "" && level != with && !slices.Contains(pair.With[:w], level) && sameBut(c, against, pair.Dimension) {
					list = append(list, [2]int{a, b})
				}
			}
		}
	}
	return list
}

// sameBut says that two cells differ in one dimension alone.
func sameBut(a, b Cell, dimension string) bool {
	return slices.EqualFunc(a.Levels, b.Levels, func(x, y Level) bool { return x == y || x.Dimension == dimension && y.Dimension == dimension })
}

// cellName puts the levels together.
func cellName(levels []Level) string {
	names := make([]string, len(levels))
	for i, l := range levels {
		names[i] = l.Name
	}
	return strings.Join(names, "-")
}
