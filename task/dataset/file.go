package dataset

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"parley/internal/plainfile"
	"parley/internal/sysmem"
	"parley/task/dataset/columnar"
)

// A File is one file of a set.
type File struct {
	Path   string
	Name   string   // inside its set, with slashes
	Split  string   // Train, Validation, Test; "": its name says none
	Subset []string // the other parts of its name and of its folders', in lower case

	most int64 // bytes that a packed file may unpack to and that a batch of Arrow may take; 0: [Room]
}

// A Place is where a record is in its file.
type Place struct {
	Row    int   // from 0
	Line   int   // of its beginning, or row of parquet or Arrow, from 1
	Offset int64 // of its first byte, where [File.Pick] can go there; else -1
	Length int   // in bytes, as JSON
}

// Each calls record with every record of the file, a JSON object; lines, or rows of parquet and Arrow, count from 1. Every error names the
// file, and one of record the line too; it ends the reading, as the end of ctx does.
func (f File) Each(ctx context.Context, record func(line int, data []byte) error) error {
	return f.EachAt(ctx, func(at Place, data []byte) error { return record(at.Line, data) })
}

// EachAt is [File.Each] with the place of every record.
func (f File) EachAt(ctx context.Context, record func(at Place, data []byte) error) error {
	plain, err := plainfile.Open(f.Path)
	if err != nil {
		return err
	}
	defer plain.Close()
	file := plainfile.While(ctx, plain)
	format, err := formatOf(f.Path, file)
	if err != nil {
		return err
	}
	row := 0
	at := func(line int, offset int64, data []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		row++
		return record(Place{row - 1, line, offset, len(data)}, data)
	}
	each := func(line int, data []byte) error { return at(line, -1, data) }
	switch format {
	case Parquet, Arrow:
		info, err := plain.Stat()
		if err != nil {
			return err
		}
		if format == Arrow {
			return columnar.Arrow(f.Path, file, info.Size(), f.room(), each)
		}
		return columnar.Parquet(f.Path, file, info.Size(), each)
	}
	begin, err := beginning(file)
	if err != nil {
		return err
	}
	text, err := f.text(file, begin < 0)
	switch {
	case err != nil:
		return err
	case format == CSV || format == TSV:
		return eachRow(f.Path, text, each)
	}
	return EachLineAt(f.Path, text, func(line int, offset int64, data []byte) error {
		if begin < 0 || offset < 0 {
			return each(line, data)
		}
		return at(line, begin+offset, data)
	})
}

// beginning is where the text of a file begins: behind a byte order mark; -1 where it is packed.
func beginning(file io.ReaderAt) (int64, error) {
	head := make([]byte, 4)
	n, err := file.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return 0, err
	}
	switch head := string(head[:n]); {
	case strings.HasPrefix(head, "\x1f\x8b"), strings.HasPrefix(head, "\x28\xb5\x2f\xfd"):
		return -1, nil
	case strings.HasPrefix(head, "\xef\xbb\xbf"):
		return 3, nil
	}
	return 0, nil
}

// Pick calls record with the records at places that have offsets, in their order.
func (f File) Pick(ctx context.Context, places []Place, record func(i int, data []byte) error) error {
	file, err := plainfile.Open(f.Path)
	if err != nil {
		return err
	}
	defer file.Close()
	for i, at := range places {
		data := make([]byte, at.Length)
		if _, err := plainfile.While(ctx, file).ReadAt(data, at.Offset); err != nil {
			return fmt.Errorf("read %s: %w", f.Path, err)
		}
		if err := record(i, data); err != nil {
			return fmt.Errorf("%s: record %d: %w", f.Path, at.Row+1, err)
		}
	}
	return nil
}

// text is the text of a file. One that is packed is an error once it has become longer than it may be: a small file can unpack to more than any disk
// holds, and its rows cannot be found again without unpacking all before them.
func (f File) text(file io.Reader, packed bool) (io.Reader, error) {
	if !packed {
		return file, nil
	}
	plain, err := plainfile.OpenText(file)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", f.Path, err)
	}
	most, program := f.room(), "gzip"
	if strings.HasSuffix(strings.ToLower(f.Path), ".zst") {
		program = "zstd"
	}
	return &unpacked{plain, most, fmt.Errorf("it unpacks to more than %s, half of the memory that is left: unpack it with `%s -d`, and name the file that comes of it in task.path", sysmem.Amount(float64(most)), program)}, nil
}

// room is how many bytes of the file may be held.
func (f File) room() int64 {
	if f.most == 0 {
		return Room()
	}
	return f.most
}

// unpacked is the text of a packed file, of which some bytes are left until it is too long.
type unpacked struct {
	from    io.Reader
	left    int64
	tooLong error
}

// Read implements [io.Reader].
func (u *unpacked) Read(p []byte) (int, error) {
	n, err := u.from.Read(p)
	if u.left -= int64(n); u.left < 0 {
		return 0, u.tooLong
	}
	return n, err
}

// A Format is how a file holds its records.
type Format string

const (
	Lines   Format = "jsonl" // one JSON object a line
	Array   Format = "json"  // a JSON array of objects
	CSV     Format = "csv"
	TSV     Format = "tsv"
	Parquet Format = "parquet"
	Arrow   Format = "arrow"
)

// Format says how the file holds its records.
func (f File) Format(ctx context.Context) (Format, error) {
	plain, err := plainfile.Open(f.Path)
	if err != nil {
		return "", err
	}
	defer plain.Close()
	file := plainfile.While(ctx, plain)
	format, err := formatOf(f.Path, file)
	if err != nil || format != Lines {
		return format, err
	}
	begin, err := beginning(file)
	if err != nil {
		return "", err
	}
	text, err := f.text(file, begin < 0)
	if err != nil {
		return "", err
	}
	array, err := IsArray(text)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", f.Path, err)
	}
	if array {
		return Array, nil
	}
	return Lines, nil
}

// formatOf knows parquet and Arrow by their first bytes and tables by their name, as nothing else tells them from text. Lines stand for an array too.
func formatOf(name string, file io.ReaderAt) (Format, error) {
	head := make([]byte, 512)
	n, err := file.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return "", err
	}
	head = head[:n]
	if err := plainfile.Stub(name, head); err != nil {
		return "", err
	}
	switch {
	case strings.HasPrefix(string(head), columnar.ParquetMagic):
		return Parquet, nil
	case columnar.IsArrow(head):
		return Arrow, nil
	case ending(name, ".csv"):
		return CSV, nil
	case ending(name, ".tsv"):
		return TSV, nil
	}
	return Lines, nil
}

// packed are the endings that a text file may have behind its own.
var packed = []string{"", ".gz", ".zst"}

// ending says whether a file's name ends so, packed or not.
func ending(name, end string) bool {
	return slices.ContainsFunc(packed, func(p string) bool { return strings.HasSuffix(strings.ToLower(name), end+p) })
}
