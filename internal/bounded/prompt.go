package bounded

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"text/template"
	"text/template/parse"
)

// Bounds of filling a template.
const (
	mostRounds = 100_000
	mostBytes  = 4 << 20
)

var (
	errRounds = fmt.Errorf("the template takes more than %d rounds of its loops and named templates: loop over a list, or fewer times", mostRounds)
	errBytes  = fmt.Errorf("the template writes more than %d MiB", mostBytes>>20)
	errWidth  = errors.New("a width in the format of printf has more than three digits")
)

// roundsName is the name of what counts rounds: no template can write it by accident.
const roundsName = "parley_round"

// A Prompt is a template that is filled in bounded time and room. It is written by whoever writes a recipe, and a slip in one, such as a loop over a
// number in place of a list, would otherwise run for hours and fill the memory.
//
// Every round of a loop and every use of a named template is counted, because a call of the counter is put at the beginning of what is repeated
// when the template is parsed. What is written is counted too, also into a variable. A Prompt may be used by several goroutines.
type Prompt struct {
	t       *template.Template
	counted bool // it has loops, or makes texts: each use has an account of its own
}

// ParsePrompt reads a template.
func ParsePrompt(name, source string) (*Prompt, error) {
	t, err := template.New(name).Option("missingkey=error").Funcs(new(promptAccount).functions()).Parse(source)
	if err != nil {
		return nil, err
	}
	p := &Prompt{t: t}
	tick, err := ticking()
	if err != nil {
		return nil, err
	}
	for _, named := range t.Templates() {
		if named.Tree == nil {
			continue
		}
		if named.Name() != name {
			named.Root.Nodes = append([]parse.Node{tick}, named.Root.Nodes...)
			p.counted = true
		}
		p.count(named.Root, tick)
	}
	return p, nil
}

// ticking is a call of the counter.
func ticking() (parse.Node, error) {
	t, err := template.New("").Funcs(new(promptAccount).functions()).Parse("{{" + roundsName + "}}")
	if err != nil {
		return nil, err
	}
	return t.Root.Nodes[0], nil
}

// count puts the counter into loops below a node.
func (p *Prompt) count(n parse.Node, tick parse.Node) {
	switch n := n.(type) {
	case *parse.ListNode:
		if n == nil {
			return
		}
		for _, inner := range n.Nodes {
			p.count(inner, tick)
		}
	case *parse.RangeNode:
		p.counted = true
		p.count(n.List, tick)
		p.count(n.ElseList, tick)
		n.List.Nodes = append([]parse.Node{tick}, n.List.Nodes...)
	case *parse.IfNode:
		p.branches(&n.BranchNode, tick)
	case *parse.WithNode:
		p.branches(&n.BranchNode, tick)
	case *parse.ActionNode:
		p.counted = p.counted || len(n.Pipe.Decl) > 0
	}
}

func (p *Prompt) branches(n *parse.BranchNode, tick parse.Node) {
	p.counted = p.counted || len(n.Pipe.Decl) > 0
	p.count(n.List, tick)
	p.count(n.ElseList, tick)
}

// Fill fills the template with what it sees.
func (p *Prompt) Fill(data any) (string, error) {
	t, a := p.t, new(promptAccount)
	if p.counted {
		own, err := t.Clone()
		if err != nil {
			return "", err
		}
		t = own.Funcs(a.functions())
	}
	out := promptWriter{promptAccount: a}
	if err := t.Execute(&out, data); err != nil {
		return "", err
	}
	return out.String(), nil
}

// An promptAccount is what one use of a template has taken.
type promptAccount struct{ rounds, bytes int }

func (a *promptAccount) take(n int) error {
	if a.bytes += n; a.bytes > mostBytes {
		return errBytes
	}
	return nil
}

// A promptWriter writes as much as the account allows.
type promptWriter struct {
	strings.Builder
	*promptAccount
}

func (w *promptWriter) Write(b []byte) (int, error) {
	if err := w.take(len(b)); err != nil {
		return 0, err
	}
	return w.Builder.Write(b)
}

// wide are widths and precisions in a format that make texts longer than their arguments.
var wide = regexp.MustCompile(`%[^a-zA-Z%]*([0-9]{4,}|\*)`)

// functions are the counter, and the functions of templates that make texts.
func (a *promptAccount) functions() template.FuncMap {
	made := func(make func(...any) string) func(...any) (string, error) {
		return func(args ...any) (string, error) {
			for _, x := range args { // before they are put together
				if text, ok := x.(string); ok {
					if err := a.take(len(text)); err != nil {
						return "", err
					}
				}
			}
			text := make(args...)
			return text, a.take(len(text))
		}
	}
	return template.FuncMap{
		roundsName: func() (string, error) {
			if a.rounds++; a.rounds > mostRounds {
				return "", errRounds
			}
			return "", nil
		},
		"print": made(fmt.Sprint), "println": made(fmt.Sprintln),
		"html": made(template.HTMLEscaper), "js": made(template.JSEscaper), "urlquery": made(template.URLQueryEscaper),
		"printf": func(format string, args ...any) (string, error) {
			if wide.MatchString(format) {
				return "", errWidth
			}
			return made(func(args ...any) string { return fmt.Sprintf(format, args...) })(args...)
		},
	}
}

// Root is the list of what the template consists of, for those who look at which fields it reads; nil: it is empty.
func (p *Prompt) Root() *parse.ListNode {
	if p.t.Tree == nil {
		return nil
	}
	return p.t.Root
}
