package scalars

// This file writes what a run measures as event files, which TensorBoard and the tools around it read: one scalar for each number
// of metrics.jsonl and timing.jsonl, at the step of its update, and the scores of the report at the end.
//
//	tensorboard.go  a [TensorBoardFile] that follows a run, and [TensorBoard] of a run that exists
//	event.go        the protocol buffers of an event
//	record.go       the framing of a file, with its checksums
//
// A run that goes on after its checkpoint cuts the file back to that point. Its metrics are a function of recipe and seed, so the same
// numbers follow, and no step is there twice.

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"parley/runs"
)

// A TensorBoardFile is an event file that is written while a run is trained. It implements [runs.Follower]. Nothing that goes wrong with it stops the
// run: the first problem is said, and the file is then left as it is.
type TensorBoardFile struct {
	path  string
	made  time.Time // of the run
	now   func() time.Time
	note  func(string)
	file  *os.File
	ended bool // something went wrong
	done  int  // the last step
}

// FollowTensorBoard returns the file in dir of a run that was created at this time. note is told of the first problem.
func FollowTensorBoard(dir string, created time.Time, note func(string)) *TensorBoardFile {
	return &TensorBoardFile{path: filepath.Join(dir, fileName(created)), made: created, now: time.Now, note: note}
}

// fileName is that of the event file of a run: TensorBoard looks for the word in its middle.
func fileName(created time.Time) string {
	return fmt.Sprintf("events.out.tfevents.%010d.parley", created.Unix())
}

// Restored implements [runs.Follower]: it cuts off what belongs to later updates.
func (f *TensorBoardFile) Restored(update int) {
	f.try(func() error {
		data, err := os.ReadFile(f.path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		f.done = update
		return errors.Join(f.Close(), os.Truncate(f.path, whole(data, update)))
	})
}

// whole is the length of the records up to the last one of a step, without the results that stand at the end of a finished run.
func whole(data []byte, most int) int64 {
	rest := data
	for {
		event, after, ok := nextRecord(rest)
		step, numbers := stepOf(event)
		if !ok || numbers && (step > most || bytes.Contains(event, []byte(ResultsPrefix))) {
			return int64(len(data) - len(rest))
		}
		rest = after
	}
}

// Metrics implements [runs.Follower].
func (f *TensorBoardFile) Metrics(update int, line []byte) {
	f.done = update
	list, err := Of(line)
	f.write(update, list, err)
}

// Timing implements [runs.Follower].
func (f *TensorBoardFile) Timing(update int, line []byte) {
	_, list, err := OfTiming(line)
	f.write(update, list, err)
}

// Finished implements [runs.Follower].
func (f *TensorBoardFile) Finished(r runs.Report) { f.write(f.done, Results(r), nil) }

// Close implements [runs.Follower].
func (f *TensorBoardFile) Close() error {
	if f.file == nil {
		return nil
	}
	err := f.file.Close()
	f.file = nil
	return err
}

// write appends one event, or tells why there is none.
func (f *TensorBoardFile) write(step int, list []Scalar, err error) {
	f.try(func() error {
		if err != nil {
			return err
		}
		if err := f.open(); err != nil {
			return err
		}
		_, err := f.file.Write(appendRecord(nil, scalarEvent(seconds(f.now()), step, list)))
		return err
	})
}

// open makes the file ready to append to; a new one begins with its version.
func (f *TensorBoardFile) open() error {
	if f.file != nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(f.path), 0o755); err != nil {
		return err
	}
	file, err := os.OpenFile(f.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	f.file = file
	info, err := file.Stat()
	if err != nil || info.Size() > 0 {
		return err
	}
	_, err = file.Write(appendRecord(nil, versionEvent(seconds(f.made))))
	return err
}

// try does something unless something has gone wrong before.
func (f *TensorBoardFile) try(do func() error) {
	if f.ended {
		return
	}
	if err := do(); err != nil {
		f.ended = true
		f.note(fmt.Sprintf("TensorBoard: nothing more is written to %s: %v", f.path, err))
	}
}

func seconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }

// TensorBoard returns the name and the content of the event file of the run in dir.
func TensorBoard(dir string) (name string, content []byte, err error) {
	meta, err := runs.Read(dir)
	if err != nil {
		return "", nil, err
	}
	history, err := History(dir)
	if err != nil {
		return "", nil, err
	}
	at, step := meta.Created, 0
	out := appendRecord(nil, versionEvent(seconds(at)))
	for _, s := range history {
		at, step = s.At, s.Update
		out = appendRecord(out, scalarEvent(seconds(at), step, s.Scalars))
	}
	report, err := runs.ReadReport(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return fileName(meta.Created), out, nil
	}
	return fileName(meta.Created), appendRecord(out, scalarEvent(seconds(at), step, Results(report))), err
}
