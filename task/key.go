package task

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Key is the same for questions that differ only in letter case, white space and final punctuation. Problems with one key are
// one problem, wherever they come from: splits, and the problems of a verifier and of policies, never share a key.
func Key(question string) string {
	normal := strings.TrimRight(strings.Join(strings.Fields(strings.ToLower(question)), " "), " .?!")
	sum := sha256.Sum256([]byte(normal))
	return hex.EncodeToString(sum[:8])
}
