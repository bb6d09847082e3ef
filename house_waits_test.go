package parley_test

import (
	"go/ast"
	"path"
	"slices"
	"testing"
)

// lives are the files that begin a context which no caller has: the process's own, or that of something that outlives who made it. Everything else
// that may wait is given the context of its run.
var lives = []string{
	"cmd/parley/main.go",
	"rl/rollout/gather/batching.go", // a batch is of many callers
	"rl/tabular/learn.go",           // tables wait for nothing
	"task/sandbox/wasm/child.go",    // a process of its own
	"task/sandbox/wasm/wasm.go",     // a pool ends when it is closed
	"task/sandbox/workers.go",
	"serve/tinker/model.go", // a server's sessions end by themselves
	"serve/tinker/sampler.go",
	"serve/tinker/tinker.go",
}

// helpers are packages of tests.
var helpers = []string{"engine/tinker/tinkertest", "train/shortrun"}

// TestContexts: nobody else begins a context.
func TestContexts(t *testing.T) {
	begun := map[string]bool{}
	files(t, source, func(name string, data []byte) {
		if dir := path.Dir(name); above(dir) || slices.Contains(helpers, dir) {
			return
		}
		ast.Inspect(parse(t, name, data, 0), func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && (s.Sel.Name == "Background" || s.Sel.Name == "TODO") && isName(s.X, "context") {
				begun[name] = true
			}
			return true
		})
	})
	for name := range begun {
		if !slices.Contains(lives, name) {
			t.Errorf("%s begins a context: take that of the run", name)
		}
	}
	for _, name := range lives {
		if !begun[name] {
			t.Errorf("%s begins no context any more: take it off the list", name)
		}
	}
}

// waiting are the interfaces behind which somebody may be silent: a program, a server, a sandbox or an engine.
var waiting = map[string][]string{
	"engine":           {"Engine", "Streamer", "Pinner"},
	"task/environment": {"Environment", "Stateful"},
	"task/world":       {"source", "session"},
	"rl/rollout":       {"Scorer", "StreamingScorer"},
	"task/sandbox":     {"Backend"},
	"team":             {"Speaker"},
	"task":             {"JointScorer", "Reporter"},
	"task/user":        {"source"},
	"train/score":      {"Verifier", "JointModel"},
}

// immediate are methods of those interfaces that say something of themselves.
var immediate = []string{"Close", "Info", "Kind", "Range", "Streams", "String"}

// TestWaiting: every call of them takes a context first.
func TestWaiting(t *testing.T) {
	seen := map[string]bool{}
	files(t, source, func(name string, data []byte) {
		dir := path.Dir(name)
		ast.Inspect(parse(t, name, data, 0), func(n ast.Node) bool {
			s, ok := n.(*ast.TypeSpec)
			if !ok || !slices.Contains(waiting[dir], s.Name.Name) {
				return true
			}
			seen[dir+"."+s.Name.Name] = true
			for _, m := range s.Type.(*ast.InterfaceType).Methods.List {
				f, is := m.Type.(*ast.FuncType)
				if is && !slices.Contains(immediate, m.Names[0].Name) && !takesContext(f) {
					t.Errorf("%s: %s.%s takes no context first", name, s.Name.Name, m.Names[0].Name)
				}
			}
			return true
		})
	})
	for dir, names := range waiting {
		for _, name := range names {
			if !seen[dir+"."+name] {
				t.Errorf("there is no interface %s in %s", name, dir)
			}
		}
	}
}

func takesContext(f *ast.FuncType) bool {
	if len(f.Params.List) == 0 {
		return false
	}
	s, ok := f.Params.List[0].Type.(*ast.SelectorExpr)
	return ok && s.Sel.Name == "Context" && isName(s.X, "context")
}

func isName(x ast.Expr, name string) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == name
}
