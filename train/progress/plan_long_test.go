//go:build long

package progress_test

import "testing"

func TestLongBounds(t *testing.T) { bounds(t, "debate-sums", "leader-tiny", "ccpo-tiny", "iac-tiny") }
