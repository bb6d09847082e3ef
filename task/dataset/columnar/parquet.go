// Package columnar reads data sets in Apache Parquet, the form in which the Hugging Face Hub keeps most of them, and in Apache Arrow, in which
// its library saves them to disk.
//
//	err := columnar.Parquet("train.parquet", file, size, func(row int, data []byte) error { … })
//	err := columnar.Arrow("data-00000-of-00001.arrow", file, size, memory, func(row int, data []byte) error { … })
//
// A row becomes a JSON object with the file's columns, nested as they are (assemble.go, arrow_value.go), so that a reader of JSON lines reads
// both too. Values say what the file says they are: unsigned integers, decimals, halves, dates (values.go). The maps of the parquet library lose
// that. Nothing but package dataset depends on it. Arrow is read by the files arrow*.go, which need no library.
package columnar

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// ParquetMagic begins and ends a parquet file.
const ParquetMagic = "PAR1"

// Parquet calls record with every row as a JSON object; rows count from 1. name is for error messages, size is that of the file in
// bytes. An error of record ends the reading. A damaged file is an error, never a panic.
func Parquet(name string, r io.ReaderAt, size int64, record func(row int, data []byte) error) (err error) {
	var rows *reader
	row := 0
	if err := guard(func() (err error) { rows, err = open(r, size); return err }); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	defer func() { err = errors.Join(err, guard(func() error { return rows.close() })) }()
	for {
		var data []byte
		err := guard(func() (err error) { data, err = rows.next(); return err })
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read %s after row %d: %w", name, row, err)
		}
		row++
		if err := record(row, data); err != nil {
			return fmt.Errorf("%s: row %d: %w", name, row, err)
		}
	}
}

// A reader goes through the rows of a file.
type reader struct {
	root    node
	groups  []parquet.RowGroup // that are left
	rows    parquet.Rows       // of the group before these; nil: there is none
	buffer  [1]parquet.Row
	columns [][]parquet.Value // of a row
}

func open(r io.ReaderAt, size int64) (*reader, error) {
	if err := checkFooter(r, size); err != nil {
		return nil, err
	}
	f, err := parquet.OpenFile(r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, err
	}
	if err := checkCodecs(f.Metadata()); err != nil {
		return nil, err
	}
	root, err := tree(f.Metadata())
	if err != nil || root.columns == 0 { // without columns there is nothing to read, whatever number of rows the file claims
		return &reader{}, err
	}
	return &reader{root: root, groups: f.RowGroups(), columns: make([][]parquet.Value, root.columns)}, nil
}

// checkCodecs refuses columns in LZ4: the library takes files that pyarrow wrote so for damaged.
func checkCodecs(m *format.FileMetaData) error {
	for _, group := range m.RowGroups {
		for _, column := range group.Columns {
			if codec := column.MetaData.Codec; codec == format.Lz4Raw {
				return errors.New("it is compressed with lz4, which is not read: write it with snappy, zstd, gzip or brotli")
			}
		}
	}
	return nil
}

// checkFooter compares the length that a file gives its footer with the file's own: the library would make room for it unseen.
func checkFooter(r io.ReaderAt, size int64) error {
	tail := make([]byte, 4+len(ParquetMagic)) // the footer's length, the magic
	if size < int64(len(ParquetMagic)+len(tail)) {
		return errors.New("the file is too short to be parquet")
	}
	if _, err := r.ReadAt(tail, size-int64(len(tail))); err != nil && err != io.EOF {
		return err
	}
	if string(tail[4:]) != ParquetMagic {
		return errors.New("the file does not end as parquet does: it is cut short, or something else")
	}
	if footer := int64(binary.LittleEndian.Uint32(tail)); footer > size-int64(len(ParquetMagic)+len(tail)) {
		return fmt.Errorf("the file is damaged: it has %d bytes and claims a footer of %d", size, footer)
	}
	return nil
}

// next returns the next row; [io.EOF] ends them.
func (r *reader) next() ([]byte, error) {
	for {
		if r.rows == nil {
			if len(r.groups) == 0 {
				return nil, io.EOF
			}
			group := r.groups[0]
			r.groups = r.groups[1:]
			if group.NumRows() == 0 { // the library cannot begin to read such a group
				continue
			}
			r.rows = group.Rows()
		}
		n, err := r.rows.ReadRows(r.buffer[:])
		if n == 1 {
			return r.row(r.buffer[0])
		}
		if err == nil {
			err = io.ErrNoProgress
		}
		if err != io.EOF {
			return nil, err
		}
		if err := r.close(); err != nil {
			return nil, err
		}
	}
}

// row is a row as a JSON object.
func (r *reader) row(row parquet.Row) ([]byte, error) {
	clear(r.columns)
	row.Range(func(column int, values []parquet.Value) bool {
		r.columns[column] = values
		return true
	})
	value, err := r.root.value(r.columns)
	if err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

// close ends the rows that are being read.
func (r *reader) close() error {
	if r == nil || r.rows == nil {
		return nil
	}
	rows := r.rows
	r.rows = nil
	return rows.Close()
}

// guard turns a panic of the library over a damaged file into an error.
func guard(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the file is damaged: %v", p)
		}
	}()
	return do()
}
