package spec

import (
	"fmt"

	"go.starlark.net/syntax"
)

// An Unread comparison of two agents' answers holds, or fails, as if they agreed where neither has one: None equals None.
type Unread struct {
	Place  string // of the expression
	Found  string // such as said("a").answer == said("b").answer
	Remedy string // what to write in its place
}

// Unreads lists those of all steps and of the answer. An expression that looks for None itself has none.
func (s Spec) Unreads() (out []Unread) {
	look := func(place, text string) {
		e, err := (&syntax.FileOptions{}).ParseExpr(place, text, 0)
		if err != nil {
			return // said elsewhere
		}
		var found []Unread
		asks := false
		syntax.Walk(e, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Ident:
				asks = asks || n.Name == "None"
			case *syntax.BinaryExpr:
				a, b := answerOf(n.X), answerOf(n.Y)
				if (n.Op == syntax.EQL || n.Op == syntax.NEQ) && a != "" && b != "" && a != b {
					u := Unread{place, fmt.Sprintf("said(%s).answer %s said(%s).answer", a, n.Op, b), fmt.Sprintf("agree(%s, %s)", a, b)}
					if n.Op == syntax.NEQ {
						u.Remedy = "not " + u.Remedy
					}
					found = append(found, u)
				}
			}
			return true
		})
		if !asks {
			out = append(out, found...)
		}
	}
	everyStep(s.Steps, func(step Step) {
		look(step.Place+".when", step.When)
		look(step.Place+".until", step.Until)
		look(step.Place+".note", step.Note)
	})
	look("team.answer", s.Answer.Expr)
	return out
}

// answerOf is the name in said(NAME).answer as it is written; empty: it is something else.
func answerOf(e syntax.Expr) string {
	for p, ok := e.(*syntax.ParenExpr); ok; p, ok = e.(*syntax.ParenExpr) {
		e = p.X
	}
	dot, ok := e.(*syntax.DotExpr)
	if !ok || dot.Name.Name != "answer" {
		return ""
	}
	call, ok := dot.X.(*syntax.CallExpr)
	if !ok || len(call.Args) != 1 {
		return ""
	}
	f, ok := call.Fn.(*syntax.Ident)
	if !ok || f.Name != "said" {
		return ""
	}
	switch arg := call.Args[0].(type) {
	case *syntax.Literal:
		return arg.Raw
	case *syntax.Ident:
		return arg.Name
	}
	return ""
}

// A Fault is one thing that is wrong with a workflow.
type Fault struct {
	Place   string // such as team.workflow[2].prompt
	Message string
	Hint    string // what to write instead; may be empty
}

func (f Fault) String() string { return fmt.Sprintf("%s: %s", f.Place, f.Message) }

// Faults is everything that is wrong with a workflow.
type Faults []Fault

func (f Faults) Error() string {
	out := ""
	for i, fault := range f {
		if i > 0 {
			out += "\n"
		}
		out += fault.String()
		if fault.Hint != "" {
			out += "; " + fault.Hint
		}
	}
	return out
}
