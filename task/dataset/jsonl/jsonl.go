// Package jsonl reads data sets that hold one JSON object a line, plain or compressed with gzip or zstd.
//
//	err := jsonl.Each("train.jsonl.gz", file, func(line int, data []byte) error { … })
//
// Compression is recognised by its first bytes, not by the file's name. Every error names the file and the line.
package jsonl

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// MaxLine is the longest line that is read, in bytes; a longer one is an error instead of a memory problem.
const MaxLine = 16 << 20

// MaxWindow is the largest window that a zstd frame may ask for, in bytes.
const MaxWindow = 128 << 20

// Each calls record with every line that is not blank; lines count from 1. name is for error messages. An error of record
// ends the reading.
func Each(name string, r io.Reader, record func(line int, data []byte) error) error {
	plain, err := decompressed(r)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	lines := bufio.NewScanner(plain)
	lines.Buffer(nil, MaxLine)
	line := 0
	for lines.Scan() {
		line++
		data := bytes.TrimSpace(lines.Bytes())
		if len(data) == 0 {
			continue
		}
		if err := record(line, data); err != nil {
			return fmt.Errorf("%s:%d: %w", name, line, err)
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("%s:%d: line is longer than %d bytes", name, line+1, MaxLine)
	} else if err != nil {
		return fmt.Errorf("read %s after line %d: %w", name, line, err)
	}
	return nil
}

// Problems returns what problem makes of every line that is not blank, as [Each] goes through them. That there is none is an error.
func Problems[T any](name string, r io.Reader, problem func(line int, data []byte) (T, error)) ([]T, error) {
	var all []T
	err := Each(name, r, func(line int, data []byte) error {
		p, err := problem(line, data)
		all = append(all, p)
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case len(all) == 0:
		return nil, fmt.Errorf("%s holds no problems", name)
	}
	return all, nil
}
