//go:build unix

package folder

import (
	"strings"
	"syscall"
	"testing"
)

// TestPipes: a named pipe is refused, where opening it would wait for ever.
func TestPipes(t *testing.T) {
	f, _ := open(t)
	must(t, syscall.Mkfifo(f.Path("pipe"), 0o644))
	if _, err := f.ReadFile("pipe"); err == nil || !strings.Contains(err.Error(), "is a named pipe") {
		t.Errorf("read: %v", err)
	}
	if _, err := f.Append("pipe"); err == nil || !strings.Contains(err.Error(), "is a named pipe") {
		t.Errorf("append: %v", err)
	}
}
