package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"parley/internal/plainfile"
)

// A Line is what one question was answered.
type Line struct {
	Question string          `json:"question"`        // its hash
	Edit     json.RawMessage `json:"edit,omitempty"`  // what an expert suggested
	Reply    json.RawMessage `json:"reply,omitempty"` // what a server replied
	Error    string          `json:"error,omitempty"` // why there is no reply
	Prompt   int             `json:"prompt,omitempty"`
	Drawn    int             `json:"drawn,omitempty"` // tokens that the server read and drew, over all tries
}

// A Recording keeps what servers were asked and answered, so that a run can be repeated without them: a file of JSON lines by the hash of the
// question. What is recorded is never asked again. Several runs may add to one file. A line that a process left half written, because it was
// killed, is dropped when the next one is added. Its methods are safe for concurrent use.
type Recording struct {
	file string

	mu    sync.Mutex
	known map[string]Line
	size  int64 // of the file, when it was read
	torn  int64 // bytes at its end that a process left which was killed while writing
	open  bool  // its last line is whole, but for the line break
}

// longestLine is the most bytes of a line that are read.
const longestLine = 8 << 20

// OpenRecording reads a file, if it is there.
func OpenRecording(file string) (*Recording, error) {
	r := &Recording{file: file, known: map[string]Line{}}
	data, err := readPlain(file)
	if errors.Is(err, os.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the recording: %w", err)
	}
	r.size = int64(len(data))
	n := 0
	for text := range bytes.Lines(data) {
		n++
		ended := bytes.HasSuffix(text, []byte("\n"))
		var l Line
		err := json.Unmarshal(text, &l)
		if err != nil && !ended {
			r.torn = int64(len(text))
			break
		}
		if len(text) > longestLine {
			err = fmt.Errorf("it has more than %d bytes", longestLine)
		}
		if err == nil && min(l.Prompt, l.Drawn) < 0 {
			err = errors.New("it counts less than no tokens")
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w; remove the line, and its question is asked again", file, n, err)
		}
		r.known[l.Question], r.open = l, !ended
	}
	return r, nil
}

// File is where the lines are.
func (r *Recording) File() string { return r.file }

// Known is what a question was answered last.
func (r *Recording) Known(question string) (Line, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l, known := r.known[question]
	return l, known
}

// readPlain reads a plain file.
func readPlain(file string) ([]byte, error) {
	f, err := plainfile.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// Add appends a line.
func (r *Recording) Add(l Line) error {
	data, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("write the recording: %w", err)
	}
	if len(data) >= longestLine {
		return fmt.Errorf("write the recording: an answer of %d bytes, expected less than %d", len(data), longestLine)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	f, err := os.OpenFile(r.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("write the recording: %w", err)
	}
	end, err := r.mend(f)
	if err == nil {
		_, err = f.Write(append([]byte(end), append(data, '\n')...))
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write the recording: %w", err)
	}
	r.known[l.Question], r.torn, r.open = l, 0, false
	return nil
}

// mend drops the beginning of a line that stood at the end of the file when it was read, and still does. It returns what ends a whole line that
// has no line break.
func (r *Recording) mend(f *os.File) (end string, err error) {
	info, err := f.Stat()
	if err != nil || info.Size() != r.size {
		return "", err
	}
	if r.open {
		end = "\n"
	}
	if r.torn > 0 {
		err = f.Truncate(r.size - r.torn)
	}
	return end, err
}
