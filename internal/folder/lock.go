package folder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// ErrLocked is wrapped by the error of locking what another process has locked.
var ErrLocked = errors.New("another process is writing to it")

// Lock locks the file name for this process and makes it where there is none. The operating system gives the lock back when the process ends, however
// it ends; the file stays, with the number of the last process that held it. A link, or anything else that is no plain file, is refused, and a
// file with other content is locked but never written to.
func Lock(name string) (*os.File, error) {
	f, err := openLock(name, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	err = patiently(f)
	text, readErr := io.ReadAll(io.LimitReader(f, longestHolder))
	own := readErr == nil && ownLock.Match(text)
	if err != nil {
		holder := ""
		if number := strings.TrimSpace(string(text)); own && number != "" {
			holder = " (process " + number + ")"
		}
		return nil, errors.Join(fmt.Errorf("lock %s: %w%s: wait for it or stop it", filepath.Dir(name), err, holder), f.Close())
	}
	if own && f.Truncate(0) == nil {
		fmt.Fprintln(io.NewOffsetWriter(f, 0), os.Getpid())
	}
	return f, nil
}

const (
	longestHolder = 32
	lockedByte    = 1 << 32 // the locked byte lies far behind the text, which others may read
)

// ownLock matches what Take writes, and what a power cut may make of it.
var ownLock = regexp.MustCompile(`^[0-9]{0,20}[\n\x00]*$`)

// openLock opens a plain file, never what a link points to.
func openLock(name string, flags int) (*os.File, error) {
	before, err := os.Lstat(name)
	if err == nil && !before.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is a link, or no plain file: move it away", name)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f, err := os.OpenFile(name, flags, 0o644)
	if err != nil {
		return nil, err
	}
	is, err := f.Stat()
	after, afterErr := os.Lstat(name)
	if err = errors.Join(err, afterErr); err == nil && !os.SameFile(is, after) {
		err = fmt.Errorf("%s became another file while it was opened", name)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// LockPatience is how long a process that was just killed may take to end.
const LockPatience = 500 * time.Millisecond

// patiently locks f, waiting a little for a holder that is ending.
func patiently(f *os.File) error {
	for until := time.Now().Add(LockPatience); ; time.Sleep(LockPatience / 25) {
		if err := TryLock(f, lockedByte); !errors.Is(err, ErrLocked) || time.Now().After(until) {
			return err
		}
	}
}

// Locked says whether another process, or another part of this one, has locked the file name.
func Locked(name string) bool {
	f, err := openLock(name, os.O_RDWR)
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(TryLock(f, lockedByte), ErrLocked)
}
