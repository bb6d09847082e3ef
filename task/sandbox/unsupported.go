//go:build !linux || !(amd64 || arm64)

package sandbox

import (
	"context"
	"errors"
	"net"
	"os"
)

// openBubblewrap refuses: there is no bubblewrap on this system.
func openBubblewrap(context.Context, Options) (Backend, error) {
	return nil, &Unavailable{"bubblewrap needs Linux on amd64 or arm64", "run tasks that execute code there, or set PARLEY_SANDBOX=wasm"}
}

// SendFile refuses.
func SendFile(net.Conn, []byte, *os.File) error { return errors.ErrUnsupported }

// SocketPair refuses.
func SocketPair() (a, b *os.File, err error) { return nil, nil, errors.ErrUnsupported }
