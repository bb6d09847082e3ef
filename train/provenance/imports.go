package provenance

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"parley/internal/service"
	"parley/recipe/keys"
	"parley/runs"
)

// importLine is a statement of Python that imports: the module after from and its names, or the modules after import. Statements that are built
// when the program runs are not found.
var importLine = regexp.MustCompile(`(?m)^[ \t]*(?:from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+\(?([^#\n]*)|import[ \t]+([^#\n]+))`)

// alsoRead ends the keys of files that another file of the key imports.
const alsoRead = " (imported)"

// isPython says that a recipe names a file of Python itself.
func isPython(f runs.File) bool {
	return filepath.Ext(f.Path) == ".py" && !strings.HasSuffix(f.Key, alsoRead)
}

// importedBy hashes what a file imports from beside it.
func importedBy(ctx context.Context, f runs.File) (list []runs.File, err error) {
	found, err := imported(f.Path)
	if err != nil {
		return nil, err
	}
	for _, path := range found {
		module, err := hashed(ctx, keys.Named{Key: f.Key + alsoRead, Kind: "file", Path: path})
		if err != nil {
			return nil, err
		}
		list = append(list, module)
	}
	return list, nil
}

// imported lists the files beside a Python file that it imports, and those that these import, each once: modules and all files of packages.
func imported(file string) ([]string, error) {
	var found []string
	for todo := []string{file}; len(todo) > 0; todo = todo[1:] {
		text, err := os.ReadFile(todo[0])
		if err != nil {
			return nil, err
		}
		for _, module := range modules(string(text)) {
			for _, path := range sources(filepath.Dir(todo[0]), module) {
				if path != file && !slices.Contains(found, path) {
					found, todo = append(found, path), append(todo, path)
				}
			}
		}
	}
	slices.Sort(found)
	return found, nil
}

// modules are the names that a text imports, with the dots of relative ones. Of "from . import a" and "from p import a" the name a may be a
// module too.
func modules(text string) (list []string) {
	for _, m := range importLine.FindAllStringSubmatch(text, -1) {
		from, names := m[1], m[2]+m[3]
		if from != "" {
			list = append(list, from)
		}
		for name := range strings.SplitSeq(names, ",") {
			name, _, _ = strings.Cut(strings.Trim(name, " \t()\r\\"), " ")
			switch {
			case name == "" || name == "*":
			case from == "" || strings.HasSuffix(from, "."):
				list = append(list, from+name)
			default:
				list = append(list, from+"."+name)
			}
		}
	}
	return list
}

// sources are the files that a module named in a file of a folder can come from, if they are in it or, for relative names, above it.
func sources(folder, module string) (list []string) {
	name := strings.TrimLeft(module, ".")
	for range len(module) - len(name) - 1 {
		folder = filepath.Dir(folder)
	}
	for part := range strings.SplitSeq(name, ".") {
		folder = filepath.Join(folder, part)
		for _, path := range []string{folder + ".py", filepath.Join(folder, "__init__.py")} {
			if isFile(path) {
				list = append(list, path)
			}
		}
	}
	return list
}

// pythonVersion is that of the interpreter that runs rewards of one's own; empty: there is none.
func pythonVersion() string {
	out, err := exec.Command(service.Python(), "--version").Output()
	if err != nil {
		return ""
	}
	return strings.TrimPrefix(strings.TrimSpace(string(out)), "Python ")
}
