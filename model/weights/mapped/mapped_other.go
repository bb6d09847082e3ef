//go:build !unix

package mapped

import (
	"errors"
	"os"
)

func mapFile(*os.File, int64) (*File, error) { return nil, errors.ErrUnsupported }
