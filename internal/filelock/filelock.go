// Package filelock lets one process at a time write to a folder.
package filelock

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// ErrLocked is wrapped by the error of locking what another process has locked.
var ErrLocked = errors.New("another process is writing to it")

// Take locks the file name for this process and makes it where there is none. The operating system gives the lock back when the process ends, however
// it ends; the file stays, with the number of the last process that held it.
func Take(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	if err := patiently(f); err != nil {
		holder := ""
		if text, readErr := io.ReadAll(io.LimitReader(f, 32)); readErr == nil && len(text) > 0 {
			holder = " (process " + strings.TrimSpace(string(text)) + ")"
		}
		return nil, errors.Join(fmt.Errorf("lock %s: %w%s: wait for it or stop it", filepath.Dir(name), err, holder), f.Close())
	}
	if err := f.Truncate(0); err == nil {
		fmt.Fprintln(f, os.Getpid())
	}
	return f, nil
}

// Patience is how long a process that was just killed may take to end.
const Patience = 500 * time.Millisecond

// patiently locks f, waiting a little for a holder that is ending.
func patiently(f *os.File) error {
	for until := time.Now().Add(Patience); ; time.Sleep(Patience / 25) {
		if err := lockFile(f); !errors.Is(err, ErrLocked) || time.Now().After(until) {
			return err
		}
	}
}

// Taken says whether another process, or another part of this one, has locked the file name.
func Taken(name string) bool {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(lockFile(f), ErrLocked)
}
