package dataset

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"parley/internal/plainfile"
	"parley/task/dataset/jsonl"
	"parley/task/dataset/parquet"
	"parley/task/dataset/table"
)

// A File is one file of a set.
type File struct {
	Path   string
	Name   string   // inside its set, with slashes
	Split  string   // Train, Validation, Test; "": its name says none
	Subset []string // the other parts of its name and of its folders', in lower case
}

// Each calls record with every record of the file, a JSON object; lines, or rows of parquet, count from 1. Every error names the
// file, and one of record the line too; it ends the reading, as the end of ctx does.
func (f File) Each(ctx context.Context, record func(line int, data []byte) error) error {
	plain, err := plainfile.Open(f.Path)
	if err != nil {
		return err
	}
	defer plain.Close()
	file := whileNeeded{ctx, plain}
	format, err := formatOf(f.Path, file)
	if err != nil {
		return err
	}
	each := func(line int, data []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return record(line, data)
	}
	switch format {
	case Parquet:
		info, err := plain.Stat()
		if err != nil {
			return err
		}
		return parquet.Each(f.Path, file, info.Size(), each)
	case CSV, TSV:
		return table.Each(f.Path, file, each)
	}
	return jsonl.Each(f.Path, file, each)
}

// whileNeeded is a file whose reads end with a context.
type whileNeeded struct {
	ctx  context.Context
	file *os.File
}

// Read implements [io.Reader].
func (w whileNeeded) Read(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.file.Read(p)
}

// ReadAt implements [io.ReaderAt].
func (w whileNeeded) ReadAt(p []byte, at int64) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.file.ReadAt(p, at)
}

// A Format is how a file holds its records.
type Format string

const (
	Lines   Format = "jsonl" // one JSON object a line
	Array   Format = "json"  // a JSON array of objects
	CSV     Format = "csv"
	TSV     Format = "tsv"
	Parquet Format = "parquet"
)

// Format says how the file holds its records.
func (f File) Format(ctx context.Context) (Format, error) {
	plain, err := plainfile.Open(f.Path)
	if err != nil {
		return "", err
	}
	defer plain.Close()
	file := whileNeeded{ctx, plain}
	format, err := formatOf(f.Path, file)
	if err != nil || format != Lines {
		return format, err
	}
	array, err := jsonl.IsArray(file)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", f.Path, err)
	}
	if array {
		return Array, nil
	}
	return Lines, nil
}

// formatOf knows parquet by its first bytes and tables by their name, as nothing else tells them from text. Lines stand for an array too.
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
	case strings.HasPrefix(string(head), parquet.Magic):
		return Parquet, nil
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
