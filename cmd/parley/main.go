// Command parley co-trains teams of language models and shows what training gained.
//
//	parley train                 co-train the default team, in minutes
//	parley train my.yaml         run an experiment of one's own
//	parley run list              what has been run
//	parley recipe list           what can be run
//
// There is one file per verb. A verb is a struct whose fields are its flags and arguments and whose Run does the work; it
// knows flags and exit codes, never algorithms. [run] is the whole program as a function, which is how the tests call it.
//
// Results go to stdout, progress and messages to stderr. Exit codes: 0 done, 1 the work failed, 2 the command line, the
// recipe or an input file is wrong and nothing was started, 130 interrupted with everything saved.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"parley/sandbox/wasm"
)

// collectAt is how much garbage may lie on the heap, in percent of what stays there. That is mostly policies and their moments: Go's
// 100 would take as much again, which no estimate of a run's memory has.
const collectAt = 25

func main() {
	wasm.ServeIfChild()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectAt)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
