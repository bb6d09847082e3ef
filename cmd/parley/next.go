package main

import (
	"strings"

	"github.com/alecthomas/kong"

	"parley/model/shipped"
	"parley/recipe"
	"parley/runs"
	"parley/train/study"
)

// A word is one that can stand at a place of a line.
type word struct{ text, help string }

// A place is where the next word of a line stands.
type place struct {
	verb  *kong.Node
	flag  *kong.Flag // whose value comes next
	given int        // arguments of the verb before it
	plain bool       // behind --, where no flag stands
}

// next lists what can stand in the place of the last word. names lists what a kind of value is called, such as recipe. Where nothing is listed a file may
// stand: the shells know those.
func next(program *kong.Node, words []string, names func(kind string) []string) (list []word) {
	p := place{verb: program}
	for _, w := range words[:len(words)-1] {
		p.pass(w)
	}
	begun, before := words[len(words)-1], ""
	switch name, value, joined := strings.Cut(begun, "="); {
	case joined && name == "": // bash has a word of its own for it
		begun = value
	case joined && strings.HasPrefix(name, "--") && !p.plain:
		p.pass(name)
		begun, before = value, name+"="
	}
	for _, w := range p.words(begun, names) {
		if strings.HasPrefix(w.text, begun) {
			list = append(list, word{before + w.text, w.help})
		}
	}
	return list
}

// pass goes over a word that is written.
func (p *place) pass(w string) {
	switch {
	case w == "=":
	case p.flag != nil:
		p.flag = nil
	case p.plain:
		p.given++
	case w == "--":
		p.plain = true
	case strings.HasPrefix(w, "-"):
		name, _, joined := strings.Cut(w, "=")
		for _, f := range p.flags() {
			if ("--"+f.Name == name || "-"+string(f.Short) == name) && !joined && !f.IsBool() && !f.IsCounter() {
				p.flag = f
			}
		}
	default:
		for _, v := range p.verb.Children {
			if v.Name == w {
				p.verb = v
				return
			}
		}
		p.given++
	}
}

// flags are those that may stand there.
func (p *place) flags() (all []*kong.Flag) {
	for _, group := range p.verb.AllFlags(true) {
		all = append(all, group...)
	}
	return all
}

// words are all that can stand there. A flag stands where one is begun.
func (p *place) words(begun string, names func(kind string) []string) (list []word) {
	switch {
	case p.flag != nil:
		return values(p.flag.Value, p.flag.PlaceHolder, names)
	case strings.HasPrefix(begun, "-") && !p.plain:
		for _, f := range p.flags() {
			list = append(list, word{"--" + f.Name, firstSentence(f.Help)})
		}
		return list
	}
	for _, v := range p.verb.Children {
		if !v.Hidden {
			list = append(list, word{v.Name, firstSentence(v.Help)})
		}
	}
	if all := p.verb.Positional; p.given < len(all) {
		list = append(list, values(all[p.given], "", names)...)
	} else if len(all) > 0 && all[len(all)-1].IsCumulative() {
		list = append(list, values(all[len(all)-1], "", names)...)
	}
	return list
}

// values are those that a flag or an argument may have, as far as they have names. Of a flag its own name counts, and the word that stands for its value.
func values(v *kong.Value, placeholder string, names func(kind string) []string) (list []word) {
	all := names(v.Name)
	switch {
	case v.Enum != "":
		all = v.EnumSlice()
	case len(all) == 0:
		all = names(strings.ToLower(placeholder))
	}
	for _, name := range all {
		list = append(list, word{text: name})
	}
	return list
}

// firstSentence is what a line has room for.
func firstSentence(help string) string {
	first, _, _ := strings.Cut(help, ". ")
	return strings.TrimSuffix(first, ".")
}

// named lists what arguments and flags of a name may have as their value.
func named(l *recipe.Language) func(kind string) []string {
	return func(kind string) []string {
		switch kind {
		case "recipe":
			return recipe.Names()
		case "run", "resume":
			return runs.Inside(runs.Root())
		case "run-or-recipe":
			return append(runs.Inside(runs.Root()), recipe.Names()...)
		case "team-or-model":
			return append(append(runs.Inside(runs.Root()), recipe.Names()...), shipped.Names()...)
		case "model", "base":
			return shipped.Names()
		case "study":
			return study.Names()
		case "task":
			return tasks(l)
		}
		return nil
	}
}

func tasks(l *recipe.Language) (names []string) {
	for _, t := range l.Tasks() {
		names = append(names, t.Name)
	}
	return names
}
