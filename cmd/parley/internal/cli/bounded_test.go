package cli

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
)

// TestReportIsBounded: a long error is cut between characters, and its whole text is in the file that it names.
func TestReportIsBounded(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, long := range []string{strings.Repeat("é", 50_000), strings.Repeat("xé", 40_000)} {
		var stderr bytes.Buffer
		if code := Report(&stderr, errors.New(long)); code != ExitFailed || stderr.Len() > 2*longestMessage {
			t.Errorf("code %d, %d bytes", code, stderr.Len())
		}
		said := stderr.String()
		_, file, found := strings.Cut(strings.TrimSuffix(strings.TrimSpace(said), ")"), "the whole text is in ")
		whole, err := os.ReadFile(file)
		if !found || err != nil || string(whole) != long || strings.Contains(said, "\ufffd") || !strings.Contains(said, "bytes in all") {
			t.Errorf("%.60q… names %q, %v", said, file, err)
		}
	}
	var stderr bytes.Buffer
	Report(&stderr, errors.New("short\x1b[2J\n\ttext\r"))
	if got := stderr.String(); got != "parley: short\\u001b[2J\n\ttext\\u000d\n" {
		t.Errorf("%q", got)
	}
}
