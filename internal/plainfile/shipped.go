package plainfile

// This file reads the YAML files that come in the binary, such as recipes and studies, by their names without the ending.

import (
	"io/fs"
	"slices"
	"strings"
)

// Shipped are those of one folder. There are no others than YAML files.
type Shipped struct {
	FS     fs.ReadFileFS
	Folder string
}

const ending = ".yaml"

// Names lists the files in alphabetical order.
func (f Shipped) Names() []string {
	entries, err := fs.ReadDir(f.FS, f.Folder)
	if err != nil {
		panic("internal error: " + err.Error())
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ending)
	}
	slices.Sort(names) // with their endings they sort otherwise: a dash comes before the dot
	return names
}

// Text is that of the file of a name, if there is one.
func (f Shipped) Text(name string) (text []byte, ok bool) {
	text, err := f.FS.ReadFile(f.Folder + "/" + name + ending)
	return text, err == nil
}
