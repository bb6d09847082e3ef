//go:build sandbox

package vectortest

// withSandbox says that the sections which run Python programs are wanted.
const withSandbox = true
