package dataset

// These two files read data sets in JSON: one object a line, or an array of objects, plain or packed with gzip or zstd.
//
//	err := EachLine("train.jsonl.gz", file, func(line int, data []byte) error { … })
//
// The text of a file decides its form, not its name: a file that begins with [ is an array (array.go). Every error names the file and
// the line. Text that is not UTF-8, and escapes that are half of a surrogate pair, are errors (package text).

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode"

	"parley/internal/plainfile"
	"parley/internal/usererror"
)

// MaxLine is the longest line, or element of an array, that is read, in bytes; a longer one is an error instead of a memory problem.
const MaxLine = 16 << 20

// EachLine calls record with every line that is not blank, or with every element of an array; lines count from 1, and an element is where it
// begins. name is for error messages. An error of record ends the reading.
func EachLine(name string, r io.Reader, record func(line int, data []byte) error) error {
	return EachLineAt(name, r, func(line int, _ int64, data []byte) error { return record(line, data) })
}

// EachLineAt is [Each] with the offset of every line in the text, which begins behind a byte order mark; of an element of an array it is -1.
func EachLineAt(name string, r io.Reader, record func(line int, offset int64, data []byte) error) error {
	plain, err := plainfile.OpenText(r)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	checked := func(line int, offset int64, data []byte) error {
		err := plainfile.CheckJSON(data)
		if err == nil {
			err = record(line, offset, data)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", at(name, line), err)
		}
		return nil
	}
	line, offset, err := skipBlank(plain)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	if first, err := plain.Peek(1); err == nil && first[0] == '[' {
		return array(name, plain, line, func(line int, data []byte) error { return checked(line, -1, data) })
	}
	return lines(name, plain, line, offset, checked)
}

// IsArray says whether a file holds an array, not lines.
func IsArray(r io.Reader) (bool, error) {
	plain, err := plainfile.OpenText(r)
	if err != nil {
		return false, err
	}
	if _, _, err := skipBlank(plain); err != nil {
		return false, err
	}
	first, err := plain.Peek(1)
	if err == io.EOF {
		return false, nil
	}
	return err == nil && first[0] == '[', err
}

// skipBlank reads the white space that a file begins with, and returns the number and the offset of what follows.
func skipBlank(r *bufio.Reader) (line int, offset int64, err error) {
	line = 1
	for {
		c, err := r.ReadByte()
		switch {
		case err == io.EOF:
			return line, offset, nil
		case err != nil:
			return line, offset, err
		case c == '\n':
			line++
		case c != ' ' && c != '\t' && c != '\r':
			return line, offset, r.UnreadByte()
		}
		offset++
	}
}

// lines reads one object a line; line and offset are those of the first.
func lines(name string, r io.Reader, line int, offset int64, record func(line int, offset int64, data []byte) error) error {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, MaxLine)
	begins := offset // of the line
	scanner.Split(func(data []byte, atEOF bool) (advance int, token []byte, err error) {
		advance, token, err = bufio.ScanLines(data, atEOF)
		begins, offset = offset, offset+int64(advance)
		return advance, token, err
	})
	line--
	for scanner.Scan() {
		line++
		at := begins + int64(len(scanner.Bytes())-len(bytes.TrimLeftFunc(scanner.Bytes(), unicode.IsSpace)))
		data := bytes.TrimSpace(scanner.Bytes())
		if len(data) == 0 {
			continue
		}
		if string(data) == "{" {
			return fmt.Errorf("%s:%d: the object goes on in other lines: write one object a line, or an array of objects in [ ]", name, line)
		}
		if err := record(line, at, data); err != nil {
			return err
		}
	}
	if err := scanner.Err(); errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("%s:%d: line is longer than %d bytes", name, line+1, MaxLine)
	} else if err != nil {
		return fmt.Errorf("read %s after line %d: %w", name, line, err)
	}
	return nil
}

// Problems returns what problem makes of every line that is not blank, as [Each] goes through them. A file without such a line is
// an error.
func Problems[T any](name string, r io.Reader, problem func(line int, data []byte) (T, error)) ([]T, error) {
	var all []T
	err := EachLine(name, r, func(line int, data []byte) error {
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

// at names a line of a file; of rows that Python's package has written for its data= the row.
func at(name string, line int) string {
	dir, split := filepath.Base(filepath.Dir(name)), ""
	if !usererror.InPython() || !strings.Contains(filepath.ToSlash(name), "/.inputs/") {
		return fmt.Sprintf("%s:%d", name, line)
	}
	if dir != ".inputs" { // a mapping of splits is a folder
		split = " of " + strings.TrimSuffix(filepath.Base(name), ".jsonl")
	}
	return fmt.Sprintf("data: row %d%s", line-1, split)
}
