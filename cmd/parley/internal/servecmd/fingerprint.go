package servecmd

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"parley/cmd/parley/internal/cli"
)

// fingerprint is a word for this build and all parts: the same seed under the same word gets the same answer.
func fingerprint(parts ...string) string {
	h := sha256.New()
	for _, p := range append([]string{cli.VersionString()}, parts...) {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return "fp_" + hex.EncodeToString(h.Sum(nil)[:8])
}

// fingerprintOfRun is that of a run: its recipe, and the checksums of what it wrote.
func fingerprintOfRun(dir string) (string, error) {
	var parts []string
	for _, name := range []string{"run.json", "checksums.jsonl"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil && !os.IsNotExist(err) { // a run of before has no checksums
			return "", err
		}
		parts = append(parts, string(data))
	}
	return fingerprint(parts...), nil
}
