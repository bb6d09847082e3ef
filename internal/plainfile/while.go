package plainfile

import (
	"context"
	"os"
)

// A Needed is a file whose reads end with a context.
type Needed struct {
	ctx  context.Context
	file *os.File
}

// While is a file that is read as long as ctx lasts.
func While(ctx context.Context, file *os.File) Needed { return Needed{ctx, file} }

// Read implements [io.Reader].
func (n Needed) Read(p []byte) (int, error) {
	if err := n.ctx.Err(); err != nil {
		return 0, err
	}
	return n.file.Read(p)
}

// ReadAt implements [io.ReaderAt].
func (n Needed) ReadAt(p []byte, at int64) (int, error) {
	if err := n.ctx.Err(); err != nil {
		return 0, err
	}
	return n.file.ReadAt(p, at)
}
