package parley_test

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// floors are the rooms of the house, folders at the top of the repository, from the ground up. A package imports packages of its own room and
// of rooms below it: arrows point downward only.
var floors = []string{"internal", "model", "engine", "task", "team", "rl", "runs", "systems", "recipe", "train", "serve", "viewer", "cmd", ".", "examples", "tools"}

// roomOf is the room of a package.
func roomOf(dir string) string {
	room, _, _ := strings.Cut(dir, "/")
	return room
}

// above says whether a package is a program that stands on the house: an example or a tool.
func above(dir string) bool { return roomOf(dir) == "examples" || roomOf(dir) == "tools" }

// files calls visit for every file of the repository that matches, with its path relative to the root, with slashes. Hidden
// folders, folders of runs and packages from npm are left out.
func files(t *testing.T, match func(name string) bool, visit func(name string, data []byte)) {
	t.Helper()
	seen := 0
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules" || d.Name() == "runs" && !isPackage(name)) {
				return filepath.SkipDir
			}
			return nil
		}
		if name = filepath.ToSlash(name); !match(name) {
			return nil
		}
		data, err := os.ReadFile(name)
		if err == nil {
			seen++
			visit(name, data)
		}
		return err
	})
	if err != nil || seen == 0 {
		t.Fatalf("%d files read, %v", seen, err)
	}
}

func isPackage(dir string) bool {
	list, err := filepath.Glob(filepath.Join(dir, "*.go"))
	return err == nil && len(list) > 0
}

func goFile(name string) bool {
	return strings.HasSuffix(name, ".go") && !strings.Contains(name, "testdata/")
}

func source(name string) bool { return goFile(name) && !strings.HasSuffix(name, "_test.go") }

func parse(t *testing.T, name string, data []byte, mode parser.Mode) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), name, data, mode)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestArrows checks that every import of a package of this module leads to its own room or to one below.
func TestArrows(t *testing.T) {
	ours := modulePath(t)
	files(t, source, func(name string, data []byte) {
		room := roomOf(path.Dir(name))
		if !slices.Contains(floors, room) {
			t.Errorf("%s is in no room: the floors of the house are %s", name, strings.Join(floors, ", "))
		}
		for _, spec := range parse(t, name, data, parser.ImportsOnly).Imports {
			quoted, err := strconv.Unquote(spec.Path.Value)
			to, inside := strings.CutPrefix(quoted, ours+"/")
			if err != nil || !inside && quoted != ours {
				continue
			}
			if quoted == ours {
				to = "."
			}
			if slices.Index(floors, roomOf(to)) > slices.Index(floors, room) {
				t.Errorf("%s: %s stands below %s and must not import %s", name, room, roomOf(to), to)
			}
		}
	})
}

// TestOneClient: requests go out under one policy, that of internal/service/web.
func TestOneClient(t *testing.T) {
	asks := []string{"Client{", "DefaultClient", "DefaultTransport", "Transport{", "Get(", "Post(", "PostForm(", "Head("}
	files(t, source, func(name string, data []byte) {
		if path.Dir(name) == "internal/service/web" {
			return
		}
		for _, how := range asks {
			if bytes.Contains(data, []byte("http."+how)) {
				t.Errorf("%s uses http.%s…: make the client with web.NewClient", name, how)
			}
		}
	})
}

// modulePath is the path that go.mod gives the module.
func modulePath(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimPrefix(first, "module ")
}

// pure are packages of mathematics: functions of what they are given. What they must not import would let the clock, the machine or chance in.
var pure = []string{"model/form", "model/form/lexicon", "systems/fuse", "systems/lessonl/bank", "systems/collab", "team", "systems/read", "rl/reward", "rl/credit", "rl/credit/workflow", "rl/loss", "rl/eval", "rl/game", "task/answer", "runs/diagnose"}

// TestPureCore checks that the pure packages import nothing impure.
func TestPureCore(t *testing.T) {
	impure := []string{"os", "time", "net", "sync", "math/rand", "math/rand/v2"}
	checked := map[string]bool{}
	files(t, source, func(name string, data []byte) {
		dir := path.Dir(name)
		if !slices.Contains(pure, dir) {
			return
		}
		checked[dir] = true
		for _, spec := range parse(t, name, data, parser.ImportsOnly).Imports {
			imported := strings.Trim(spec.Path.Value, `"`)
			if slices.ContainsFunc(impure, func(p string) bool { return imported == p || strings.HasPrefix(imported, p+"/") }) {
				t.Errorf("%s: %s is pure and must not import %s", name, dir, imported)
			}
		}
	})
	if len(checked) != len(pure) {
		t.Errorf("only %v have files", checked)
	}
}

// TestPackageComments checks that every package says what it is.
func TestPackageComments(t *testing.T) {
	documented := map[string]bool{}
	files(t, source, func(name string, data []byte) {
		doc := parse(t, name, data, parser.ParseComments|parser.PackageClauseOnly).Doc
		documented[path.Dir(name)] = documented[path.Dir(name)] || doc != nil && len(doc.Text()) > 40
	})
	for dir, ok := range documented {
		if !ok {
			t.Errorf("package %s has no comment that says what it is", dir)
		}
	}
}

// TestExportedComments checks that every exported function, type and method of a room says what it does.
func TestExportedComments(t *testing.T) {
	files(t, source, func(name string, data []byte) {
		if above(path.Dir(name)) {
			return
		}
		for _, d := range parse(t, name, data, parser.ParseComments).Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && d.Doc == nil && exportedReceiver(d) {
					t.Errorf("%s: %s has no comment", name, d.Name.Name)
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if ts, ok := s.(*ast.TypeSpec); ok && ts.Name.IsExported() && d.Doc == nil && ts.Doc == nil {
						t.Errorf("%s: type %s has no comment", name, ts.Name.Name)
					}
				}
			}
		}
	})
}

// wellKnown are methods whose meaning is fixed by the standard library.
var wellKnown = []string{"Error", "Unwrap", "String", "Run", "Help", "Len", "Less", "Swap", "MarshalJSON", "UnmarshalJSON", "Close"}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	if slices.Contains(wellKnown, d.Name.Name) {
		return false
	}
	exported := false
	ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			exported = exported || id.IsExported()
		}
		return true
	})
	return exported
}

// TestModule checks that go.mod can be installed from elsewhere: `go install` refuses replace and exclude. Modules of tools are run from here alone.
func TestModule(t *testing.T) {
	files(t, func(name string) bool { return path.Base(name) == "go.mod" && roomOf(path.Dir(name)) != "tools" }, func(name string, data []byte) {
		for i, line := range strings.Split(string(data), "\n") {
			word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
			if word == "replace" || word == "exclude" {
				t.Errorf("%s:%d: %s", name, i+1, line)
			}
		}
	})
}

// most is how many modules go.mod may require directly, those of tests included. A new one has to replace one, or to argue.
const most = 15

// TestRequirements counts what go.mod requires directly, and looks for a reason for each.
func TestRequirements(t *testing.T) {
	data, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	var direct []string
	for _, line := range strings.Split(string(data), "\n") {
		if fields := strings.Fields(line); len(fields) == 2 && strings.HasPrefix(line, "\t") {
			direct = append(direct, fields[0])
		}
	}
	reasons, err := os.ReadFile("RATIONALE.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range direct {
		if !bytes.Contains(reasons, []byte("\n| "+name+" |")) {
			t.Errorf("the table in RATIONALE.md does not say why go.mod requires %s", name)
		}
	}
	if len(direct) == 0 || len(direct) > most {
		t.Errorf("go.mod requires %d modules directly, at most %d: %s", len(direct), most, strings.Join(direct, " "))
	}
}

// TestNoMachinePaths checks that no text names a folder of the machine that it was written on.
func TestNoMachinePaths(t *testing.T) {
	paths := []string{"/" + "work/", "/" + "root/", "/" + "home/runner", "/" + "tmp/notes"}
	text := func(name string) bool {
		return slices.Contains([]string{".go", ".md", ".yaml", ".yml", ".txt", ".txtar", ".py", ".sh", ".s", ".mod", ".json"}, path.Ext(name))
	}
	files(t, text, func(name string, data []byte) {
		for i, line := range bytes.Split(data, []byte("\n")) {
			for _, p := range paths {
				if bytes.Contains(line, []byte(p)) {
					t.Errorf("%s:%d names %s", name, i+1, p)
				}
			}
		}
	})
}

// TestNothingIsSkipped checks that no test can pass by not running.
func TestNothingIsSkipped(t *testing.T) {
	tests := func(name string) bool { return goFile(name) && strings.HasSuffix(name, "_test.go") }
	files(t, tests, func(name string, data []byte) {
		ast.Inspect(parse(t, name, data, 0), func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if s, ok := call.Fun.(*ast.SelectorExpr); ok && slices.Contains([]string{"Skip", "Skipf", "SkipNow", "Short"}, s.Sel.Name) {
				t.Errorf("%s calls %s: where something is missing a test must fail", name, s.Sel.Name)
			}
			return true
		})
	})
}

// TestFormatted checks that every Go file is as gofmt leaves it.
func TestFormatted(t *testing.T) {
	files(t, goFile, func(name string, data []byte) {
		formatted, err := format.Source(data)
		if err != nil || !bytes.Equal(formatted, data) {
			t.Errorf("%s is not formatted (%v): gofmt -w %s", name, err, name)
		}
	})
}
