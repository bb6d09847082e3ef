//go:build !long

package native

import "flag"

// A property is drawn fewer times than rapid would draw it: TestLongProperties draws as often.
func init() {
	if err := flag.Set("rapid.checks", "10"); err != nil {
		panic(err)
	}
}
