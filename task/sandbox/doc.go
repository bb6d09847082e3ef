// Package sandbox runs Python programs that nobody vouches for: code that models wrote, tests of data sets, rewards of users.
//
//	pool, err := sandbox.Open(ctx, sandbox.Options{Workers: 2})
//	defer pool.Close()
//	result, err := pool.Run(ctx, sandbox.Program{Source: "print(6 * 7)", Limits: sandbox.Limits{Output: 1 << 10}})
//
// Bubblewrap does the isolating: user, pid, network, ipc, uts and cgroup namespaces of their own, a read-only root that holds
// nothing but Python and the system's libraries, one small writable folder in memory, no privileges and no way to new ones. A
// filter allows a list of system calls (calls.go, filter.go) and no sockets. Where any of this is missing, [Open] refuses with an
// [Unavailable] error that says what to install or to allow: nothing is ever run with less. Where a control group can be made, it
// bounds what the processes of a worker take together (group.go).
//
// A [Pool] keeps warm workers. A worker is one bubblewrap with a Python process as pid 1 of its namespace (python/worker.py). For
// each program it forks a child into namespaces and a folder that no program has seen (python/fresh.py); when the program has ended
// they are gone. So a program costs some forks instead of a start, and finds the same state as the first one did: process numbers,
// the hash seed, addresses and the state of Python's random generator too. Where namespaces cannot be made inside bubblewrap's, a
// worker runs one program and is replaced; some stand ready ahead of the programs. The number of workers bounds how many programs run at once, and with that the memory of
// the host, however many callers there are. Programs may share a [Budget] of time.
//
// Another backend may take its place ([Register]), where the user says so and never by itself: package wasm. Both are tested with the
// same hostile programs (package hostile).
//
// The parent keeps the only ends of the channels. What comes back from a program is bounded in size and time, and never more
// than an exit status and bytes. The kernel stays reachable: this contains reward code, it is not a virtual machine.
package sandbox
