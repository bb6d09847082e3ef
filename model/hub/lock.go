package hub

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"
)

// errHeld is returned by tryLock for a lock that another process, or another pull of this one, holds.
var errHeld = errors.New("the lock is held")

// lock waits until no other process downloads the contents of f. The lock is where huggingface_hub has it. The operating
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
		err := tryLock(file)
		if err == nil {
			p.progress.Waiting = false
			return func() { file.Close() }, nil
		}
		if !errors.Is(err, errHeld) {
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
