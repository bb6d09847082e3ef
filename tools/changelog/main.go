// Command changelog prints what changelog/unreleased says, as a section of CHANGELOG.md. changelog/README.md says how an entry is written; one that
// is not so is an error.
//
//	go run ./tools/changelog
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

func main() {
	text, err := render(os.DirFS("changelog/unreleased"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Print(text)
}

// kinds are those of entries, in the order of a section.
func kinds() []string { return []string{"added", "changed", "fixed"} }

// render reads all entries; those of a kind come in the order of their names.
func render(folder fs.FS) (string, error) {
	files, err := fs.ReadDir(folder, ".")
	if err != nil {
		return "", err
	}
	entries := map[string]string{}
	var faults []error
	for _, f := range files {
		if f.Name() == ".gitkeep" { // git keeps no empty folder, which it is after a release
			continue
		}
		data, err := fs.ReadFile(folder, f.Name())
		if err != nil {
			return "", err
		}
		kind, text, err := parse(f.Name(), string(data))
		if err != nil {
			faults = append(faults, fmt.Errorf("changelog/unreleased/%s: %w", f.Name(), err))
		}
		entries[kind] += text
	}
	var b strings.Builder
	b.WriteString("## Unreleased\n")
	for _, kind := range kinds() {
		if entries[kind] != "" {
			b.WriteString("\n### " + strings.ToUpper(kind[:1]) + kind[1:] + "\n\n" + entries[kind])
		}
	}
	return b.String(), errors.Join(faults...)
}

// parse reads an entry: "kind: added", an empty line, and sentences, which become one item of a list.
func parse(name, data string) (kind, text string, err error) {
	if path.Ext(name) != ".md" {
		return "", "", errors.New("entries are .md files")
	}
	head, body, _ := strings.Cut(data, "\n\n")
	kind, ok := strings.CutPrefix(head, "kind: ")
	if !ok || !slices.Contains(kinds(), kind) {
		return "", "", fmt.Errorf("the first line is %q and an empty one; write \"kind: \" and one of %s", head, strings.Join(kinds(), ", "))
	}
	body = strings.TrimSpace(body)
	if body == "" || strings.Contains(body, "\n\n") || !strings.HasSuffix(body, ".") {
		return "", "", errors.New("after the kind comes one paragraph of sentences")
	}
	return kind, "- " + strings.ReplaceAll(body, "\n", "\n  ") + "\n", nil
}
