package store

// This file knows what a run has written down about its updates, and whether all of it is still there. It works on the bytes of the files;
// reading and writing them is for others.
//
//	whole.go  files of one JSON object a line
//	sums.go   the checksums of updates, and their chain
//	audit.go  what a checkpoint counts on, compared with what is there

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"strings"
)

// UpdateOf reads the field "update" of a JSON object; ok is false when data is no complete object or has no such field.
func UpdateOf(data []byte) (update int, ok bool) {
	var head struct {
		Update *int `json:"update"`
	}
	if json.Unmarshal(data, &head) != nil || head.Update == nil {
		return 0, false
	}
	return *head.Update, true
}

// Ordered are the whole lines at the start of data, without their line breaks, as long as read says an update of each and updates increase, the first
// of them from behind another one on.
func Ordered(data []byte, after int, read func(line []byte) (update int, ok bool)) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		for rest := data; ; {
			end := bytes.IndexByte(rest, '\n')
			if end < 0 {
				return
			}
			update, ok := read(rest[:end])
			if !ok || update <= after || !yield(update, rest[:end]) {
				return
			}
			after, rest = update, rest[end+1:]
		}
	}
}

// Whole returns the length of the longest start of data that consists of whole lines of updates up to most in increasing order, and the
// update of its last line.
func Whole(data []byte, most int) (last int, size int64) {
	for update, line := range Ordered(data, math.MinInt, UpdateOf) {
		if update > most {
			break
		}
		last, size = update, size+int64(len(line))+1
	}
	return last, size
}

// salvage returns every whole line of an update up to most that comes after that of the line before, whatever lies between. It is what is left
// of a file of which no line is needed.
func salvage(data []byte, most int) (whole []byte) {
	last := 0
	for l := range bytes.Lines(data) {
		update, ok := UpdateOf(bytes.TrimSuffix(l, []byte("\n")))
		if ok && bytes.HasSuffix(l, []byte("\n")) && update > last && update <= most {
			whole, last = append(whole, l...), update
		}
	}
	return whole
}

// lines are the whole lines of a file in their order, line breaks included.
func lines(data []byte) (list [][]byte) {
	for l := range bytes.Lines(data) {
		if bytes.HasSuffix(l, []byte("\n")) {
			list = append(list, l)
		}
	}
	return list
}

// Updates are those of which a file has a line.
func Updates(data []byte) map[int]bool {
	there := map[int]bool{}
	for _, l := range lines(data) {
		if n, ok := UpdateOf(l); ok {
			there[n] = true
		}
	}
	return there
}

// Absent lists the updates up to one that are not there, as ranges.
func Absent(there map[int]bool, most int) string {
	var parts []string
	for n := 1; n <= most; n++ {
		if there[n] {
			continue
		}
		first := n
		for n < most && !there[n+1] {
			n++
		}
		if first == n {
			parts = append(parts, fmt.Sprint(n))
		} else {
			parts = append(parts, fmt.Sprintf("%d to %d", first, n))
		}
	}
	return strings.Join(parts, ", ")
}

// EachWhole calls each with every whole line of data, without its line break. It returns the update of the last one, and whether unreadable lines
// follow it. A last line without its end does not count: it is still being written.
func EachWhole(data []byte, each func(line []byte) error) (last int, cut bool, err error) {
	size := 0
	for update, line := range Ordered(data, math.MinInt, UpdateOf) {
		last, size = update, size+len(line)+1
		if err := each(line); err != nil {
			return last, false, err
		}
	}
	return last, bytes.IndexByte(data[size:], '\n') >= 0, nil
}
