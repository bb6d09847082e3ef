//go:build !unix

package safetensors

import (
	"errors"
	"os"
)

func mapFile(*os.File, int64) (*Mapped, error) { return nil, errors.ErrUnsupported }
