package harness

import (
	"strings"

	"parley/internal/service"
)

// fail says why the episode has failed, of what its program said, and before that who says it. The cause comes first: why the last request was
// refused, or else the exception of a traceback. The whole is for the log. e.mu is held.
func (e *Live) fail(who, said string) {
	file := e.of.settings.Python
	if file != "" {
		file = e.of.settings.in(file)
	}
	cause, frame := service.Traced(said, file)
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
