package folder

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// TryLock takes the exclusive lock of f, or returns [ErrLocked] at once. The byte at that place is locked, which nobody else can read then.
func TryLock(f *os.File, at uint64) error {
	place := &windows.Overlapped{Offset: uint32(at), OffsetHigh: uint32(at >> 32)}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, place)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrLocked
	}
	return err
}
