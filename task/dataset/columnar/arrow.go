package columnar

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"

	"parley/internal/sysmem"
)

// What an Arrow file begins with: one for random access, and a stream, as save_to_disk writes it.
const (
	arrowFile   = "ARROW1\x00\x00"
	arrowStream = "\xff\xff\xff\xff"
)

// IsArrow says whether a file is in Arrow, by its first bytes.
func IsArrow(head []byte) bool {
	return strings.HasPrefix(string(head), arrowFile) || strings.HasPrefix(string(head), arrowStream)
}

// mostRow is how long the row of an Arrow file may be, in bytes: a dictionary could make it longer than any memory.
const mostRow = 256 << 20

// Arrow calls record with every row as a JSON object; rows count from 1. name is for error messages, size is that of the file in bytes, and
// memory how many bytes may be held at once. An error of record ends the reading.
func Arrow(name string, r io.ReaderAt, size, memory int64, record func(row int, data []byte) error) error {
	s := &stream{in: r, size: size, memory: memory, dictionaries: map[int64]*array{}}
	row := 0
	for {
		a, err := s.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read %s after row %d: %w", name, row, err)
		}
		for i := range a.length {
			row++
			data, err := rowOf(a, i, min(memory, mostRow))
			if err != nil {
				return fmt.Errorf("read %s: row %d: %w", name, row, err)
			}
			if err := record(row, data); err != nil {
				return fmt.Errorf("%s: row %d: %w", name, row, err)
			}
		}
	}
}

// rowOf is a row of a batch.
func rowOf(a *array, i, most int64) ([]byte, error) {
	v := values{left: most}
	value, err := v.of(a, i, 0)
	if err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

// A stream is a file of Arrow: messages, each of them metadata, and bytes that the metadata describe. The form for random access has the same
// messages, and a table of contents behind them.
type stream struct {
	in           io.ReaderAt
	size, at     int64
	memory       int64   // that dictionaries and a batch may take
	held         int64   // by dictionaries
	unpacked     int64   // bytes of the last batch
	batches      int     // so far
	columns      *column // an object of all; nil: the schema was not read yet
	values       map[int64]*column
	dictionaries map[int64]*array
	unpacker     *zstd.Decoder
}

// The kinds of messages.
const (
	schemaMessage = iota + 1
	dictionaryMessage
	batchMessage
)

// next returns the next batch of rows, as an array of objects; [io.EOF] ends them.
func (s *stream) next() (*array, error) {
	for {
		head, kind, body, err := s.message()
		if err != nil {
			return nil, err
		}
		switch {
		case kind == schemaMessage && s.columns == nil:
			if err := s.schema(head); err != nil {
				return nil, err
			}
		case kind == schemaMessage || s.columns == nil:
			return nil, errors.New("the file is damaged: it does not begin with its schema, or has two")
		case len(s.columns.children) == 0: // there is nothing to read, whatever number of rows the file claims
			return nil, io.EOF
		case kind == dictionaryMessage:
			if err := s.dictionary(head, body); err != nil {
				return nil, err
			}
		case kind == batchMessage:
			s.batches++
			a, err := s.batch(head, s.columns.children, body)
			if err != nil {
				return nil, fmt.Errorf("batch %d: %w", s.batches, err)
			}
			return a, nil
		default:
			return nil, fmt.Errorf("the file is damaged: it has a message of kind %d", kind)
		}
	}
}

// message reads the next message: what stands in its head, of which kind that is, and the bytes that it describes.
func (s *stream) message() (head table, kind int64, body []byte, err error) {
	if s.at == 0 {
		var magic [len(arrowFile)]byte
		if _, err := s.in.ReadAt(magic[:], 0); err == nil && string(magic[:]) == arrowFile {
			s.at = int64(len(arrowFile))
		}
	}
	begin := s.at
	prefix, err := s.read(8)
	switch {
	case err != nil:
		return table{}, 0, nil, err
	case string(prefix[:4]) != arrowStream:
		return table{}, 0, nil, fmt.Errorf("the file is damaged: no message begins at byte %d", begin)
	}
	length := int64(int32(binary.LittleEndian.Uint32(prefix[4:])))
	if length == 0 && s.columns == nil {
		return table{}, 0, nil, errors.New("the file is damaged: it has no schema")
	}
	if length == 0 {
		return table{}, 0, nil, io.EOF
	}
	data, err := s.read(length)
	if err != nil {
		return table{}, 0, nil, err
	}
	m := &flat{data: data}
	root := m.table(0)
	kind, head = root.integer(1, 1, 0), root.table(2)
	bytes := root.integer(3, 8, 0)
	if m.bad {
		return table{}, 0, nil, fmt.Errorf("the file is damaged: the message at byte %d is none", begin)
	}
	body, err = s.read(bytes)
	return head, kind, body, err
}

// read reads so many bytes.
func (s *stream) read(n int64) ([]byte, error) {
	switch {
	case n < 0:
		return nil, fmt.Errorf("the file is damaged: there are %d bytes at byte %d", n, s.at)
	case n > s.size-s.at:
		return nil, fmt.Errorf("the file is cut short: it has %d bytes, and %d more are needed", s.size, n-(s.size-s.at))
	case n > s.memory-s.held:
		return nil, s.tooLarge(n + s.held)
	}
	data := make([]byte, n)
	if got, err := s.in.ReadAt(data, s.at); int64(got) < n {
		return nil, err
	}
	s.at += n
	return data, nil
}

// tooLarge is the error about a batch that takes too many bytes.
func (s *stream) tooLarge(n int64) error {
	return fmt.Errorf("a batch of rows takes %s, more than half of the memory that is left, %s: save the data set as parquet, or in smaller batches", sysmem.Amount(float64(n)), sysmem.Amount(float64(s.memory)))
}
