package runs

import (
	"os"
	"path/filepath"

	"parley/internal/filelock"
)

// ErrLocked is wrapped by the error of opening a run that another process writes to.
var ErrLocked = filelock.ErrLocked

// takeLock locks the file DIR/lock for this process.
func takeLock(dir string) (*os.File, error) { return filelock.Take(filepath.Join(dir, "lock")) }

// Locked says whether another process, or another [Run] of this one, writes to the run in dir.
func Locked(dir string) bool { return filelock.Taken(filepath.Join(dir, "lock")) }
