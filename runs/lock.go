package runs

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// ErrLocked is wrapped by the error of opening a run that another process writes to.
var ErrLocked = errors.New("another process is writing to this run")

// takeLock locks the file DIR/lock for this process. The operating system gives the lock back when the process ends, however
// it ends; the file stays, with the number of the last process that held it.
func takeLock(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("lock run: %w", err)
	}
	if err := patiently(f); err != nil {
		holder := ""
		if text, readErr := io.ReadAll(io.LimitReader(f, 32)); readErr == nil && len(text) > 0 {
			holder = " (process " + strings.TrimSpace(string(text)) + ")"
		}
		return nil, errors.Join(fmt.Errorf("lock run %s: %w%s: wait for it or stop it", dir, err, holder), f.Close())
	}
	if err := f.Truncate(0); err == nil {
		fmt.Fprintln(f, os.Getpid())
	}
	return f, nil
}

// patience is how long a process that was just killed may take to end.
const patience = 500 * time.Millisecond

// patiently locks f, waiting a little for a holder that is ending.
func patiently(f *os.File) error {
	for until := time.Now().Add(patience); ; time.Sleep(patience / 25) {
		if err := lockFile(f); !errors.Is(err, ErrLocked) || time.Now().After(until) {
			return err
		}
	}
}

// Locked says whether another process, or another [Run] of this one, writes to the run in dir.
func Locked(dir string) bool {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(lockFile(f), ErrLocked)
}
