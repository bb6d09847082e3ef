package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"

	"github.com/klauspost/compress/zstd"

	"parley/internal/folder"
)

// A Line is one JSON object of metrics.jsonl or timing.jsonl, its line break included.
type Line struct {
	Update int
	Data   []byte
}

// Numbered marshals v and reads back which update it belongs to.
func Numbered(v any) (Line, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return Line{}, err
	}
	update, ok := UpdateOf(data)
	if !ok {
		return Line{}, errors.New(`no field "update" in ` + string(data))
	}
	return Line{update, append(data, '\n')}, nil
}

// A LineFile is a file of lines in increasing order of updates.
type LineFile struct {
	AppendFile
	Last int // update of the last line; 0: none
}

// Append writes one line. What a full disk left of it is taken back.
func (l *LineFile) Append(n Line) error {
	if err := l.Open(l.Cut); err != nil {
		return err
	}
	if n.Update <= l.Last {
		return fmt.Errorf("%s: line of update %d after that of update %d", l.Path(), n.Update, l.Last)
	}
	if _, err := l.file.Write(n.Data); err != nil {
		return l.run.Failed(l.name, errors.Join(err, l.file.Truncate(l.size)))
	}
	l.Last, l.size = n.Update, l.size+int64(len(n.Data))
	return nil
}

// Cut drops everything after the line of update most, and from the first line on that is not whole: what a process that was
// killed while writing left behind.
func (l *LineFile) Cut(most int) error {
	data, err := l.Content()
	if err != nil {
		return err
	}
	l.Last, l.size = Whole(data, most)
	if l.size == int64(len(data)) {
		return nil
	}
	return l.run.Failed(l.name, l.run.Folder.Truncate(l.name, l.size))
}

// Salvage keeps the whole lines behind a damaged one, and says that there was one.
func (l *LineFile) Salvage(most int) (note string, err error) {
	data, err := l.Content()
	if err != nil {
		return "", err
	}
	_, size := Whole(data, most)
	whole := salvage(data, most)
	if len(whole) == int(size) {
		return "", nil
	}
	return l.run.ReplaceDamaged(l.name, whole)
}

// WriteLines writes what write gives to enc as lines of JSON, packed.
func WriteLines(w io.Writer, write func(enc func(v any) error) error) error {
	// One goroutine: with more, blocks depend on timing.
	z, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(true))
	if err != nil {
		return err
	}
	lines := json.NewEncoder(z)
	lines.SetEscapeHTML(false)
	if err := write(lines.Encode); err != nil {
		return errors.Join(err, z.Close())
	}
	return z.Close()
}

// Updated is the update of the last line of metrics.jsonl of the run in dir; 0: there is none.
func Updated(dir string) (update int, err error) {
	data, err := folder.ReadFile(dir, MetricsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read run: %w", err)
	}
	update, _ = Whole(data, math.MaxInt)
	return update, nil
}
