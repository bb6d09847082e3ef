package harness

import (
	"path/filepath"
	"strings"

	"parley/internal/service"
)

// fail says why the episode has failed, of what its program said, and before that who says it. The cause comes first: why the last request was
// refused, or else the exception of a traceback. The whole is for the log. e.mu is held.
func (e *Live) fail(who, said string) {
	cause, frame := traced(said, e.of.settings.file())
	first, _, _ := strings.Cut(cause, "\n")
	if cause = who + cause; frame != "" {
		cause, e.whole = cause+"\n"+frame, said
	}
	if e.refusal != "" {
		cause, e.whole = e.refusal, said
		for _, more := range []string{frame, "  " + who + first} {
			if more != "" && !strings.Contains(more, e.refusal) {
				cause += "\n" + more
			}
		}
	}
	e.failed = service.Own(cause).Error()
}

// Refuse counts a request that the door refuses, and remembers why: a program that asks nothing else and fails has failed by that.
func (e *Live) Refuse(code, why string) {
	e.Count(Refused, code)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.refusal = why
}

// file is the program's own, where it is known.
func (s *Settings) file() string {
	if s.Python == "" {
		return ""
	}
	return s.in(s.Python)
}

// traced finds in what a program of Python said its exception, and the last frame of a traceback in the program's own file. Where that is not known
// it is any but those of Python and its packages. A frame that is empty: there is no traceback with one.
func traced(said, file string) (cause, frame string) {
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
