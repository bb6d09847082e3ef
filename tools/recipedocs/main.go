// Command recipedocs writes the reference of recipes: docs/recipes.md, and a page for each task, protocol and algorithm in
// docs/recipes.
//
//	go run ./tools/recipedocs
//
// Everything in them is in the code: the keys are the struct tags of recipe.Recipe, of package keys and of the settings of tasks and algorithms, and
// what they mean stands in the Markdown files beside these. A test keeps the pages equal to it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"parley/recipe/language"
	"parley/recipe/pages"
)

func main() {
	out := flag.String("out", "docs", "the folder that recipes.md stands in")
	flag.Parse()
	if err := write(*out, pages.Pages(language.New())); err != nil {
		fmt.Fprintln(os.Stderr, "recipedocs:", err)
		os.Exit(1)
	}
}

// write writes pages in a folder and deletes those that are no pages any more.
func write(dir string, pages map[string]string) error {
	old, err := written(dir)
	if err != nil {
		return err
	}
	for name := range old {
		if _, still := pages[name]; !still {
			err = errors.Join(err, os.Remove(filepath.Join(dir, name)))
		}
	}
	err = errors.Join(err, os.MkdirAll(filepath.Join(dir, "recipes"), 0o755))
	for name, text := range pages {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return err
}

// written reads the pages that are in a folder, by their names as in recipe.Language.Pages.
func written(dir string) (map[string]string, error) {
	pages := map[string]string{}
	for _, pattern := range []string{"recipes.md", "recipes/*.md"} {
		files, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			name, err := filepath.Rel(dir, file)
			if err != nil {
				return nil, err
			}
			pages[filepath.ToSlash(name)] = string(text)
		}
	}
	return pages, nil
}
