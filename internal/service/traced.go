package service

import (
	"path/filepath"
	"strings"
)

// Traced finds in what a program of Python said its exception, and the last frame of a traceback in the program's own file. Where that is not known
// it is any but those of Python and its packages. A frame that is empty: there is no traceback with one.
func Traced(said, file string) (cause, frame string) {
	lines, behind := strings.Split(strings.TrimSpace(said), "\n"), 0
	for i := 0; i < len(lines); i++ {
		place, is := strings.CutPrefix(strings.TrimLeft(lines[i], " "), `File "`)
		if !is || !strings.HasPrefix(lines[i], " ") && i > 0 {
			continue
		}
		at, _, _ := strings.Cut(place, `"`)
		if own := file == "" && !packaged(at); own || at == file {
			frame = "  " + strings.TrimSpace(lines[i])
			if i+1 < len(lines) && strings.HasPrefix(lines[i+1], "    ") {
				frame += "\n" + strings.TrimRight(lines[i+1], " ")
			}
		}
		for behind = i + 1; behind < len(lines) && strings.HasPrefix(lines[behind], "  ") && !strings.HasPrefix(lines[behind], `  File "`); behind++ {
		}
		i = behind - 1
	}
	if frame == "" || behind == len(lines) {
		return said, ""
	}
	return strings.Join(lines[behind:], "\n"), frame
}

// packaged says that a file is of Python or of one of its packages, or is none.
func packaged(file string) bool {
	file = filepath.ToSlash(file)
	return strings.HasPrefix(file, "<") || strings.Contains(file, "/site-packages/") || strings.Contains(file, "/lib/python")
}
