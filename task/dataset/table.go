// This file reads data sets in CSV and TSV: a header with the names of the columns, then one record a row.
//
// A row becomes a JSON object with a text for every column, so that readers of JSON lines read tables too. Cells may stand in quotes and
// then hold separators, line breaks and doubled quotes. Columns are separated by tabs in a file that ends in .tsv, else by what the
// header has: commas, or semicolons or tabs where it has no comma.

package dataset

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"parley/internal/plainfile"
)

// eachRow calls record with every row as a JSON object; lines count from 1, and a row is where it begins. name is for error messages, and its
// ending may say what separates columns. An error of record ends the reading.
func eachRow(name string, r io.Reader, record func(line int, data []byte) error) error {
	plain, err := plainfile.OpenText(r)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	rows := csv.NewReader(plain)
	rows.ReuseRecord = true
	if rows.Comma, err = separator(name, plain); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	header, err := rows.Read()
	if err == io.EOF {
		return nil
	}
	if err != nil {
		return placed(name, err)
	}
	keys, err := columns(header)
	if err != nil {
		return fmt.Errorf("%s:1: %w", name, err)
	}
	for {
		cells, err := rows.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return placed(name, err)
		}
		line, _ := rows.FieldPos(0)
		data, err := object(keys, cells)
		if err == nil {
			err = record(line, data)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, line, err)
		}
	}
}

// separator says what separates columns.
func separator(name string, r *bufio.Reader) (rune, error) {
	if slices.Contains(strings.Split(strings.ToLower(filepath.Base(name)), "."), "tsv") {
		return '\t', nil
	}
	first, err := r.Peek(r.Size())
	if err != nil && err != io.EOF {
		return 0, err
	}
	header, _, _ := bytes.Cut(first, []byte("\n"))
	for _, c := range ",;\t" {
		if bytes.ContainsRune(quoted.ReplaceAll(header, nil), c) {
			return c, nil
		}
	}
	return ',', nil
}

// quoted matches a cell in quotes.
var quoted = regexp.MustCompile(`"[^"]*"`)

// columns are the keys of a header. A column without a name, such as the row numbers that pandas writes, is named by its place.
func columns(header []string) (keys []string, err error) {
	seen := map[string]bool{}
	for i, key := range header {
		if err := plainfile.CheckText([]byte(key)); err != nil {
			return nil, err
		}
		if key = strings.TrimSpace(key); key == "" {
			key = fmt.Sprintf("column_%d", i+1)
		}
		if seen[key] {
			return nil, fmt.Errorf("two columns are named %q: rename one", key)
		}
		seen[key] = true
		keys = append(keys, key)
	}
	return keys, nil
}

// object is a row as a JSON object, in the order of the columns.
func object(keys, cells []string) ([]byte, error) {
	var b bytes.Buffer
	for i, key := range keys {
		if err := plainfile.CheckText([]byte(cells[i])); err != nil {
			return nil, fmt.Errorf("column %s: %w", key, err)
		}
		name, err := json.Marshal(key)
		if err != nil {
			return nil, err
		}
		cell, err := json.Marshal(cells[i])
		if err != nil {
			return nil, err
		}
		b.WriteByte("{,"[min(i, 1)])
		b.Write(name)
		b.WriteByte(':')
		b.Write(cell)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// placed puts the file and the line before an error of the parser.
func placed(name string, err error) error {
	var p *csv.ParseError
	if !errors.As(err, &p) {
		return fmt.Errorf("read %s: %w", name, err)
	}
	why := p.Err
	switch {
	case errors.Is(why, csv.ErrFieldCount):
		why = errors.New("the row has more or fewer cells than the header: put cells that hold a separator in quotes")
	case errors.Is(why, csv.ErrBareQuote), errors.Is(why, csv.ErrQuote):
		why = errors.New(`a quote stands where none can: put the cell in quotes and double those in it, "so ""it"" is"`)
	}
	return fmt.Errorf("%s:%d: %w", name, p.StartLine, why)
}
