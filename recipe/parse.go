package recipe

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Parse reads a recipe. file is its name in error messages; sets are changes of the form key=value, such as
// team.turns=3, made after the file was read. Keys that are not given have their defaults.
//
// An error is always an [*Errors] with everything that is wrong.
func (l *Language) Parse(file string, data []byte, sets []string) (*Recipe, error) {
	d := &decoder{file: file, language: l, origins: map[string]origin{}}
	return d.parse(data, sets)
}

func (d *decoder) parse(data []byte, sets []string) (*Recipe, error) {
	file := d.file
	docs := d.documents(data)
	preset := d.choose(docs, sets)
	d.schema = d.language.schema(d.choice)
	r := d.language.start(preset, d.choice)
	for _, doc := range docs {
		d.section(reflect.ValueOf(r).Elem(), d.schema, doc)
	}
	for _, set := range sets {
		d.set(r, set)
	}
	d.file, d.flag = file, false
	if len(d.list) == 0 {
		if d.folder != "" {
			d.locate(r)
		}
		if d.lenient {
			d.dropIdle(r)
		}
		d.validate(r)
	} else {
		d.partly(r)
	}
	if len(d.list) > 0 {
		sortErrors(d.list)
		return nil, &Errors{d.list}
	}
	return r, nil
}

// Load reads a recipe by the name of a shipped one, or from a file. Relative paths in a file are relative to its folder, those after --set
// to the current folder; the recipe has them whole. A file that cannot be read is an error of the
// operating system's kind; a name that is neither is an [*UnknownError].
func (l *Language) Load(nameOrFile string, sets []string) (*Recipe, error) {
	if data, ok := shippedSource(nameOrFile); ok {
		return l.parseIn(".", nameOrFile, data, sets)
	}
	data, err := os.ReadFile(nameOrFile)
	if errors.Is(err, os.ErrNotExist) {
		return nil, &UnknownError{Name: nameOrFile, Near: Nearest(nameOrFile, Names())}
	}
	if err != nil {
		return nil, fmt.Errorf("read recipe: %w", err)
	}
	return l.parseIn(filepath.Dir(nameOrFile), nameOrFile, data, sets)
}

// parseIn is [Language.Parse] of a file in a folder: paths are made whole.
func (l *Language) parseIn(folder, file string, data []byte, sets []string) (*Recipe, error) {
	d := &decoder{file: file, folder: folder, language: l, origins: map[string]origin{}}
	return d.parse(data, sets)
}

// An UnknownError says that a word names neither a shipped recipe nor a file.
type UnknownError struct {
	Name string
	Near string // the shipped recipe that was probably meant; empty: none is near
}

func (e *UnknownError) Error() string {
	s := fmt.Sprintf("no recipe and no file is named %q", e.Name)
	if e.Near != "" {
		return s + fmt.Sprintf("; did you mean %q?", e.Near)
	}
	return s + "; `parley recipe list` shows the shipped ones"
}

// maxSize bounds a recipe's file: the YAML parser takes long over hostile ones.
const maxSize = 256 << 10

// documents returns the one document of a file, or none.
func (d *decoder) documents(data []byte) []ast.Node {
	start := origin{d.file, 1, 1}
	if len(data) > maxSize {
		d.fail(start, fmt.Sprintf("the file has %d bytes, expected a recipe of at most %d", len(data), maxSize), "")
		return nil
	}
	if !utf8.Valid(data) {
		d.fail(start, "the file is not valid UTF-8", "save it as UTF-8")
		return nil
	}
	docs, at, message := parseYAML(data)
	switch {
	case message != "":
		at.file = d.file
		d.fail(at, message, "")
		return nil
	case len(docs) > 1:
		d.fail(d.place(docs[1]), "a second document begins, expected one recipe per file", "remove the line ---")
		return nil
	}
	return docs
}

// parseYAML returns the bodies of the documents in data that are not empty, or where and why data is not YAML.
func parseYAML(data []byte) (docs []ast.Node, at origin, message string) {
	// The YAML parser is lenient by panicking on some malformed inputs; a recipe that makes it panic is not YAML.
	defer func() {
		if p := recover(); p != nil {
			docs, at, message = nil, origin{line: 1, column: 1}, fmt.Sprint("not YAML: ", p)
		}
	}()
	file, err := parser.ParseBytes(data, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		at = origin{line: 1, column: 1}
		var y yaml.Error
		if errors.As(err, &y) && y.GetToken() != nil && y.GetToken().Position != nil {
			at.line, at.column = y.GetToken().Position.Line, y.GetToken().Position.Column
		}
		return nil, at, "not YAML: " + errorText(err, y)
	}
	for _, doc := range file.Docs {
		if doc.Body != nil && doc.Body.Type() != ast.NullType {
			docs = append(docs, doc.Body)
		}
	}
	return docs, origin{}, ""
}

// errorText is the parser's message without its picture of the source.
func errorText(err error, y yaml.Error) string {
	if y != nil {
		return y.GetMessage()
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	return text
}
