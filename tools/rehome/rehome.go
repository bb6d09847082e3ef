// Command rehome gives this module another path: in go.mod, in every import, and wherever a text names a package with the module's path before it.
//
//	go run ./tools/rehome github.com/you/parley
//
// It is run once, in the root of a working tree that has no changes of its own, by whoever gives the module a home. The package in the root keeps
// its name, so that code goes on saying parley.Open.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// rehome rewrites the files below root and returns how many it changed.
func rehome(root, to string) (changed int, err error) {
	from, err := currentPath(filepath.Join(root, "go.mod"))
	if err != nil {
		return 0, err
	}
	folders, err := packages(root)
	if err != nil {
		return 0, err
	}
	m := mover{from: from, to: to, named: mentions(from, folders)}
	err = walk(root, func(name string) error {
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		old, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		data, err := m.file(name, old)
		if err != nil || bytes.Equal(old, data) {
			return err
		}
		changed++
		return os.WriteFile(name, data, info.Mode())
	})
	return changed, err
}

var moduleLine = regexp.MustCompile(`(?m)^module (\S+)$`)

func currentPath(gomod string) (string, error) {
	data, err := os.ReadFile(gomod)
	if err != nil {
		return "", fmt.Errorf("this is not the root of the module: %w", err)
	}
	found := moduleLine.FindSubmatch(data)
	if found == nil {
		return "", errors.New(gomod + " has no line \"module PATH\"")
	}
	return string(found[1]), nil
}

// packages are the folders with Go files, relative to root and with slashes, longer ones before those that they begin with.
func packages(root string) (folders []string, err error) {
	err = walk(root, func(name string) error {
		dir, err := filepath.Rel(root, filepath.Dir(name))
		if filepath.Ext(name) == ".go" && dir != "." && !slices.Contains(folders, dir) {
			folders = append(folders, filepath.ToSlash(dir))
		}
		return err
	})
	slices.Sort(folders)
	slices.Reverse(folders)
	return folders, err
}

// walk visits every file but those of hidden folders; .ci is none of them.
func walk(root string, visit func(name string) error) error {
	return filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		hidden := strings.HasPrefix(d.Name(), ".") && d.Name() != ".ci" && name != root
		switch {
		case err != nil:
			return err
		case d.IsDir() && hidden:
			return fs.SkipDir
		case d.Type().IsRegular():
			return visit(name)
		}
		return nil
	})
}

// mentions finds the module's path before the folder of one of its packages: "parley/train" in a sentence or a link, not "cmd/parley/train.go" and not
// "parley/trainer". The module's path alone is also the program's name, and is left.
func mentions(from string, folders []string) *regexp.Regexp {
	quoted := make([]string, len(folders))
	for i, f := range folders {
		quoted[i] = regexp.QuoteMeta(f)
	}
	return regexp.MustCompile(`(^|[^A-Za-z0-9_./~-])` + regexp.QuoteMeta(from) + `(/(?:` + strings.Join(quoted, "|") + `))\b`)
}

// A mover rewrites files.
type mover struct {
	from, to string
	named    *regexp.Regexp
}

func (m mover) file(name string, data []byte) ([]byte, error) {
	switch {
	case bytes.IndexByte(data, 0) >= 0:
		return data, nil
	case filepath.Base(name) == "go.mod":
		return m.gomod(data), nil
	case filepath.Base(name) == ".golangci.yml":
		return bytes.ReplaceAll(data, []byte("module-path: "+m.from+"\n"), []byte("module-path: "+m.to+"\n")), nil
	case filepath.Ext(name) == ".go" && !strings.Contains(filepath.ToSlash(name), "/testdata/"):
		return m.source(name, data)
	}
	return m.text(data), nil
}

// gomod gives the module its path, and other modules in the tree, such as examples and tools, theirs and what they require of it.
func (m mover) gomod(data []byte) []byte {
	line := regexp.MustCompile(`(?m)^(module |require |replace |\t)` + regexp.QuoteMeta(m.from) + `([ /]|$)`)
	return line.ReplaceAll(data, []byte("${1}"+m.to+"${2}"))
}

func (m mover) text(data []byte) []byte {
	return m.named.ReplaceAll(data, []byte("${1}"+m.to+"${2}"))
}

// source rewrites the imports, then what comments and strings name, and sorts imports as gofmt does.
func (m mover) source(name string, data []byte) ([]byte, error) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, name, data, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var out []byte
	done := 0
	for _, spec := range f.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		rest, ours := strings.CutPrefix(imported, m.from)
		if !ours || rest != "" && rest[0] != '/' {
			continue
		}
		begin, end := set.Position(spec.Path.Pos()).Offset, set.Position(spec.Path.End()).Offset
		out = append(append(out, data[done:begin]...), strconv.Quote(m.to+rest)...)
		done = end
	}
	out = m.text(append(out, data[done:]...))
	if bytes.Equal(out, data) {
		return data, nil
	}
	return format.Source(out)
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "rehome:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 || !modulePath(args[0]) {
		return fmt.Errorf("say where the module shall be, as in: make rehome MODULE=github.com/you/parley")
	}
	changed, err := rehome(".", args[0])
	if err != nil {
		return err
	}
	fmt.Printf("%d files say %s now\n", changed, args[0])
	return nil
}

// modulePath says whether others can fetch a module by this path: go get asks for a dot in the first element.
func modulePath(p string) bool {
	return regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)+(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*$`).MatchString(p)
}
