package kept

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"parley/internal/folder"
)

// A keeper keeps the finished problems of a part of a system.
type keeper struct {
	folder *Folder
	system string
	part   int
}

// A line of a journal is a finished problem.
type line struct {
	Part   int             `json:"part"`
	Number int             `json:"number"`
	Known  json.RawMessage `json:"known"`
}

// A journal is the finished problems of a system.
type journal struct {
	file  *os.File // nil: it is not written to yet
	known map[[2]int][]byte
}

// Load implements [keep.Keeper].
func (k keeper) Load(number int) []byte {
	k.folder.mu.Lock()
	defer k.folder.mu.Unlock()
	return k.folder.journal(k.system).known[[2]int{k.part, number}]
}

// Save implements [keep.Keeper].
func (k keeper) Save(number int, data []byte) {
	k.folder.mu.Lock()
	defer k.folder.mu.Unlock()
	j, at := k.folder.journal(k.system), [2]int{k.part, number}
	if _, known := j.known[at]; known || k.folder.broken {
		return
	}
	if err := k.folder.append(k.system, j, line{k.part, number, data}); err != nil {
		k.folder.trouble(err)
		return
	}
	j.known[at] = data
}

// journal is that of a system, with what an interrupted process has left.
func (f *Folder) journal(system string) *journal {
	j := f.journals[system]
	if j != nil {
		return j
	}
	j = &journal{known: map[[2]int][]byte{}}
	f.journals[system] = j
	if f.store == nil {
		return j
	}
	data, err := read(f.dir, journalFile(system))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.note(fmt.Sprintf("%v: the problems of %s are played again", err, system))
	}
	whole := j.take(data)
	if whole == len(data) {
		return j
	}
	if err := os.Truncate(filepath.Join(f.dir, journalFile(system)), int64(whole)); err != nil { // what follows would not be read
		f.trouble(err)
	}
	return j
}

// take reads lines up to the first that is damaged, as the last one of a process that was killed may be, and says where that begins.
func (j *journal) take(data []byte) (whole int) {
	for whole < len(data) {
		end := bytes.IndexByte(data[whole:], '\n')
		if end < 0 {
			break
		}
		text := data[whole : whole+end]
		var l line
		if json.Unmarshal(text, &l) != nil || l.Known == nil || folder.CheckSeal(text) != nil {
			break
		}
		j.known[[2]int{l.Part, l.Number}] = l.Known
		whole += end + 1
	}
	return whole
}

// append adds a finished problem to a journal.
func (f *Folder) append(system string, j *journal, l line) error {
	if err := f.begin(); err != nil {
		return err
	}
	if j.file == nil {
		var err error
		if j.file, err = f.store.Folder.Append(journalFile(system)); err != nil {
			return err
		}
	}
	text, err := json.Marshal(l)
	if err == nil {
		text, err = folder.Seal(text)
	}
	if err != nil {
		return err
	}
	_, err = j.file.Write(append(text, '\n'))
	return err
}

// drop removes the journal of a system that is measured as a whole.
func (f *Folder) drop(system string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if j := f.journals[system]; j == nil || f.store == nil || j.close() != nil {
		return
	}
	delete(f.journals, system)
	if err := f.store.Folder.Remove(journalFile(system)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.note(fmt.Sprintf("%v: it is not needed any more", err))
	}
}

func (j *journal) close() error {
	if j.file == nil {
		return nil
	}
	err := j.file.Close()
	j.file = nil
	return err
}

func journalFile(system string) string { return "evaluation/" + system + ".jsonl" }
