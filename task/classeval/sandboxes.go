package classeval

import (
	"context"
	_ "embed"

	"parley/task/code"
	"parley/task/sandbox"
)

var (
	//go:embed python/remote.py
	remote string
	//go:embed python/classes.py
	classes string
)

// Sandboxes run classes. They may be used by several goroutines.
type Sandboxes struct{ *code.Sandboxes }

// OpenSandboxes starts the sandboxes: workers programs run at once, 0 for one per core. Where isolation is not possible the error is a
// [*sandbox.Unavailable].
func OpenSandboxes(ctx context.Context, workers int) (*Sandboxes, error) {
	both, err := code.OpenSandboxes(ctx, workers, sandbox.Module{Name: "parley_remote", Source: remote}, sandbox.Module{Name: "parley_classes", Source: classes})
	if err != nil {
		return nil, err
	}
	return &Sandboxes{both}, nil
}
