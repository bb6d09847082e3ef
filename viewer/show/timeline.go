package show

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"

	"parley/internal/folder"
)

// A Timeline says where the time of updates went.
type Timeline struct {
	Updates []UpdateTime `json:"updates"`
	First   int          `json:"first"`
	Last    int          `json:"last"`
}

// An UpdateTime is one update in time.
type UpdateTime struct {
	Update  int     `json:"update"`
	Start   float64 `json:"start"` // seconds since the first update of the run
	Seconds float64 `json:"seconds"`
	Phases  []Span  `json:"phases"`
	Engine  []Span  `json:"engine"`
	Aside   []Span  `json:"aside"` // what goes on while engines compute: writing and judging
}

// A Span is a time within an update.
type Span struct {
	Name    string  `json:"name"`
	Start   float64 `json:"start"` // seconds since the start of the update
	Seconds float64 `json:"seconds"`
}

// mostShown is how many updates a timeline shows where nobody says which.
const mostShown = 50

// event is a line of trace.json.
type event struct {
	Name, Cat string
	TS, Dur   float64 // microseconds
	Args      struct{ Update int }
}

// Timeline reads trace.json from one update to another; 0: the newest ones.
func (r *Root) Timeline(id string, from, to int) (*Timeline, error) {
	dir, err := r.Path(id)
	if err != nil {
		return nil, err
	}
	t := &Timeline{Updates: []UpdateTime{}}
	f, err := folder.File(dir, "trace.json")
	if errors.Is(err, fs.ErrNotExist) {
		return t, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if to == 0 {
		to = math.MaxInt
	}
	origin := math.NaN()
	err = eachLine(f, func(line []byte) {
		var e event
		if json.Unmarshal(bytes.TrimRight(line, ", \r"), &e) != nil || e.Args.Update == 0 {
			return // the bracket, or a line that is being written
		}
		if math.IsNaN(origin) {
			origin, t.First = e.TS, e.Args.Update
		}
		t.Last = max(t.Last, e.Args.Update)
		if e.Args.Update >= from && e.Args.Update <= to {
			t.add(e, origin)
			if from == 0 && len(t.Updates) > mostShown {
				t.Updates = t.Updates[1:]
			}
		}
	})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Join(dir, "trace.json"), err)
	}
	return t, nil
}

// longestEvent is how long a line of trace.json may be, in bytes: a longer one is no event.
const longestEvent = 64 << 10

// eachLine calls do with every line that is not too long.
func eachLine(r io.Reader, do func(line []byte)) error {
	lines, long := bufio.NewReaderSize(r, longestEvent), false
	for {
		line, more, err := lines.ReadLine()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case !more && !long:
			do(line)
		}
		long = more
	}
}

func (t *Timeline) add(e event, origin float64) {
	const second = 1e6
	if e.Cat == "update" {
		t.Updates = append(t.Updates, UpdateTime{Update: e.Args.Update, Start: (e.TS - origin) / second, Seconds: e.Dur / second, Phases: []Span{}, Engine: []Span{}, Aside: []Span{}})
		return
	}
	if len(t.Updates) == 0 || t.Updates[len(t.Updates)-1].Update != e.Args.Update {
		return
	}
	u := &t.Updates[len(t.Updates)-1]
	s := Span{e.Name, (e.TS-origin)/second - u.Start, e.Dur / second}
	switch e.Cat {
	case "phase":
		u.Phases = append(u.Phases, s)
	case "engine":
		u.Engine = append(u.Engine, s)
	default:
		u.Aside = append(u.Aside, s)
	}
}
