//go:build !sandbox

package vectortest

// withSandbox says that the sections which run Python programs are wanted: they need bubblewrap and Python, which a machine
// with only Go has not.
const withSandbox = false
