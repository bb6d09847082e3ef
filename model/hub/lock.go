package hub

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"parley/internal/folder"
)

// lock waits until no other process downloads the contents of f. The lock is where huggingface_hub has it, and on Windows the byte. The operating
// system gives it back when the process ends, however it ends.
func (p *pull) lock(ctx context.Context, f File) (unlock func(), err error) {
	dir := filepath.Join(p.Cache, ".locks", filepath.Base(p.folder()))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(dir, f.Checksum+".lock"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	for {
		err := folder.TryLock(file, 0)
		if err == nil {
			p.progress.Waiting = false
			return func() { file.Close() }, nil
		}
		if !errors.Is(err, folder.ErrLocked) {
			return nil, errors.Join(err, file.Close())
		}
		p.progress.Waiting = true
		p.observe(p.progress)
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), file.Close())
		case <-time.After(100 * time.Millisecond):
		}
	}
}
