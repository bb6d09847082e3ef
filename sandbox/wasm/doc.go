// Package wasm is the portable backend of the sandbox: CPython compiled to WebAssembly, run by wazero. It works wherever parley does,
// without bubblewrap and without a Python of the machine's own. It is chosen with PARLEY_SANDBOX=wasm.
//
//	func main() {
//		wasm.ServeIfChild() // first of all: a process that this package started does nothing else
//		…
//	}
//
// A program gets an interpreter of its own with no files, no sockets, no processes and no environment: WebAssembly has no way to any
// of them. Its memory is bounded by the machine that wazero makes for it. What wazero cannot bound, the time of a program in the
// middle of a loop, is bounded by running it in a child process, a copy of the running executable, which is killed at the deadline;
// the time that its interpreter takes to start does not count. Programs are slower here than under bubblewrap: each starts an
// interpreter, and compiled loops run several times longer.
//
// Two programs that talk with each other ([sandbox.Joiner]) run in one child, each in a machine of its own. All that they share is a
// channel, which both see as a file, and the deadline. What breaks or hangs the child fails both.
//
// The interpreter is a file of 26 MB that is no part of parley: [Interpreter] says which one, and checks its hash.
package wasm
