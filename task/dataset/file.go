package dataset

import (
	"io"
	"os"

	"parley/task/dataset/jsonl"
	"parley/task/dataset/parquet"
)

// A File is one file of a set.
type File struct {
	Path   string
	Split  string   // Train, Validation, Test; "": its name says none
	Subset []string // the other parts of its name and of its folders', in lower case
}

// Each calls record with every record of the file, a JSON object; lines, or rows of parquet, count from 1. Every error names the
// file, and one of record the line too; it ends the reading.
func (f File) Each(record func(line int, data []byte) error) error {
	file, err := os.Open(f.Path)
	if err != nil {
		return err
	}
	defer file.Close()
	magic := make([]byte, len(parquet.Magic))
	if _, err := file.ReadAt(magic, 0); err != nil && err != io.EOF {
		return err
	}
	if string(magic) != parquet.Magic {
		return jsonl.Each(f.Path, file, record)
	}
	info, err := file.Stat()
	if err != nil {
		return err
	}
	return parquet.Each(f.Path, file, info.Size(), record)
}
