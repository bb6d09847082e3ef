package provenance

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"parley/recipe/keys"
)

// withinCommands adds to what a recipe names the files that its commands name within their arguments: the module behind -m, which python3 looks
// for in the current folder, what stands behind the = of an option, and the words of a line for a shell.
func withinCommands(named []keys.Named) (all []keys.Named) {
	for i, n := range named {
		all = append(all, n)
		if n.Kind != "command" || filepath.IsAbs(n.Path) {
			continue
		}
		found := words(n.Path)
		if i > 0 && named[i-1] == (keys.Named{Key: n.Key, Kind: n.Kind, Path: "-m"}) {
			found = append(sources(".", n.Path), filepath.Join(filepath.FromSlash(strings.ReplaceAll(n.Path, ".", "/")), "__main__.py"))
		}
		for _, file := range found {
			if path, err := filepath.Abs(file); err == nil && isFile(path) {
				all = append(all, keys.Named{Key: n.Key, Kind: n.Kind, Path: path})
			}
		}
	}
	return all
}

var (
	written = regexp.MustCompile(`>+\s*[^\s;|&<>()]+`) // by a line for a shell
	apart   = regexp.MustCompile("[\\s;|&<>()='\"`$]+")
)

// words are those of an argument that has several.
func words(argument string) []string {
	list := apart.Split(written.ReplaceAllString(argument, " "), -1)
	if len(list) == 1 {
		return nil
	}
	return list
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
