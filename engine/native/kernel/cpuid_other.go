//go:build !amd64

package kernel

// secondLevelCache is not known.
func secondLevelCache() int { return 0 }
