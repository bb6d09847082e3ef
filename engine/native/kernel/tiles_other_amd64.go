//go:build !linux

package kernel

import "errors"

func requestTiles() error { return errors.New("only Linux is asked for them") }
