package study

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"parley/recipe/keys"
	"parley/recipe/schema"
)

// Bases are the recipes of a study, in order.
type Bases []Base

// A Base is a recipe under the name that it has in a study.
type Base struct {
	Name   string
	Recipe string   `yaml:"recipe"`
	Set    []string `yaml:"set"`
}

//go:embed base.md
var baseTexts string

// KeyTexts is the Markdown file that says what each key means.
func (Base) KeyTexts() (file, text string) { return "train/study/base.md", baseTexts }

// Kind implements [schema.Tree].
func (*Bases) Kind() string { return "recipes by name" }

// Read implements [schema.Tree].
func (b *Bases) Read(n schema.Node) {
	for _, p := range pairsOf(n, "recipes by name", "write for example recipes: {chain: chain-tiny}") {
		base := Base{Name: p.Name}
		if text, ok := p.Text(); ok {
			base.Recipe = text
		} else if _, ok := p.Pairs(); ok {
			p.Section(&base)
			if !p.Has("recipe") {
				p.Fail(p.Path+" names no recipe", "write for example {recipe: chain-tiny, set: [optimizer.lr=0.002]}")
			}
		} else {
			p.Expect("a recipe's name, a file, or {recipe: …, set: […]}", "write for example chain: chain-tiny")
		}
		folderName(p)
		*b = append(*b, base)
	}
}

// Write implements [schema.Tree].
func (b *Bases) Write(indent string) string {
	return written(len(*b), indent, func(i int) string {
		base := (*b)[i]
		if len(base.Set) == 0 {
			return schema.Key(base.Name) + ": " + schema.Key(base.Recipe)
		}
		return fmt.Sprintf("%s: {recipe: %s, set: %s}", schema.Key(base.Name), schema.Key(base.Recipe), schema.FlowList(base.Set))
	})
}

// Factors are what a study varies, in order.
type Factors []Factor

// A Factor has levels, of which every cell has one.
type Factor struct {
	Name   string
	Levels []keys.Variant
}

// Kind implements [schema.Tree].
func (*Factors) Kind() string { return "factors by name" }

// Read implements [schema.Tree].
func (f *Factors) Read(n schema.Node) {
	const example = "write for example sharing: {own: [], shared: [policies.sharing=shared]}"
	for _, p := range pairsOf(n, "factors by name", example) {
		factor := Factor{Name: p.Name}
		if slices.Contains([]string{RecipesDimension, VariantsDimension, TokensDimension}, p.Name) {
			p.Fail(p.Path+" has the name of another dimension", "name the factor otherwise")
		}
		for _, level := range pairsOf(p.Node, "levels by name", example) {
			factor.Levels = append(factor.Levels, keys.Variant{Name: level.Name, Set: texts(level.Node)})
			folderName(level)
		}
		if len(factor.Levels) == 0 {
			p.Fail(p.Path+" has no level", example)
		}
		*f = append(*f, factor)
	}
}

// Write implements [schema.Tree].
func (f *Factors) Write(indent string) string {
	return written(len(*f), indent, func(i int) string {
		factor := (*f)[i]
		return schema.Key(factor.Name) + ":" + written(len(factor.Levels), indent+"  ", func(k int) string {
			return schema.Key(factor.Levels[k].Name) + ": " + schema.FlowList(factor.Levels[k].Set)
		})
	})
}

// sizes are how many levels each factor has.
func (f *Factors) sizes() []int {
	out := make([]int, len(*f))
	for i, factor := range *f {
		out[i] = len(factor.Levels)
	}
	return out
}

// Reasons say why cells are not run, in order.
type Reasons []Reason

// A Reason is why the cells that match a pattern are not run.
type Reason struct{ Cells, Why string }

// Kind implements [schema.Tree].
func (*Reasons) Kind() string { return "reasons by cell" }

// Read implements [schema.Tree].
func (r *Reasons) Read(n schema.Node) {
	const example = `write for example "*-full": parley trains adapters only`
	for _, p := range pairsOf(n, "reasons by cell", example) {
		why, ok := p.Text()
		if !ok || why == "" {
			p.Expect("the reason", example)
		}
		*r = append(*r, Reason{p.Name, why})
	}
}

// Write implements [schema.Tree].
func (r *Reasons) Write(indent string) string {
	return written(len(*r), indent, func(i int) string { return schema.Key((*r)[i].Cells) + ": " + schema.Key((*r)[i].Why) })
}

// Pairs say what is tested, in order.
type Pairs []Pair

// A Pair is a dimension whose other levels are compared with some levels, all else being equal.
type Pair struct {
	Dimension string
	With      []string
}

// Kind implements [schema.Tree].
func (*Pairs) Kind() string { return "levels by factor" }

// Read implements [schema.Tree].
func (s *Pairs) Read(n schema.Node) {
	for _, p := range pairsOf(n, "levels by factor", "write for example pairs: {sharing: own}") {
		*s = append(*s, Pair{p.Name, levels(p.Node)})
	}
}

// Write implements [schema.Tree].
func (s *Pairs) Write(indent string) string {
	return written(len(*s), indent, func(i int) string { return schema.Key((*s)[i].Dimension) + ": " + schema.FlowList((*s)[i].With) })
}

// pairsOf are those of a mapping; of anything else none, and that is reported.
func pairsOf(n schema.Node, what, example string) []schema.Named {
	pairs, ok := n.Pairs()
	if !ok {
		n.Expect(what, example)
	}
	return pairs
}

// levels are the names of one level or of a list of them; that of a budget is a number.
func levels(n schema.Node) (out []string) {
	items, list := n.Items()
	if !list {
		items = []schema.Node{n}
	}
	for _, item := range items {
		text, ok := item.Text()
		if number, isNumber := item.Int(); isNumber {
			text, ok = fmt.Sprint(number), true
		}
		if !ok {
			item.Expect("the name of a level", "put it in quotes")
		}
		out = append(out, text)
	}
	return out
}

// texts are those of a list; what is none is reported.
func texts(n schema.Node) []string {
	items, ok := n.Items()
	if !ok {
		n.Expect("a list of texts", "write [a, b]")
	}
	var out []string
	for _, item := range items {
		text, ok := item.Text()
		if !ok {
			item.Expect("a text", "put it in quotes")
		}
		out = append(out, text)
	}
	return out
}

// folderName reports a name that folders cannot have: those of runs are made of names.
func folderName(p schema.Named) {
	if !keys.FolderName.MatchString(p.Name) {
		p.Fail(p.Path+" has a name that is no folder's name", "write letters, digits, dots, dashes and underscores")
	}
}

// written are lines behind a colon; none: an empty mapping.
func written(n int, indent string, line func(i int) string) string {
	if n == 0 {
		return " {}"
	}
	var b strings.Builder
	for i := range n {
		b.WriteString("\n" + indent + "  " + line(i))
	}
	return b.String()
}
