package datacmd

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"parley/cmd/parley/internal/cli"
	"parley/model"
	"parley/task/dataset"
	"parley/task/sandbox"
)

type dataPrepareCmd struct {
	Path  string `arg:"" help:"TinyGSM: a file, a folder, or the name of a pulled data set. Each record has question and code."`
	Out   string `required:"" placeholder:"FILE" help:"New file: gzipped JSON lines with question and answer."`
	Limit int    `default:"12800" placeholder:"N" help:"Run only the first N programs (${default}). 0 runs all."`
	JSON  bool   `name:"json" help:"Print one JSON object {\"records\",\"prepared\",\"failures\"}."`
}

func (dataPrepareCmd) Help() string {
	return `A solution in TinyGSM is a Python program. This verb runs each program once in the sandbox and keeps the number that it returns. Programs that fail, take more than 2 seconds or return something else are left out and counted. Training reads the new file and runs no program.

Example:

    parley data prepare tinygsm/train.jsonl --out tinygsm.jsonl.gz
    parley train mine.yaml --set task.name=tinygsm --set task.path=tinygsm.jsonl.gz

Exit codes: 0 written; 1 the sandbox does not work or the disk failed; 2 there is no such data set, or a record is wrong; 130 interrupted, and nothing is written.`
}

// errEnough ends the reading of records.
var errEnough = errors.New("enough records")

func (c *dataPrepareCmd) Run(a *cli.App) error {
	if _, err := os.Stat(c.Out); !errors.Is(err, fs.ErrNotExist) {
		return cli.Usagef("%s exists already: choose another --out", c.Out)
	}
	set, err := dataset.Open(c.Path, model.CacheRoot())
	if err != nil {
		return cli.Usagef("%v", err)
	}
	pool, err := sandbox.Open(a.Ctx, sandbox.Options{})
	if err != nil {
		return err
	}
	defer pool.Close()
	counts, err := c.write(a, set, pool)
	if err != nil {
		return err
	}
	if c.JSON {
		return a.PrintJSON(counts)
	}
	return a.Printf("%s; written to %s\n", counts, c.Out)
}

// write prepares into a temporary file beside the one asked for, which appears only when it is whole.
func (c *dataPrepareCmd) write(a *cli.App, set dataset.Set, pool *sandbox.Pool) (counts Counts, err error) {
	file, err := os.CreateTemp(filepath.Dir(c.Out), ".parley-prepare-*")
	if err != nil {
		return counts, err
	}
	defer os.Remove(file.Name())
	compressed := gzip.NewWriter(file)
	lines := json.NewEncoder(compressed)
	lines.SetEscapeHTML(false)
	counts, err = prepareAll(a.Ctx, pool, c.records(a.Ctx, set), func(p Prepared) error { return lines.Encode(p) })
	if err := errors.Join(err, compressed.Close(), file.Chmod(0o644), file.Sync(), file.Close()); err != nil {
		return counts, fmt.Errorf("prepare %s: %w", set.Name, err)
	}
	return counts, os.Rename(file.Name(), c.Out)
}

// records yields the first records of the set's training files, or of all where their names say nothing.
func (c *dataPrepareCmd) records(ctx context.Context, set dataset.Set) func(func(Record) error) error {
	files := set.Of(dataset.Train)
	if len(files) == 0 {
		files = set.Files
	}
	return func(each func(Record) error) error {
		n := 0
		for _, f := range files {
			err := f.Each(ctx, func(_ int, data []byte) error {
				if c.Limit > 0 && n >= c.Limit {
					return errEnough
				}
				r, err := readRecord(data)
				if err != nil {
					return cli.Usagef("%v", err)
				}
				n++
				return each(r)
			})
			if errors.Is(err, errEnough) {
				return nil
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
}
