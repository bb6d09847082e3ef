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
//	main.go              the process and its signals; when garbage is collected
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
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"syscall"

	"parley/cmd/parley/internal/cli"
	"parley/internal/sysmem"
	"parley/task/sandbox/wasm"
)

func main() {
	wasm.ServeIfChild()
	log.SetOutput(io.Discard) // net/http writes there what servers send unasked
	collectRarely()
	if err := room(sysmem.Limited()); err != nil {
		os.Exit(cli.Report(os.Stderr, err))
	}
	os.Exit(run(interruptible(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// leastRoom is what limits of the process have to leave, in bytes, to read a recipe and say what a run needs: Go ends a program that gets no memory with
// a trace of its own, and no handler can say more.
const leastRoom = 64 << 20

// room refuses to begin where the limits of the process leave too little to say what is wrong later.
func room(left float64) error {
	if left >= leastRoom {
		return nil
	}
	return fmt.Errorf("a limit of the system (ulimit -v or -d) leaves %s of memory, and parley needs %s to begin, beside the runtime's reservations of about 0.8 GiB: raise the limit, or take it away and set the recipe's key memory, which bounds what a run takes",
		sysmem.Amount(max(0, left)), sysmem.Amount(leastRoom))
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

// collectAt is how much garbage may lie on the heap, in percent of what stays there. That is mostly policies and their moments: Go's
// 100 would take as much again, which no estimate of a run's memory has.
const collectAt = 25

// leastGarbage may lie there in any case, in bytes. A command that opens no model keeps a few megabytes, and would be collected at every megabyte.
const leastGarbage = 16 << 20

// collectRarely sets when garbage is collected, unless the environment says so.
func collectRarely() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(percent(0))
	runtime.SetFinalizer(&collection{live: []metrics.Sample{{Name: "/gc/heap/live:bytes"}}}, (*collection).done)
}

// A collection is garbage from the start: its finalizer runs after each one.
type collection struct{ live []metrics.Sample }

func (c *collection) done() {
	metrics.Read(c.live)
	debug.SetGCPercent(percent(c.live[0].Value.Uint64()))
	runtime.SetFinalizer(c, (*collection).done)
}

// percent is what may be added to a heap of which so many bytes stay. Go takes any for one of 4 MiB at least.
func percent(live uint64) int { return int(max(collectAt, 100*leastGarbage/max(live, 4<<20))) }
