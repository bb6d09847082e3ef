package live

import (
	"context"
	"fmt"

	"parley/cmd/parley/internal/cli"
	"parley/train"
)

// Watched does some work of package train with its progress on stderr.
func Watched(a *cli.App, do func(context.Context, train.Options) (*train.Result, error), o train.Options) (*train.Result, error) {
	if o.Recipe != nil {
		for _, w := range o.Recipe.Warnings() {
			fmt.Fprintln(a.Stderr, "warning:", w)
		}
	}
	ctx, view := watch(a)
	defer view.close()
	o.Observe = view.observe
	return do(ctx, o)
}
