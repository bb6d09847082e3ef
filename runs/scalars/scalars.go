// Package scalars takes what a run measured apart into named numbers, for tools that draw one curve for each name. It knows no name: whatever
// numbers the lines of metrics.jsonl and timing.jsonl hold are there.
//
// [Of] takes one line apart, [Results] a report, [History] reads all of a run. [Kept] has the numbers of many runs as columns, and reads what is added to them.
package scalars

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"parley/runs"
)

// A Scalar is one named number.
type Scalar struct {
	Name  string
	Value float64
}

// Of are the numbers of a JSON object, in its order. Those in objects and lists are named by their path, in lists from 1: reward, a list, becomes
// reward/1 and reward/2. The field update is left out: it is the step.
func Of(line []byte) (all []Scalar, err error) {
	_, err = read(line, func(name []byte, x float64) { all = append(all, Scalar{string(name), x}) })
	return all, err
}

// read calls do with every number of a JSON object but the update, which it returns; 0: there is none.
func read(line []byte, do func(name []byte, x float64)) (update int, err error) {
	if !json.Valid(line) || bytes.TrimLeft(line, " \t\r\n")[0] != '{' {
		return 0, errors.New("read numbers: this is no JSON object")
	}
	eachNumber(line, func(name, number []byte) {
		var wrong error
		if string(name) == "update" {
			update, wrong = strconv.Atoi(string(number))
		} else if x, w := strconv.ParseFloat(string(number), 64); w != nil {
			wrong = w
		} else {
			do(name, x)
		}
		if wrong != nil {
			err = fmt.Errorf("read numbers: %w", wrong)
		}
	})
	return update, err
}

// OfTiming are how long an update took, and the numbers of its line of timing.jsonl under names of their own.
func OfTiming(line []byte) (time.Duration, []Scalar, error) {
	all, err := Of(line)
	took, all := timed(all)
	return took, all, err
}

func timed(all []Scalar) (time.Duration, []Scalar) {
	seconds := 0.0
	for i, s := range all {
		if s.Name == "seconds" {
			seconds = s.Value
		}
		all[i].Name = "timing/" + s.Name
	}
	return time.Duration(seconds * float64(time.Second)), all
}

// eachNumber calls do with every number of a valid JSON object and the path to it. It makes no other values: there may be 100,000 lines to draw.
func eachNumber(line []byte, do func(name, number []byte)) {
	type level struct {
		list bool
		n    int // of a list: which value
		path int // the length of the path to it
	}
	var in []level
	var path []byte
	enter := func(part []byte) { // the next value of the innermost object or list
		if path = path[:in[len(in)-1].path]; len(path) > 0 {
			path = append(path, '/')
		}
		path = append(path, part...)
	}
	for i := 0; i < len(line); i++ {
		from := i
		switch c := line[i]; {
		case c == '{' || c == '[':
			in = append(in, level{list: c == '[', path: len(path)})
		case c == '}' || c == ']':
			in = in[:len(in)-1]
			continue
		case c == '"':
			for i++; line[i] != '"'; i++ {
				if line[i] == '\\' {
					i++
				}
			}
			if rest := bytes.TrimLeft(line[i+1:], " \t\r\n"); rest[0] == ':' {
				name := line[from+1 : i]
				if text := ""; bytes.IndexByte(name, '\\') >= 0 || !utf8.Valid(name) {
					_ = json.Unmarshal(line[from:i+1], &text) // it is valid
					name = []byte(text)
				}
				enter(name)
			}
			continue
		case c == '-' || c >= '0' && c <= '9':
			for i+1 < len(line) && strings.IndexByte("+-.eE0123456789", line[i+1]) >= 0 {
				i++
			}
			do(path, line[from:i+1])
			continue
		case c != ',':
			continue
		}
		if top := &in[len(in)-1]; top.list {
			top.n++
			enter(strconv.AppendInt(nil, int64(top.n), 10))
		}
	}
}

// ResultsPrefix is how the names of a report's numbers begin.
const ResultsPrefix = "results/"

// Results are the scores of a report's systems.
func Results(r runs.Report) []Scalar {
	var out []Scalar
	for _, row := range r.Rows {
		out = append(out, Scalar{ResultsPrefix + row.System + "/score", row.Score}, Scalar{ResultsPrefix + row.System + "/tokens_per_problem", row.TokensPerProblem})
	}
	return append(out, Scalar{ResultsPrefix + "gain", r.Gain})
}

// A Step is an update with what was measured of it.
type Step struct {
	Update  int
	At      time.Time // the run's start and the seconds of all updates up to this one: pauses are left out
	Scalars []Scalar
}

// History reads the updates of the run in dir.
func History(dir string) (out []Step, err error) {
	meta, err := runs.Read(dir)
	if err != nil {
		return nil, err
	}
	new(Kept).Of(dir, func(r *Run) {
		timing, at := map[int]Step{}, meta.Created
		for row, update := range r.Timing.Updates {
			took, list := timed(r.Timing.Row(row))
			at = at.Add(took)
			timing[update] = Step{update, at, list}
		}
		last := meta.Created
		for row, update := range r.Metrics.Updates {
			t, known := timing[update]
			if known {
				last = t.At
			}
			out = append(out, Step{update, last, append(r.Metrics.Row(row), t.Scalars...)})
		}
		for _, wrong := range []error{r.Metrics.Damaged, r.Timing.Damaged} {
			if !errors.As(wrong, new(*CutError)) {
				err = errors.Join(err, wrong)
			}
		}
	})
	return out, err
}

// metricsFile is the file of which a run needs every line.
const metricsFile = "metrics.jsonl"

// A CutError says that metrics.jsonl has more lines than can be read.
type CutError struct{ After int } // update

func (e *CutError) Error() string {
	return fmt.Sprintf("%s is damaged after update %d: lines behind it are not read", metricsFile, e.After)
}
