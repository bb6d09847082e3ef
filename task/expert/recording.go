package expert

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"parley/internal/plainfile"
)

// A recording is a file of what was answered before.
type recording struct {
	file  string
	known map[string]Edit // by the hash of the question
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
	f, err := plainfile.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the expert's recording: %w", err)
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, longestLine)
	for n := 1; s.Scan(); n++ {
		var l line
		if err := json.Unmarshal(s.Bytes(), &l); err != nil {
			return nil, fmt.Errorf("%s:%d: %w; remove the line, and its question is asked again", file, n, err)
		}
		r.known[l.Question] = l.Edit
	}
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("read the expert's recording %s: %w", file, err)
	}
	return r, nil
}

// add appends an answer.
func (r *recording) add(question string, e Edit) error {
	data, err := json.Marshal(line{question, e})
	if err != nil {
		return err
	}
	f, err := os.OpenFile(r.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("write the expert's recording: %w", err)
	}
	_, err = f.Write(append(data, '\n'))
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write the expert's recording: %w", err)
	}
	r.known[question] = e
	return nil
}
