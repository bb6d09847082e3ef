package usererror

// This file writes commands that a user can paste into a POSIX shell.

import (
	"regexp"
	"strings"
)

// plain matches words that mean themselves in every shell: zsh takes a word that begins with an equals sign for a program.
var plain = regexp.MustCompile(`^[A-Za-z0-9_@%+:,./-][A-Za-z0-9_@%+=:,./-]*$`)

// Quote joins words to a command line that a POSIX shell splits into the same words again.
func Quote(words ...string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = w
		if !plain.MatchString(w) {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}
