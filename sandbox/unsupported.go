//go:build !linux || !(amd64 || arm64)

package sandbox

import (
	"context"
	"errors"
	"os"
)

// A Pool runs programs. On this system there is none.
type Pool struct{}

var unavailable = &Unavailable{"bubblewrap needs Linux on amd64 or arm64", "run tasks that execute code there"}

// Open refuses: there is no isolation on this system.
func Open(context.Context, Options) (*Pool, error) { return nil, unavailable }

// Run refuses.
func (*Pool) Run(context.Context, Program) (Result, error) { return Result{}, unavailable }

// Close does nothing.
func (*Pool) Close() error { return nil }

func (*Pool) String() string { return "" }

// SocketPair refuses.
func SocketPair() (a, b *os.File, err error) { return nil, nil, errors.ErrUnsupported }
