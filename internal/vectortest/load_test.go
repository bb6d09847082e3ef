// Package vectortest runs parley's mathematics against the shared test vectors: numbers that were made outside parley, by
// an independent implementation of the same specification.
//
// A vector file is one JSON object: an `about` string with all conventions, and arrays of cases by section; or one array, a section without a name. [Load] reads
// the file from the folder named by PARLEY_VECTORS, or else the copy in testdata; the tests run every case of every section
// that they find there, so another file of the same form with other cases is checked just as well.
package vectortest

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
)

//go:embed testdata/*.json
var shipped embed.FS

// A Case is one test case, still in JSON.
type Case struct {
	ID        string   // its id, else its name, else its index in the section
	Tolerance *float64 // its own, where it has one
	JSON      json.RawMessage
}

// labels are fields that any case may have beside the numbers of its rule.
var labels = []string{"id", "name", "note", "tolerance"}

// Decode reads the case into v, without its labels. Any other field that v does not know is an error: no number of a case is
// left unchecked unnoticed.
func (c Case) Decode(v any) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(c.JSON, &fields); err != nil {
		return fmt.Errorf("decode case %s: %w", c.ID, err)
	}
	for _, l := range labels {
		delete(fields, l)
	}
	data, err := json.Marshal(fields)
	if err != nil {
		return fmt.Errorf("decode case %s: %w", c.ID, err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("decode case %s: %w", c.ID, err)
	}
	return nil
}

// A File is one vector file: what its numbers mean, and its cases by section.
type File struct {
	About    string
	Sections map[string][]Case
}

// Load reads the vector file of that name ("maporl.json") from the folder PARLEY_VECTORS, or the shipped copy where that is
// not set. A section without cases is an error.
func Load(name string) (*File, error) {
	data, err := contents(name)
	if err != nil {
		return nil, fmt.Errorf("load vectors: %w", err)
	}
	f, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("load vectors %s: %w", name, err)
	}
	return f, nil
}

func contents(name string) ([]byte, error) {
	if dir := os.Getenv("PARLEY_VECTORS"); dir != "" {
		return os.ReadFile(filepath.Join(dir, name))
	}
	return shipped.ReadFile("testdata/" + name)
}

func parse(data []byte) (*File, error) {
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
		cases, err := parseSection(data)
		return &File{Sections: map[string][]Case{"": cases}}, err
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, err
	}
	f := &File{Sections: map[string][]Case{}}
	for key, value := range raw {
		if key == "about" {
			if err := json.Unmarshal(value, &f.About); err != nil {
				return nil, fmt.Errorf("about: %w", err)
			}
			continue
		}
		cases, err := parseSection(value)
		if err != nil {
			return nil, fmt.Errorf("section %s: %w", key, err)
		}
		f.Sections[key] = cases
	}
	if len(f.Sections) == 0 {
		return nil, fmt.Errorf("no sections")
	}
	return f, nil
}

func parseSection(data []byte) ([]Case, error) {
	var items []json.RawMessage
	if err := json.Unmarshal(data, &items); err != nil {
		return nil, err
	}
	if len(items) == 0 {
		return nil, fmt.Errorf("no cases")
	}
	cases := make([]Case, len(items))
	for i, item := range items {
		var label struct {
			ID, Name  any
			Tolerance *float64
		}
		if err := json.Unmarshal(item, &label); err != nil {
			return nil, fmt.Errorf("case %d: %w", i, err)
		}
		cases[i] = Case{ID: strconv.Itoa(i), Tolerance: label.Tolerance, JSON: item}
		for _, l := range []any{label.Name, label.ID} {
			if l != nil {
				cases[i].ID = fmt.Sprint(l)
			}
		}
	}
	return cases, nil
}

// Close reports whether got is within tolerance·max(1, |want|) of want. Equal infinities are close, NaN never is.
func Close(got, want, tolerance float64) bool {
	return got == want || math.Abs(got-want) <= tolerance*math.Max(1, math.Abs(want))
}
