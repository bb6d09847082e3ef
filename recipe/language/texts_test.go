package language_test

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"parley/recipe/catalog"
	"parley/recipe/keys"
	"parley/recipe/language"
	"parley/recipe/schema"
	"parley/train/study"
)

// TestEveryKeyHasAText: whatever can be written in a recipe or a study is explained. That no text is of another key, or of none, the schemas see to
// when they are made.
func TestEveryKeyHasAText(t *testing.T) {
	lang := language.New()
	roots := []*schema.Field{schema.Of(reflect.TypeFor[keys.Agent]()), schema.Of(reflect.TypeFor[keys.Step]()), schema.Of(reflect.TypeFor[study.Study]()), schema.Of(reflect.TypeFor[study.Base]())}
	for _, kind := range lang.Tasks() {
		roots = append(roots, lang.Schema(catalog.Choice{Task: kind.Name, Measured: kind.Name}))
	}
	without := map[string]bool{}
	for _, root := range roots {
		root.Leaves(func(f *schema.Field) {
			if f.Doc == "" && !without[f.Path] {
				t.Errorf("%s of %v has no text: the file that KeyTexts of its struct names needs a heading for it", f.Path, root.Type)
				without[f.Path] = true
			}
		})
	}
}

// TestTextFiles: files of texts are where errors say that they are, and those of sections belong to one.
func TestTextFiles(t *testing.T) {
	const root = "../.."
	lang, files, seen := language.New(), map[string]bool{}, map[reflect.Type]bool{}
	var visit func(reflect.Type)
	visit = func(of reflect.Type) {
		for of.Kind() == reflect.Slice || of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct || seen[of] {
			return
		}
		seen[of] = true
		if s, ok := reflect.Zero(of).Interface().(interface{ KeyTexts() (file, text string) }); ok {
			file, text := s.KeyTexts()
			data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
			if err != nil || string(data) != text {
				t.Errorf("%v: its texts are not those of %s: %v", of, file, err)
			}
			files[file] = true
		}
		for i := range of.NumField() {
			visit(of.Field(i).Type)
		}
	}
	visit(lang.General().Type)
	visit(reflect.TypeFor[study.Study]())
	for _, section := range lang.Sections() {
		visit(section.Type())
	}
	for _, kind := range lang.Tasks() {
		visit(reflect.TypeOf(kind.Settings))
	}
	sections, err := filepath.Glob(root + "/recipe/keys/*.md") // which are embedded together
	if err != nil || len(sections) == 0 {
		t.Fatalf("there are no texts of sections: %v", err)
	}
	for _, name := range sections {
		if file := "recipe/keys/" + filepath.Base(name); !files[file] {
			t.Errorf("%s has texts of no struct", file)
		}
	}
}
