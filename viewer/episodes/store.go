package episodes

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"parley/internal/folder"
	"parley/runs"
)

// mostKept is how much memory rows of updates may take, in bytes.
const mostKept = 48 << 20

// A Store reads the episodes of one run.
type Store struct {
	dir string

	reading sync.Mutex // of rows: list and distributions of a page ask for the same update at a time

	mu   sync.Mutex
	rows map[int]kept
	used []int // updates, the one that was not asked for the longest first
	size int
}

// kept are the rows of an update, and the file that they are of.
type kept struct {
	rows []Row
	file string
}

// Open looks at the run in dir. It reads nothing yet.
func Open(dir string) *Store { return &Store{dir: dir, rows: map[int]kept{}} }

// Updates lists the updates that have episodes, oldest first: a run that is damaged may lack some.
func (s *Store) Updates() ([]int, error) {
	f, err := folder.Open(s.dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.List("episodes")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var out []int
	for _, e := range entries {
		var update int
		if _, err := fmt.Sscanf(e.Name(), "%d.", &update); err == nil && "episodes/"+e.Name() == runs.EpisodeFile(update) {
			out = append(out, update)
		}
	}
	return out, nil
}

// A DamagedError says that the episodes of an update cannot be read as they are.
type DamagedError struct{ Err error }

func (e *DamagedError) Error() string { return e.Err.Error() }
func (e *DamagedError) Unwrap() error { return e.Err }

// plain says of an episode whose JSON has another form what stands where, without names of this program.
func plain(err error) error {
	var form *json.UnmarshalTypeError
	if errors.As(err, &form) {
		return fmt.Errorf("%s cannot be %s", cmp.Or(form.Field, "an episode"), form.Value)
	}
	return err
}

// damaged marks an error of reading episodes as damage. Errors of the file system stay as they are: they say nothing
// about the content.
func damaged(err error) error {
	if err == nil || errors.As(err, new(*fs.PathError)) {
		return err
	}
	return &DamagedError{err}
}

// Rows are the episodes of an update, those that are damaged too. A file that cannot be unpacked to its end gives those before the damage,
// and the error.
func (s *Store) Rows(update int) ([]Row, error) {
	now := s.file(update)
	if rows, ok := s.kept(update, now); ok {
		return rows, nil
	}
	s.reading.Lock()
	defer s.reading.Unlock()
	if rows, ok := s.kept(update, now); ok {
		return rows, nil
	}
	var rows []Row
	err := s.each(update, nil, func(r Row) { rows = append(rows, r) })
	if err == nil {
		s.keep(update, kept{rows, now})
	}
	return rows, err
}

// kept are the rows of an update that were read before, if its file is the same.
func (s *Store) kept(update int, file string) ([]Row, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k, ok := s.rows[update]
	if ok = ok && k.file == file; ok {
		s.touch(update)
	}
	return k.rows, ok
}

// file says which file the episodes of an update are: a run that went back writes another one.
func (s *Store) file(update int) string {
	info, err := os.Lstat(filepath.Join(s.dir, filepath.FromSlash(runs.EpisodeFile(update))))
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.Mode(), info.Size(), info.ModTime().UnixNano())
}

// mostDamaged is of how many episodes of an update damage is said one by one.
const mostDamaged = 100

// each reads the rows of an update, with their texts. A damaged episode is a row that says so: it costs no other.
func (s *Store) each(update int, text func(row int) func(string) bool, do func(Row)) error {
	n, next, lost := 0, 0, 0
	return runs.EpisodeLines(s.dir, update, func(line []byte) error {
		var t func(string) bool
		if text != nil {
			t = text(n)
		}
		row, err := readRow(line, t)
		if err != nil {
			if lost++; lost > mostDamaged {
				return fmt.Errorf("more than %d episodes are damaged: %w", mostDamaged, err)
			}
			row.Update, row.Index = update, max(row.Index, next)
		}
		n, next = n+1, row.Index+1
		do(row)
		return nil
	})
}

// keep remembers rows, and forgets those that nobody asked for the longest.
func (s *Store) keep(update int, k kept) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if old, ok := s.rows[update]; ok {
		s.size -= sizeOf(old.rows)
		s.touch(update)
	} else {
		s.used = append(s.used, update)
	}
	s.rows[update] = k
	s.size += sizeOf(k.rows)
	for s.size > mostKept && len(s.used) > 1 {
		oldest := s.used[0]
		s.used, s.size = s.used[1:], s.size-sizeOf(s.rows[oldest].rows)
		delete(s.rows, oldest)
	}
}

func (s *Store) touch(update int) {
	for i, u := range s.used {
		if u == update {
			s.used = append(append(s.used[:i:i], s.used[i+1:]...), u)
			return
		}
	}
}

func sizeOf(rows []Row) (n int) {
	for i := range rows {
		n += rows[i].size()
	}
	return n
}
