//go:build long

package recipe_test

import "testing"

// TestLongStrangeValues gives every key every strange value.
func TestLongStrangeValues(t *testing.T) { strangeValues(t, 1) }
