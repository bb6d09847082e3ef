//go:build long

package recipe_test

import "testing"

// TestLongStrangeValues gives every key a third of the strange values, each of them to a third of the keys.
func TestLongStrangeValues(t *testing.T) { strangeValues(t, 3) }
