package report

import (
	"fmt"
	"strings"

	"parley/runs"
)

// changes says what decides the numbers and became another in the middle of the run; empty: nothing did.
func changes(list []runs.Change) string {
	if len(list) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\nWhat decides the numbers was changed, and the change was accepted. All rows are measured with what was there last:\n\n")
	for _, c := range list {
		fmt.Fprintf(&b, "- after update %d: %s\n", c.Update, c)
	}
	return b.String()
}
