package hub

import (
	"path/filepath"
	"regexp"
	"strings"
)

var (
	namePattern     = regexp.MustCompile(`^[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?$`)
	revisionPattern = regexp.MustCompile(`^[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)*$`)
	commitPattern   = regexp.MustCompile(`^[0-9a-f]{40}$`)
)

// checkName checks what becomes part of addresses and of paths in the cache.
func checkName(k kind, name, revision string) error {
	if !namePattern.MatchString(name) || strings.Contains(name, "--") || strings.Contains(name, "..") {
		return inputErrorf("%q is no name of a %s on the hub; write one such as %s", name, k.noun, k.example)
	}
	if !revisionPattern.MatchString(revision) || strings.Contains(revision, "..") {
		return inputErrorf("%q is no revision; write a branch, a tag or a commit", revision)
	}
	return nil
}

// safe says whether a path that a server names stays inside a folder, on every system.
func safe(path string) bool {
	if strings.ContainsAny(path, "\\:\x00") || !filepath.IsLocal(filepath.FromSlash(path)) {
		return false
	}
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." || part == ".." {
			return false
		}
	}
	return true
}
