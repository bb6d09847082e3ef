//go:build !linux || !(amd64 || arm64)

package sandbox

import (
	"context"
	"errors"
	"os"
)

// openBubblewrap refuses: there is no bubblewrap on this system.
func openBubblewrap(context.Context, Options) (Backend, error) {
	return nil, &Unavailable{"bubblewrap needs Linux on amd64 or arm64", "run tasks that execute code there, or set PARLEY_SANDBOX=wasm"}
}

// SocketPair refuses.
func SocketPair() (a, b *os.File, err error) { return nil, nil, errors.ErrUnsupported }
