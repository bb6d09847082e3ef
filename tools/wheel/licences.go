package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// licence matches the names of files that say under which terms others may have what is beside them: also a folder of them, and what is said of fonts.
var licence = regexp.MustCompile(`(?i)(^|/)(licen[cs]es?|copying|notice)[^/]*(/[^/]+\.(txt|md))?$|/ttfs/README$`)

// inHouse are the files that say it of what parley has taken over into its own folders: the page's libraries, and data.
var inHouse = []string{"viewer/web/dist/LICENSES.txt", "task/*/data/*.txt", "task/*/data/*.md", "task/*/data/LICENSE", "systems/*/*/data/*.txt", "systems/*/*/data/*.md"}

// thirdParty are the licences of Go's own library, of all modules and fonts in a program, and of data. A module without one is an error. Equal texts, such as the
// Apache licence, stand there once.
func thirdParty(p *program) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("parley has in it what others wrote. Their terms follow.\n")
	first := map[string]string{}
	add := func(what string, texts []file) error {
		if len(texts) == 0 {
			return fmt.Errorf("%s has no licence that is known: add the name of its file to tools/wheel/licences.go, or do without it", what)
		}
		for _, f := range texts {
			title := what + ", " + f.name
			fmt.Fprintf(&b, "\n%s\n%s\n\n", strings.Repeat("=", 80), title)
			text := strings.TrimSpace(strings.ReplaceAll(string(f.data), "\r\n", "\n"))
			if was, twice := first[text]; twice {
				fmt.Fprintf(&b, "The text is that of %s.\n", was)
				continue
			}
			first[text] = title
			b.WriteString(text + "\n")
		}
		return nil
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("ask Go where it is: %w", err)
	}
	texts, err := licencesIn(strings.TrimSpace(string(root)), false)
	if err != nil {
		return nil, err
	}
	if err := add("Go "+strings.TrimPrefix(p.GoVersion, "go"), texts); err != nil {
		return nil, err
	}
	for _, m := range modules(p) {
		folder, err := downloaded(m.Path + "@" + m.Version)
		if err != nil {
			return nil, err
		}
		texts, err := licencesIn(folder, true)
		if err != nil {
			return nil, err
		}
		if err := add(m.Path+" "+m.Version, texts); err != nil {
			return nil, err
		}
	}
	texts, err = taken()
	if err != nil {
		return nil, err
	}
	err = add("parley", texts)
	return b.Bytes(), err
}

// downloaded is the folder of a module, which Go fetches and checks where it is not there.
func downloaded(module string) (string, error) {
	out, err := exec.Command("go", "mod", "download", "-json", module).Output()
	var said struct{ Dir, Error string }
	if wrong := json.Unmarshal(out, &said); wrong != nil || said.Dir == "" {
		return "", fmt.Errorf("fetch %s: %v %s", module, err, said.Error)
	}
	return said.Dir, nil
}

// licencesIn are the licences at the top of a folder, and of all folders below but those of tests, commands and examples.
func licencesIn(folder string, below bool) ([]file, error) {
	var found []file
	err := filepath.WalkDir(folder, func(full string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, full)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if d.IsDir() {
			base := path.Base(name)
			if name != "." && (!below || base == "testdata" || base == "cmd" || strings.HasPrefix(base, "_")) {
				return fs.SkipDir
			}
			return nil
		}
		if !licence.MatchString(name) {
			return nil
		}
		data, err := os.ReadFile(full)
		found = append(found, file{name: name, data: data})
		return err
	})
	return found, err
}

// taken are the files of inHouse.
func taken() ([]file, error) {
	var found []file
	for _, pattern := range inHouse {
		names, err := filepath.Glob(pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			found = append(found, file{name: filepath.ToSlash(name), data: data})
		}
	}
	return found, nil
}
