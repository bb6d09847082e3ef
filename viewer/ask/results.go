package ask

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley/internal/folder"
)

// File is where questions and answers are kept in a run. Who writes there holds the lock, since older ones make room for new ones.
const (
	File = "questions.jsonl"
	lock = "questions.lock"
)

// Bounds on what is kept: of a file, of the dialogue that answers a question, and of each text in it.
const (
	mostKept        = 200
	mostBytes       = 8 << 20
	longestDialogue = 1 << 20
	longestText     = 32 << 10
)

// A Result is a question, and what was answered.
type Result struct {
	Created     string   `json:"created"`
	Question    string   `json:"question"`
	Agent       string   `json:"agent"`       // who was asked alone; empty: the team
	Update      int      `json:"update"`      // after which; 0: nothing is trained
	Temperature *float64 `json:"temperature"` // nil: that of evaluation
	Seed        uint64   `json:"seed"`
	Lines       []Line   `json:"lines"`
	Answer      string   `json:"answer"` // of the team; empty: it has none but what its agents say
	Vote        bool     `json:"vote"`   // the answer is what most said in the last turn

	size int // of the texts, in bytes
}

// A Line is what an agent said in a turn, both from 0.
type Line struct {
	Turn      int    `json:"turn"`
	Agent     int    `json:"agent"`
	Name      string `json:"name"`
	Text      string `json:"text"`
	Left      int    `json:"left"`             // bytes at its end that are not kept
	Truncated bool   `json:"truncated"`        // it reached the largest number of tokens
	Beside    string `json:"beside,omitempty"` // such as who wrote which part
}

// short is the part of a text that is kept, and how many bytes are not.
func (r *Result) short(text string) (kept string, left int) {
	kept = text
	if most := min(longestText, longestDialogue-r.size); len(kept) > most {
		kept = strings.ToValidUTF8(kept[:most], "")
	}
	r.size += len(kept)
	return kept, len(text) - len(kept)
}

// Read returns what is kept with a run, oldest first, and how many lines are damaged or have no question. A last line without an end is being
// written.
func Read(dir string) (list []Result, damaged int, err error) {
	data, _, err := read(dir)
	list, _, damaged = results(data)
	return list, damaged, err
}

// results are the newest of a file, with the lines that they stand in.
func results(data []byte) (list []Result, lines [][]byte, damaged int) {
	list = []Result{}
	damaged = folder.Lines(data, func(line []byte) bool {
		var r Result
		if json.Unmarshal(line, &r) != nil || r.Question == "" {
			return false
		}
		r.Lines = append([]Line{}, r.Lines...)
		list, lines = append(list, r), append(lines, line)
		return true
	})
	first := max(0, len(list)-mostKept)
	return list[first:], lines[first:], damaged
}

// read reads the end of the file, from the beginning of a line. whole says that there is nothing before it.
func read(dir string) (data []byte, whole bool, err error) {
	f, err := folder.File(dir, File)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, true, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("read questions: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil {
		data, err = io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-mostBytes), mostBytes))
	}
	if err != nil {
		return nil, false, fmt.Errorf("read questions: %w", err)
	}
	if whole = info.Size() <= mostBytes; !whole {
		_, data, _ = bytes.Cut(data, []byte("\n"))
	}
	return data, whole, nil
}

// keep adds a result to those of the run. The trainer does not know the file.
func keep(ctx context.Context, dir string, r Result) error {
	if err := add(ctx, dir, r); err != nil {
		return &folder.KeepError{Err: err}
	}
	return nil
}

func add(ctx context.Context, dir string, r Result) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	held, err := take(ctx, filepath.Join(dir, lock))
	if err != nil {
		return err
	}
	defer held.Close()
	data, whole, err := read(dir)
	if err != nil {
		return err
	}
	_, lines, _ := results(data)
	if whole && len(lines) < mostKept && len(data)+len(line) < mostBytes {
		return folder.AppendLine(dir, File, line)
	}
	lines = append(lines, line)
	size := 0
	for first := len(lines) - 1; first >= 0; first-- {
		if size += len(lines[first]) + 1; size > mostBytes || len(lines)-first > mostKept {
			lines = lines[first+1:]
			break
		}
	}
	return replace(dir, File, append(bytes.Join(lines, []byte("\n")), '\n'))
}

// longestWait is how long another process may take to keep its answers.
const longestWait = 30 * time.Second

// take waits until nobody else writes.
func take(ctx context.Context, name string) (*os.File, error) {
	for until := time.Now().Add(longestWait); ; {
		f, err := folder.Lock(name)
		if !errors.Is(err, folder.ErrLocked) || time.Now().After(until) {
			return f, err
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
}

// replace puts a whole file in the place of the old one.
func replace(dir, name string, data []byte) error {
	f, err := folder.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Check(name); err != nil {
		return err
	}
	temp := ".unfinished-" + name
	w, err := f.Create(temp)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	if err = errors.Join(err, w.Sync(), w.Close()); err == nil {
		err = f.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, f.Remove(temp))
	}
	return f.Sync(".")
}
