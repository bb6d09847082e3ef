package learntest

import "strings"

// Changed are the names of the policies that differ between two lists of an engine's policies.
func Changed(before, after []string) (out []string) {
	for i := range before {
		if name, _, _ := strings.Cut(after[i], ":"); before[i] != after[i] {
			out = append(out, name)
		}
	}
	return out
}
