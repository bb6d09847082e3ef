package study

// This file says what came of a study: the raw numbers of every run, and what follows from them.
//
// A [Row] is one run, read from its folder by [Read]. Everything else is a function of the study, its plan and its rows: [Of] puts the rows
// together, and the [Results] print themselves as tables for a terminal, a document, a spreadsheet and a paper, and as a picture. So rows that
// are kept in a file, by [Encode] and [Decode], give the same tables again.
//
//	row.go      the raw numbers of one run
//	readrow.go  from its folder
//	numbers.go  metrics and curves out of report.json and metrics.jsonl
//	compare.go  means and paired differences
//	tables.go   the tables
//	picture.go  the pictures

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// A Row is what is kept of one run.
type Row struct {
	Cell     string             `json:"cell"`
	Seed     int                `json:"seed"`
	Failed   string             `json:"failed,omitempty"` // why there are no numbers
	Tokens   int                `json:"tokens"`           // generated in training
	Updates  int                `json:"updates"`
	Metric   string             `json:"metric,omitempty"` // what a score is
	Problems string             `json:"problems,omitempty"`
	Metrics  map[string]float64 `json:"metrics,omitempty"` // those of the study
	Systems  map[string]float64 `json:"systems,omitempty"` // scores of the systems beside the trained team
	Curve    [][2]float64       `json:"curve,omitempty"`   // tokens generated, and the study's curve there

	Kernels    string  `json:"kernels,omitempty"`           // kernel set of the engine
	Processors float64 `json:"processor_seconds,omitempty"` // of the whole run; 0: not known
}

// Encode writes rows as JSON lines.
func Encode(rows []Row) ([]byte, error) {
	var b bytes.Buffer
	for _, r := range rows {
		line, err := json.Marshal(r)
		if err != nil {
			return nil, fmt.Errorf("write the row of %s, seed %d: %w", r.Cell, r.Seed, err)
		}
		b.Write(append(line, '\n'))
	}
	return b.Bytes(), nil
}

// Decode reads what [Encode] wrote.
func Decode(data []byte) ([]Row, error) {
	var rows []Row
	n := 0
	for line := range bytes.Lines(data) {
		if n++; len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		var r Row
		if err := d.Decode(&r); err != nil {
			return nil, fmt.Errorf("line %d is no row of a study: %w", n, err)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// digits of raw numbers: more than any table shows.
const digits = 6

// round keeps so many significant digits of a number.
func round(x float64, n int) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return x
	}
	short, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', n, 64), 64)
	if err != nil {
		return x
	}
	return short
}
