package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A command is what a document tells its reader to type.
type command struct {
	file string
	line int
	text string
}

func (c command) String() string { return fmt.Sprintf("%s:%d: %s", c.file, c.line, c.text) }

// documented are the commands of the documents in the root and below docs and examples, README.md first.
func documented(root string) (list []command, err error) {
	var names []string
	for _, pattern := range []string{"README.md", "*.md", "docs/*.md", "docs/*/*.md", "examples/*.md", "examples/*/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return nil, err
		}
		for _, name := range found {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		short, err := filepath.Rel(root, name)
		if err != nil {
			return nil, err
		}
		list = append(list, extract(filepath.ToSlash(short), string(data))...)
	}
	return list, nil
}

var typed = regexp.MustCompile(`^(\$ )?([A-Z_]+=\S* )*(sudo )?(\./)?(parley|go|make|python3|bash|echo)( |$)`)

// extract finds the commands of a document. A line that ends with a backslash or with a pipe goes on in the next.
func extract(file, document string) (list []command) {
	fence, shell := "", false
	lines := strings.Split(document, "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSpace(lines[i])
		if mark := regexp.MustCompile("^(```+|~~~+)").FindString(line); mark != "" && (fence == "" || strings.HasPrefix(line, fence)) {
			if fence == "" {
				fence, shell = mark, slices.Contains([]string{"", "sh", "bash", "console"}, line[len(mark):])
			} else {
				fence = ""
			}
			continue
		}
		if fence == "" || !shell || !typed.MatchString(line) {
			continue
		}
		c := command{file: file, line: i + 1}
		for (strings.HasSuffix(line, `\`) || strings.HasSuffix(line, " |")) && i+1 < len(lines) {
			i++
			line = strings.TrimSpace(strings.TrimSuffix(line, `\`)) + " " + strings.TrimSpace(lines[i])
		}
		c.text = strings.TrimPrefix(withoutComment(line), "$ ")
		list = append(list, c)
	}
	return list
}

// withoutComment cuts off what a shell takes for a comment.
func withoutComment(line string) string {
	quote := rune(0)
	before := ' '
	for i, r := range line {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '\'':
			quote = r
		case r == '#' && before == ' ':
			return strings.TrimSpace(line[:i])
		}
		before = r
	}
	return strings.TrimSpace(line)
}
