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

// A traceFile is trace.json: where the time of every update went, as an array of events in Chrome's trace format, which
// trace viewers open. There is one event a line. The array is closed after every update, and opened again for the next one, so
// the file is JSON at any time; what a killed process leaves is cut back to the events that are whole.
type traceFile struct {
	run  *Run
	file file
	size int64 // bytes up to the last event; 0: there is none
}

const traceName = "trace.json"

// A traceEvent is what this package has to know about an event.
type traceEvent struct {
	Args struct {
		Update int `json:"update"`
	} `json:"args"`
}

// AppendTrace adds the events of an update to trace.json. Each must have the update in its field "args.update", and updates do
// not decrease.
func (r *Run) AppendTrace(update int, events any) error {
	data, err := json.Marshal(events)
	if err != nil {
		return fmt.Errorf("trace of update %d: %w", update, err)
	}
	var list []json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil {
		return fmt.Errorf("trace of update %d: %w", update, err)
	}
	return r.trace.append(list)
}

func (t *traceFile) path() string { return filepath.Join(t.run.dir, traceName) }

func (t *traceFile) append(events []json.RawMessage) error {
	if len(events) == 0 {
		return nil
	}
	if err := t.open(); err != nil {
		return err
	}
	var out bytes.Buffer
	for i, e := range events {
		if t.size == 0 && i == 0 {
			out.WriteString("[\n")
		} else {
			out.WriteString(",\n")
		}
		out.Write(e)
	}
	size := t.size + int64(out.Len())
	out.WriteString("\n]\n")
	err := t.file.Truncate(t.size)
	if err == nil {
		_, err = t.file.Write(out.Bytes())
	}
	if err != nil {
		return t.run.writeError(traceName, errors.Join(err, t.file.Truncate(t.size)))
	}
	t.size = size
	return nil
}

func (t *traceFile) open() error {
	if t.file != nil {
		return nil
	}
	if err := t.cut(1<<62 - 1); err != nil {
		return err
	}
	f, err := t.run.disk.append(t.path())
	if err != nil {
		return t.run.writeError(traceName, err)
	}
	t.file = f
	return nil
}

// cut drops the events after update most, and from the first one on that is not whole.
func (t *traceFile) cut(most int) error {
	if err := t.close(); err != nil {
		return err
	}
	data, err := os.ReadFile(t.path())
	if errors.Is(err, fs.ErrNotExist) {
		t.size = 0
		return nil
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", t.path(), err)
	}
	t.size = wholeEvents(data, most)
	return t.run.writeError(traceName, t.terminate())
}

// terminate ends the file after t.size with a closed array.
func (t *traceFile) terminate() error {
	if t.size == 0 {
		return os.Remove(t.path())
	}
	if err := os.Truncate(t.path(), t.size); err != nil {
		return err
	}
	f, err := t.run.disk.append(t.path())
	if err != nil {
		return err
	}
	_, err = f.Write([]byte("\n]\n"))
	return errors.Join(err, f.Close())
}

// wholeEvents returns the length of the longest start of a trace that ends with a whole event of an update up to most.
func wholeEvents(data []byte, most int) (size int64) {
	at := int64(0)
	for line := range bytes.Lines(data) {
		from := at
		at += int64(len(line))
		if from == 0 && string(line) == "[\n" {
			continue
		}
		text := bytes.TrimRight(line, ",\n")
		var e traceEvent
		if len(text) == 0 || text[0] != '{' || json.Unmarshal(text, &e) != nil || e.Args.Update > most {
			return size
		}
		size = from + int64(len(text))
	}
	return size
}

func (t *traceFile) close() error {
	if t.file == nil {
		return nil
	}
	err := errors.Join(t.file.Sync(), t.file.Close())
	t.file = nil
	return t.run.writeError(traceName, err)
}
