// Command parley trains teams of language models and shows what training gained.
//
//	parley train                 train the default team, in minutes
//	parley train mine.yaml       train by a recipe of one's own
//	parley run list              list the runs
//	parley recipe list           list the shipped recipes
//
// A verb, or a group of verbs, is a package below internal: its struct has flags and arguments as fields, and its Run does the work. It knows
// flags and exit codes, never algorithms.
//
//	main.go              the process: signals and the garbage collector
//	app.go               the tree of verbs, and the program as a function, [run], which tests call
//	internal/NAMEcmd     a verb, or a group of verbs
//	internal/cli         what verbs share: streams, exit codes, JSON lines, tables
//	internal/live        the progress of training: plain lines, or a live view on a terminal
//	internal/download    what comes from the Hugging Face Hub
//
// Results go to stdout, progress and messages to stderr. Exit codes: 0 done; 1 the work failed; 2 the command line, a recipe or an
// input file is wrong, and nothing was started; 130 interrupted, and the state is saved.
package main

import (
	"context"
	"io"
	"log"
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
	log.SetOutput(io.Discard) // net/http writes there what servers send unasked
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectAt)
	}
	os.Exit(run(interruptible(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// interruptible is a context that ends when somebody wants the process to end: at ^C, at SIGTERM, and when the terminal is closed, unless nohup
// was asked for. A second ^C or SIGTERM ends the process at once; a terminal that is closed says so more than once.
func interruptible() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		<-signals
		cancel()
		signal.Reset(os.Interrupt, syscall.SIGTERM)
	}()
	return ctx
}
