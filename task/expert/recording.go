package expert

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"parley/internal/plainfile"
)

// A recording is a file of what was answered before.
type recording struct {
	file  string
	known map[string]Edit // by the hash of the question
	size  int64           // of the file, when it was read
	torn  int64           // bytes at its end that a process left which was killed while writing
	open  bool            // its last line is whole, but for the line break
}

// A line of a recording.
type line struct {
	Question string `json:"question"` // its hash
	Edit     Edit   `json:"edit"`
}

// longestLine is the most bytes of a line that are read.
const longestLine = 1 << 20

func openRecording(file string) (*recording, error) {
	r := &recording{file: file, known: map[string]Edit{}}
	data, err := readPlain(file)
	if errors.Is(err, os.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the expert's recording: %w", err)
	}
	r.size = int64(len(data))
	n := 0
	for text := range bytes.Lines(data) {
		n++
		ended := bytes.HasSuffix(text, []byte("\n"))
		var l line
		err := json.Unmarshal(text, &l)
		if err != nil && !ended {
			r.torn = int64(len(text))
			break
		}
		if len(text) > longestLine {
			err = fmt.Errorf("it has more than %d bytes", longestLine)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w; remove the line, and its question is asked again", file, n, err)
		}
		r.known[l.Question], r.open = l.Edit, !ended
	}
	return r, nil
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

// add appends an answer. Several runs may add to one file.
func (r *recording) add(question string, e Edit) error {
	data, err := json.Marshal(line{question, e})
	if err != nil {
		return err
	}
	f, err := os.OpenFile(r.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("write the expert's recording: %w", err)
	}
	end, err := r.mend(f)
	if err == nil {
		_, err = f.Write(append([]byte(end), append(data, '\n')...))
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write the expert's recording: %w", err)
	}
	r.known[question], r.torn, r.open = e, 0, false
	return nil
}

// mend drops the beginning of a line that stood at the end of the file when it was read, and still does. It returns what ends a whole line that
// has no line break.
func (r *recording) mend(f *os.File) (end string, err error) {
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
