package runs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A line is one JSON object of metrics.jsonl or timing.jsonl, its line break included.
type line struct {
	update int
	data   []byte
}

// numbered marshals v and reads back which update it belongs to.
func numbered(v any) (line, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return line{}, err
	}
	update, ok := UpdateOf(data)
	if !ok {
		return line{}, errors.New(`no field "update" in ` + string(data))
	}
	return line{update, append(data, '\n')}, nil
}

// UpdateOf reads the field "update" of a JSON object; ok is false when data is no complete object or has no such field.
func UpdateOf(data []byte) (update int, ok bool) {
	var head struct {
		Update *int `json:"update"`
	}
	if json.Unmarshal(data, &head) != nil || head.Update == nil {
		return 0, false
	}
	return *head.Update, true
}

// A lineFile is a file of lines in increasing order of updates.
type lineFile struct {
	appendFile
	last int // update of the last line; 0: none
}

// append writes one line. What a full disk left of it is taken back.
func (l *lineFile) append(n line) error {
	if err := l.open(l.cut); err != nil {
		return err
	}
	if n.update <= l.last {
		return fmt.Errorf("%s: line of update %d after that of update %d", l.path(), n.update, l.last)
	}
	if _, err := l.file.Write(n.data); err != nil {
		return l.run.writeError(l.name, errors.Join(err, l.file.Truncate(l.size)))
	}
	l.last, l.size = n.update, l.size+int64(len(n.data))
	return nil
}

// cut drops everything after the line of update most, and from the first line on that is not whole: what a process that was
// killed while writing left behind.
func (l *lineFile) cut(most int) error {
	data, err := l.content()
	if err != nil {
		return err
	}
	l.last, l.size = wholeLines(data, most)
	if l.size == int64(len(data)) {
		return nil
	}
	return l.run.writeError(l.name, os.Truncate(l.path(), l.size))
}

// wholeLines returns the length of the longest start of data that consists of whole lines of updates up to most in increasing
// order, and the update of its last line.
func wholeLines(data []byte, most int) (last int, size int64) {
	for rest := data; ; {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			return last, size
		}
		update, ok := UpdateOf(rest[:end])
		if !ok || update > most || update <= last && size > 0 {
			return last, size
		}
		last, size, rest = update, size+int64(end)+1, rest[end+1:]
	}
}

// ReadLines calls each with every whole line of a .jsonl file of the run in dir, without its line break. A run that has no
// such file yet has no lines. It needs no lock: a line that is being written is left out.
func ReadLines(dir, name string, each func(line []byte) error) error {
	data, err := os.ReadFile(filepath.Join(dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read run: %w", err)
	}
	_, size := wholeLines(data, everything)
	for l := range bytes.Lines(data[:size]) {
		if err := each(bytes.TrimSuffix(l, []byte("\n"))); err != nil {
			return err
		}
	}
	return nil
}
