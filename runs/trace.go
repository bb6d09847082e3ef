package runs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// A traceFile is trace.json: where the time of every update went, as an array of events in Chrome's trace format, which
// trace viewers open. There is one event a line. The array is closed after every update, and opened again for the next one, so
// the file is JSON at any time; what a killed process leaves is cut back to the events that are whole.
// Its size ends with the last event: 0 where there is none.
type traceFile struct{ appendFile }

// closing ends the array.
const closing = "\n]\n"

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

func (t *traceFile) append(events []json.RawMessage) error {
	if len(events) == 0 {
		return nil
	}
	if err := t.open(t.cut); err != nil {
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
	out.WriteString(closing)
	err := t.file.Truncate(t.size)
	if err == nil {
		_, err = t.file.Write(out.Bytes())
	}
	if err != nil {
		return t.run.writeError(t.name, errors.Join(err, t.takeBack()))
	}
	t.size = size
	return nil
}

// takeBack drops what was written after the last whole event and closes the array again, for which there was room before.
func (t *traceFile) takeBack() error {
	err := t.file.Truncate(t.size)
	if err == nil && t.size > 0 {
		_, err = io.WriteString(t.file, closing)
	}
	return err
}

// cut drops the events after update most, and from the first one on that is not whole.
func (t *traceFile) cut(most int) error {
	data, err := t.content()
	if err != nil {
		return err
	}
	t.size = wholeEvents(data, most)
	if data == nil || t.size > 0 && string(data[t.size:]) == closing {
		return nil
	}
	return t.run.writeError(t.name, t.terminate())
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
	_, err = io.WriteString(f, closing)
	return errors.Join(err, f.Close())
}

// wholeEvents returns the length of the longest start of a trace that ends with a whole event of an update up to most.
func wholeEvents(data []byte, most int) (size int64) {
	rest, ok := bytes.CutPrefix(data, []byte("[\n"))
	for ok {
		line, _, _ := bytes.Cut(rest, []byte("\n"))
		var event []byte
		event, ok = bytes.CutSuffix(line, []byte(","))
		var e traceEvent
		if len(event) == 0 || event[0] != '{' || json.Unmarshal(event, &e) != nil || e.Args.Update > most {
			return size
		}
		size = int64(len(data) - len(rest) + len(event))
		rest = rest[min(len(line)+1, len(rest)):]
	}
	return size
}
