package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// A room is a package and its size.
type room struct {
	name                 string
	lines                int // of files that are no tests
	code, comments       int // lines with code, and lines with a comment alone
	tests                int // lines of test files
	files, functions     []int
	exported, documented int // names
}

func (r *room) add(other room) {
	r.lines += other.lines
	r.code += other.code
	r.comments += other.comments
	r.tests += other.tests
	r.files = append(r.files, other.files...)
	r.functions = append(r.functions, other.functions...)
	r.exported += other.exported
	r.documented += other.documented
}

// longest is how many lines a function may have before the report counts it.
const longest = 60

func (r room) long() (n int) {
	for _, length := range r.functions {
		if length > longest {
			n++
		}
	}
	return n
}

// quantile is the smallest value that a share q of all does not exceed; 0 where there are none.
func quantile(values []int, q float64) int {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[max(int(q*float64(len(sorted))+0.999999)-1, 0)]
}

// isModule says that a folder is a module of its own.
func isModule(root fs.FS, dir string) bool {
	_, err := fs.Stat(root, path.Join(dir, "go.mod"))
	return err == nil
}

// measure reads all Go files below a folder, but those of testdata, hidden folders and other modules, and those that a program wrote.
func measure(root fs.FS) ([]room, error) {
	rooms := map[string]*room{}
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || isModule(root, name)) {
			return fs.SkipDir
		}
		if d.IsDir() || path.Ext(name) != ".go" {
			return nil
		}
		data, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		dir := path.Dir(name)
		if rooms[dir] == nil {
			rooms[dir] = &room{name: dir}
		}
		return rooms[dir].read(name, data)
	})
	list := make([]room, 0, len(rooms))
	for _, r := range rooms {
		list = append(list, *r)
	}
	slices.SortFunc(list, func(a, b room) int { return cmp.Compare(a.name, b.name) })
	return list, err
}

// read adds a file.
func (r *room) read(name string, data []byte) error {
	lines := bytes.Count(data, []byte("\n"))
	if strings.HasSuffix(name, "_test.go") {
		r.tests += lines
		return nil
	}
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, name, data, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	if ast.IsGenerated(f) {
		return nil
	}
	r.lines += lines
	r.files = append(r.files, lines)
	code, comments := linesOf(data)
	r.code += code
	r.comments += comments
	for _, d := range f.Decls {
		r.declaration(set, d)
	}
	return nil
}

// linesOf counts the lines with code, and those with nothing but a comment.
func linesOf(data []byte) (code, comments int) {
	set := token.NewFileSet()
	file := set.AddFile("", set.Base(), len(data))
	var s scanner.Scanner
	s.Init(file, data, nil, scanner.ScanComments)
	withCode, withComment := map[int]bool{}, map[int]bool{}
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			break
		}
		if tok == token.SEMICOLON && text == "\n" {
			continue
		}
		lines := withCode
		if tok == token.COMMENT {
			lines = withComment
		}
		first := file.Line(pos)
		for line := first; line <= first+strings.Count(text, "\n"); line++ {
			lines[line] = true
		}
	}
	maps.DeleteFunc(withComment, func(line int, _ bool) bool { return withCode[line] })
	return len(withCode), len(withComment)
}

func (r *room) declaration(set *token.FileSet, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		r.functions = append(r.functions, set.Position(d.End()).Line-set.Position(d.Pos()).Line+1)
		if d.Recv == nil || exportedReceiver(d.Recv) {
			r.export(d.Name, d.Doc != nil)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				r.export(s.Name, d.Doc != nil || s.Doc != nil || s.Comment != nil)
			case *ast.ValueSpec:
				for _, n := range s.Names {
					r.export(n, d.Doc != nil || s.Doc != nil || s.Comment != nil)
				}
			}
		}
	}
}

func (r *room) export(name *ast.Ident, documented bool) {
	if !name.IsExported() {
		return
	}
	r.exported++
	if documented {
		r.documented++
	}
}

func exportedReceiver(list *ast.FieldList) (exported bool) {
	ast.Inspect(list.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			exported = exported || id.IsExported()
		}
		return true
	})
	return exported
}
