package tokens

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"parley/internal/folder"
	"parley/rl/rollout"
)

// Kept finds the results of a run for callers that read many of them: it looks through the file once, and reads a result when it is asked for.
type Kept struct {
	file    *os.File // nil: nothing was computed
	lines   map[place][]part
	damaged []int // numbers of lines, from 1, that are no results; what somebody asked for is known to the last byte, of others only how they begin
}

// place is an episode of a run.
type place struct{ update, index int }

// part is where a line stands in the file.
type part struct {
	from, size int64
	line       int // its number, from 1
}

// OpenKept looks for the results of the run in dir, of which there may be none.
func OpenKept(dir string) (*Kept, error) {
	f, err := folder.File(dir, File)
	if errors.Is(err, fs.ErrNotExist) {
		return &Kept{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read results about tokens: %w", err)
	}
	k := &Kept{file: f, lines: map[place][]part{}}
	if err := k.look(); err != nil {
		return nil, errors.Join(fmt.Errorf("read results about tokens: %w", err), f.Close())
	}
	return k, nil
}

// look finds the whole lines, and the episodes that they are of. A last line without an end is being written.
func (k *Kept) look() error {
	lines := bufio.NewReaderSize(k.file, 1<<16)
	for at, line := int64(0), 1; ; line++ {
		first, size, whole, err := skipLine(lines)
		switch p, ok := placeOf(first); {
		case whole && ok && size <= longestLine:
			k.lines[p] = append(k.lines[p], part{at, size, line})
		case whole && size > 1:
			k.damaged = append(k.damaged, line)
		}
		at += size
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// placeOf reads how a line begins.
func placeOf(first []byte) (p place, ok bool) {
	const begin = `{"update":%d,"index":%d,`
	_, err := fmt.Sscanf(string(first), begin, &p.update, &p.index)
	return p, err == nil && bytes.HasPrefix(first, fmt.Appendf(nil, begin, p.update, p.index))
}

// longestLine is the most of a line that is read, in bytes.
const longestLine = 256 << 20

// longestBegin is more than what a line has before the second comma, in bytes.
const longestBegin = 64

// skipLine reads a line, and keeps how it begins.
func skipLine(r *bufio.Reader) (first []byte, size int64, whole bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if first == nil {
			first = append([]byte{}, part[:min(len(part), longestBegin)]...)
		}
		size += int64(len(part))
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		return first, size, err == nil, err
	}
}

// Damaged names the lines that were found to be damaged up to now.
func (k *Kept) Damaged() []string {
	names := make([]string, len(k.damaged))
	for i, line := range k.damaged {
		names[i] = fmt.Sprintf("%s:%d", File, line)
	}
	return names
}

// Of is the newest result of an episode; nil: there is none. A damaged line is none.
func (k *Kept) Of(update, index int) (*Result, error) {
	list := k.lines[place{update, index}]
	for i := len(list) - 1; i >= 0; i-- {
		line := make([]byte, list[i].size)
		if _, err := k.file.ReadAt(line, list[i].from); err != nil {
			return nil, fmt.Errorf("read results about tokens: %w", err)
		}
		r := &Result{}
		if json.Unmarshal(line, r) == nil && r.Update == update && r.Index == index && r.Answers != nil {
			return r, nil
		}
		if !slices.Contains(k.damaged, list[i].line) {
			k.damaged = append(k.damaged, list[i].line)
		}
	}
	return nil, nil
}

// Close gives the file back.
func (k *Kept) Close() error {
	if k.file == nil {
		return nil
	}
	return k.file.Close()
}

// Of is what was computed of an answer; nil: nothing was, or of another answer that stood in its place. r may be nil.
func (r *Result) Of(c *rollout.Completion, at Place) *Answer {
	if r == nil {
		return nil
	}
	for i := range r.Answers {
		if a := &r.Answers[i]; a.Place == at && a.Drawn == drawn(c) {
			return a
		}
	}
	return nil
}
