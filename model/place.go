package model

import "path/filepath"

// Place is the same for all names of one model: its whole path, links followed; the name itself where it is nowhere, or ships.
func Place(name string) string {
	path, err := Find(name)
	if Ships(name) || err != nil {
		return name
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if whole, err := filepath.Abs(path); err == nil {
		path = whole
	}
	return path
}
