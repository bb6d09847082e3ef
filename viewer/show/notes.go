package show

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/internal/folder"
)

// notesFile lies in the runs folder, beside the runs: a run belongs to its trainer. Who writes to it holds the lock notesLock, since another
// server may show the same folder.
const (
	notesFile = ".parley-ui.json"
	notesLock = ".parley-ui.lock"
)

// Bounds on what people may write about a run.
const (
	mostTags    = 20
	longestTag  = 60
	longestNote = 10_000
)

// A Note is what somebody wrote about a run.
type Note struct {
	Tags []string `json:"tags"`
	Note string   `json:"note"`
}

// notes are those of all runs, by id.
type notes map[string]Note

func (n notes) on(row Row) Row {
	if note, ok := n[row.ID]; ok {
		row.Tags, row.Note = append([]string{}, note.Tags...), note.Note
	}
	return row
}

// notes reads them. A file that cannot be read has none; it is not written over, see [Root.Annotate].
func (r *Root) notes() notes {
	n, _ := r.readNotes()
	return n
}

func (r *Root) readNotes() (notes, error) {
	data, err := folder.ReadFile(r.Dir, notesFile)
	if errors.Is(err, fs.ErrNotExist) {
		return notes{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read notes: %w", err)
	}
	n := notes{}
	if err := json.Unmarshal(data, &n); err != nil {
		return nil, fmt.Errorf("%s is damaged: put it right, or move it away: %w", filepath.Join(r.Dir, notesFile), err)
	}
	return n, nil
}

// A NoteError says what is wrong with a note.
type NoteError struct{ Why string }

func (e *NoteError) Error() string { return e.Why }

// Annotate keeps what somebody wrote about a run. The old file stays until the new one is whole on the disk.
func (r *Root) Annotate(id string, note Note) error {
	if len(note.Tags) > mostTags || len(note.Note) > longestNote || slices.ContainsFunc(note.Tags, func(t string) bool { return len(t) > longestTag || strings.TrimSpace(t) == "" }) {
		return &NoteError{fmt.Sprintf("a note has at most %d tags of 1 to %d bytes and %d bytes of text", mostTags, longestTag, longestNote)}
	}
	if _, err := r.Path(id); err != nil {
		return err
	}
	r.writing.Lock()
	defer r.writing.Unlock()
	lock, err := r.lockNotes()
	if err != nil {
		return fmt.Errorf("write notes: %w", err)
	}
	defer lock.Close()
	all, err := r.readNotes()
	if err != nil {
		return err
	}
	all[id] = note
	if len(note.Tags) == 0 && note.Note == "" {
		delete(all, id)
	}
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("write notes: %w", err)
	}
	return replace(filepath.Join(r.Dir, notesFile), append(data, '\n'))
}

// longestWait is how long another server may take to write its notes.
const longestWait = 30 * time.Second

// lockNotes waits until no other server writes notes.
func (r *Root) lockNotes() (*os.File, error) {
	for until := time.Now().Add(longestWait); ; {
		f, err := folder.Lock(filepath.Join(r.Dir, notesLock))
		if !errors.Is(err, folder.ErrLocked) || time.Now().After(until) {
			return f, err
		}
	}
}

// replace puts a whole file in the place of another.
func replace(name string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".unfinished-ui-")
	if err != nil {
		return fmt.Errorf("write notes: %w", err)
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return fmt.Errorf("write notes: %w", errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}
