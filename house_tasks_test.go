package parley_test

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"parley/recipe/language"
)

// TestTaskNames checks that what recipes call a task is known to one folder under task or systems and to the register. Everything else is to ask for
// the task's traits.
func TestTaskNames(t *testing.T) {
	knows := map[string][]string{} // folders, by name
	var names []string
	for _, kind := range language.Tasks() {
		if kind.Name != "data" && kind.Name != "environment" { // a word that says nothing of the task where it stands in other rooms
			names = append(names, kind.Name)
		}
	}
	files(t, source, func(name string, data []byte) {
		dir := path.Dir(name)
		if dir == "recipe/language" {
			return
		}
		for _, word := range literalWords(parse(t, name, data, 0)) {
			if slices.Contains(names, word) && !slices.Contains(knows[word], dir) {
				knows[word] = append(knows[word], dir)
			}
		}
	})
	for _, name := range names {
		if dirs := knows[name]; len(dirs) != 1 || !strings.HasPrefix(dirs[0], "task/") && !strings.HasPrefix(dirs[0], "systems/") {
			t.Errorf("task %s is named in %v: only its own folder should know what it is called. A name that is an English word stands in many texts: choose another", name, dirs)
		}
	}
}

// literalWords are the words of all string literals of a file, imports and sentences of English left out: a word that English has too counts
// only where it is all of a literal.
func literalWords(file *ast.File) []string {
	english := []string{"sums", "math", "duet"}
	var words []string
	ast.Inspect(file, func(n ast.Node) bool {
		if _, ok := n.(*ast.ImportSpec); ok {
			return false
		}
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING {
			return true
		}
		text, err := strconv.Unquote(lit.Value)
		if err != nil {
			return true
		}
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !strings.ContainsRune("-_./", r) && (r < '0' || r > 'z') }) {
			if word = strings.Trim(word, "./"); word == text || !slices.Contains(english, word) {
				words = append(words, word)
			}
		}
		return true
	})
	return words
}

// TestTasksAreOpenedByTheRegister checks that no room imports a task: packages under task that others may use are no tasks.
func TestTasksAreOpenedByTheRegister(t *testing.T) {
	shared := []string{"answer", "dataset", "environment", "expert", "sandbox", "splits", "tasktest", "tinygsm", "user"}
	files(t, source, func(name string, data []byte) {
		if strings.HasPrefix(name, "task/") || strings.HasPrefix(name, "recipe/language/") || above(path.Dir(name)) {
			return
		}
		for _, spec := range parse(t, name, data, 0).Imports {
			rest, ours := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), "parley/task/")
			if first, _, _ := strings.Cut(rest, "/"); ours && !slices.Contains(shared, first) {
				t.Errorf("%s imports parley/task/%s: ask the register", name, rest)
			}
		}
	})
}
