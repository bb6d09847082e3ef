package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// A TraceFile is trace.json: where the time of every update went, as an array of events in Chrome's trace format, which
// trace viewers open. There is one event a line. The array is closed after every update, and opened again for the next one, so
// the file is JSON at any time; what a killed process leaves is cut back to the events that are whole.
// Its size ends with the last event: 0 where there is none.
type TraceFile struct{ AppendFile }

// closing ends the array.
const closing = "\n]\n"

// A traceEvent is what this package has to know about an event.
type traceEvent struct {
	Args struct {
		Update int `json:"update"`
	} `json:"args"`
}

// Append adds events.
func (t *TraceFile) Append(events []json.RawMessage) error {
	if len(events) == 0 {
		return nil
	}
	if err := t.Open(t.Cut); err != nil {
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
		return t.run.Failed(t.name, errors.Join(err, t.takeBack()))
	}
	t.size = size
	return nil
}

// takeBack drops what was written after the last whole event and closes the array again, for which there was room before.
func (t *TraceFile) takeBack() error {
	err := t.file.Truncate(t.size)
	if err == nil && t.size > 0 {
		_, err = io.WriteString(t.file, closing)
	}
	return err
}

// Cut drops the events after update most, and from the first one on that is not whole.
func (t *TraceFile) Cut(most int) error {
	data, err := t.Content()
	if err != nil {
		return err
	}
	t.size = wholeEvents(data, most)
	if data == nil || t.size > 0 && string(data[t.size:]) == closing {
		return nil
	}
	return t.run.Failed(t.name, t.terminate())
}

// terminate ends the file after t.size with a closed array.
func (t *TraceFile) terminate() error {
	if t.size == 0 {
		return t.run.Folder.Remove(t.name)
	}
	if err := t.run.Folder.Truncate(t.name, t.size); err != nil {
		return err
	}
	f, err := t.run.Disk.Append(t.name)
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

// traceEvents are all whole events of updates up to most, whatever lies between, each once and in order.
func traceEvents(data []byte, most int) (events [][]byte) {
	seen := map[string]bool{}
	last := 0
	for l := range bytes.Lines(data) {
		event := bytes.TrimSuffix(bytes.TrimSuffix(l, []byte("\n")), []byte(","))
		var e traceEvent
		if len(event) == 0 || event[0] != '{' || json.Unmarshal(event, &e) != nil || e.Args.Update > most || e.Args.Update < last || seen[string(event)] {
			continue
		}
		seen[string(event)], last = true, e.Args.Update
		events = append(events, event)
	}
	return events
}

// Salvage keeps the whole events behind a damaged one, and says that there was one.
func (t *TraceFile) Salvage(most int) (note string, err error) {
	data, err := t.Content()
	if err != nil {
		return "", err
	}
	events := traceEvents(data, most)
	size := wholeEvents(data, most)
	if len(events) == 0 && len(traceEvents(data, everything)) == 0 && len(data) > 0 {
		return t.run.ReplaceDamaged(t.name, nil)
	}
	if len(events) == 0 || bytes.HasPrefix(data, []byte("[\n")) && len(bytes.Join(events, []byte(",\n")))+2 == int(size) {
		return "", nil
	}
	return t.run.ReplaceDamaged(t.name, append(append([]byte("[\n"), bytes.Join(events, []byte(",\n"))...), closing...))
}

// Updates are the updates of which trace.json has events.
func (t *TraceFile) Updates() (map[int]bool, error) {
	data, err := t.Content()
	if err != nil {
		return nil, err
	}
	traced := map[int]bool{}
	for _, event := range traceEvents(data, everything) {
		var e traceEvent
		if err := json.Unmarshal(event, &e); err == nil {
			traced[e.Args.Update] = true
		}
	}
	return traced, nil
}
