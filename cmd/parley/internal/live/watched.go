package live

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"parley/cmd/parley/internal/cli"
	"parley/train"
)

// Watched does some work of package train with its progress on stderr. When the reader of stderr has gone, the work ends as at ^C: a process
// that writes to a closed pipe would otherwise be killed in the middle of it.
func Watched(a *cli.App, do func(context.Context, train.Options) (*train.Result, error), o train.Options) (*train.Result, error) {
	if o.Recipe != nil {
		for _, w := range o.Recipe.Warnings() {
			a.Say("warning:", w)
		}
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // writing returns an error instead, also when the last message is written
	ctx, view := watch(a, false)
	defer view.close()
	o.Observe = view.observe
	return do(ctx, o)
}
