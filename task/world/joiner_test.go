package world

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"parley/task/sandbox"
)

// joining is a sandbox that has no channels from outside, as that of WebAssembly.
type joining struct{ closed *int }

func (joining) Run(context.Context, sandbox.Program) (sandbox.Result, error) {
	return sandbox.Result{}, errors.New("nothing runs")
}

func (joining) Join(context.Context, sandbox.Program, sandbox.Program) (sandbox.Result, error) {
	return sandbox.Result{}, errors.New("nothing runs")
}

func (j joining) Close() error { *j.closed++; return nil }
func (joining) String() string { return "joining" }

// TestStatefulWithoutChannels: an environment that keeps its state is refused where the sandbox has no channel to it, with what to do, before
// anything runs; the sandbox is closed again.
func TestStatefulWithoutChannels(t *testing.T) {
	opened, closed := 0, 0
	sandbox.Register("joining", func(context.Context, sandbox.Options) (sandbox.Backend, error) {
		opened++
		return joining{&closed}, nil
	})
	t.Setenv(sandbox.BackendVariable, "joining")
	_, err := OpenStateful(t.Context(), External{Python: file(t, counter), Isolated: true, Deadline: 5 * time.Second})
	if !errors.Is(err, errNoRoom) || !strings.Contains(err.Error(), "use bubblewrap, or set isolated to false") {
		t.Errorf("error %v", err)
	}
	if opened != 1 || closed != 1 {
		t.Errorf("%d sandboxes were opened, %d closed", opened, closed)
	}
}
