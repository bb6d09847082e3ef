package main

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley/recipe/language"
	"parley/recipe/pages"
)

var update = flag.Bool("update", false, "write the pages")

const docs = "../../docs"

// made are the pages that the code makes, once for all tests.
var made = sync.OnceValue(func() map[string]string { return pages.Pages(language.New()) })

// TestPages checks that the pages in docs are those that the code makes.
func TestPages(t *testing.T) {
	pages := made()
	if *update {
		if err := write(docs, pages); err != nil {
			t.Fatal(err)
		}
	}
	got, err := written(docs)
	if err != nil {
		t.Fatal(err)
	}
	for name := range pages {
		if got[name] != pages[name] {
			t.Errorf("docs/%s is out of date: go run ./tools/recipedocs", name)
		}
		delete(got, name)
	}
	for name := range got {
		t.Errorf("docs/%s is no page any more: go run ./tools/recipedocs", name)
	}
}

// TestWrite: pages that are gone are deleted, and nothing else is.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "other.md"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, pages := range []map[string]string{{"recipes.md": "a", "recipes/b.md": "b"}, {"recipes.md": "c"}} {
		if err := write(dir, pages); err != nil {
			t.Fatal(err)
		}
		if got, err := written(dir); err != nil || !maps.Equal(got, pages) {
			t.Errorf("%v, %v; want %v", got, err, pages)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "other.md")); err != nil {
		t.Error(err)
	}
}

// TestKeysAreDocumented: some page has every key and every section of a recipe, and the index leads to every page.
func TestKeysAreDocumented(t *testing.T) {
	l := language.New()
	pages := made()
	all := strings.Join(slices.Collect(maps.Values(pages)), "")
	printed := string(l.Defaults().YAML())
	want := []string{}
	for _, key := range regexp.MustCompile(`(?m)^ *([a-z0-9_]+): `).FindAllStringSubmatch(printed, -1) {
		want = append(want, "| `"+key[1]+"` |")
	}
	for _, section := range regexp.MustCompile(`(?m)^([a-z]+):$`).FindAllStringSubmatch(printed, -1) {
		want = append(want, "### `"+section[1]+"`\n")
	}
	if len(want) < 150 {
		t.Errorf("%d keys and sections", len(want))
	}
	for _, text := range want {
		if !strings.Contains(all, text) {
			t.Errorf("no page has %q", text)
		}
	}
	for name := range pages {
		if name != "recipes.md" && !strings.Contains(pages["recipes.md"], "("+name+")") {
			t.Errorf("recipes.md has no link to %s", name)
		}
	}
}
