//go:build !amd64 && !arm64

package kernel

func sets() map[string]set { return map[string]set{"generic": generic} }

// pause has no portable form; the poll loop yields to the scheduler anyway.
func pause() {}
