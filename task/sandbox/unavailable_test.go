package sandbox

import (
	"errors"
	"strings"
	"testing"
)

// TestWithoutBubblewrap checks that nothing runs with less isolation: without the tool there is no pool.
func TestWithoutBubblewrap(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	p, err := Open(t.Context(), Options{})
	var missing *Unavailable
	if p != nil || !errors.As(err, &missing) || missing.Remedy == "" || !strings.Contains(err.Error(), missing.Reason) {
		t.Errorf("pool %v, error %v", p, err)
	}
}
