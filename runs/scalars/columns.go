package scalars

import (
	"bytes"
	"errors"
	"hash/maphash"
	"io/fs"
	"math"
	"sync"
	"time"

	"parley/internal/folder"
	"parley/runs/store"
)

// Columns are the numbers of a file of lines, a column a name. The file is taken apart once: what a trainer adds to it is read by itself.
type Columns struct {
	Names   []string // in the order in which they came up
	Updates []int
	Damaged error // why there are no more of them

	file     string
	values   [][]float64 // by name; NaN: the line has none; the last lines may lack
	places   map[string]int
	size     int64 // of the file as it was looked at
	modified time.Time
	taken    int    // bytes
	sum      uint64 // of these
	seed     maphash.Seed
}

// mostNames bounds what a hostile file can make.
const mostNames = 2000

func newColumns(file string) Columns {
	return Columns{file: file, Updates: []int{}, places: map[string]int{}, seed: maphash.MakeSeed()}
}

// renew reads what came to the file since the last time, or all of it, where it is no longer what it was.
func (c *Columns) renew(dir string) error {
	f, err := folder.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat(c.file)
	if err != nil || info.Size() == c.size && info.ModTime().Equal(c.modified) {
		return err
	}
	data, err := f.ReadFile(c.file)
	if err != nil {
		return err
	}
	if c.taken > len(data) || maphash.Bytes(c.seed, data[:c.taken]) != c.sum {
		*c = newColumns(c.file)
	}
	c.size, c.modified = info.Size(), info.ModTime()
	last := math.MinInt
	if len(c.Updates) > 0 {
		last = c.Last()
	}
	for update, line := range store.Ordered(data[c.taken:], last, c.line) {
		c.Updates, c.taken = append(c.Updates, update), c.taken+len(line)+1
	}
	for i, values := range c.values {
		c.values[i] = values[:min(len(values), len(c.Updates))] // without those of a line that does not count
	}
	if c.sum, c.Damaged = maphash.Bytes(c.seed, data[:c.taken]), nil; bytes.IndexByte(data[c.taken:], '\n') >= 0 {
		c.Damaged = &CutError{c.Last()}
	}
	return nil
}

// line puts the numbers of a line behind the others.
func (c *Columns) line(line []byte) (update int, ok bool) {
	row := len(c.Updates)
	update, err := read(line, func(name []byte, x float64) {
		at, ok := c.places[string(name)]
		if !ok {
			if len(c.Names) >= mostNames {
				return
			}
			at = len(c.Names)
			c.Names, c.values = append(c.Names, string(name)), append(c.values, nil)
			c.places[c.Names[at]] = at
		}
		values := c.values[at]
		for len(values) < row {
			values = append(values, math.NaN())
		}
		c.values[at] = append(values[:row], x) // of a name that a line has twice the last value counts
	})
	return update, err == nil && update > 0
}

// At is the value of a name in a row; nil: there is none. It stays as it is when more is read.
func (c *Columns) At(name string, row int) *float64 {
	at, ok := c.places[name]
	if !ok || row >= len(c.values[at]) || math.IsNaN(c.values[at][row]) {
		return nil
	}
	return &c.values[at][row]
}

// Row are the numbers of a row.
func (c *Columns) Row(row int) (out []Scalar) {
	for _, name := range c.Names {
		if x := c.At(name, row); x != nil {
			out = append(out, Scalar{name, *x})
		}
	}
	return out
}

// Last is the last update; 0: there is none.
func (c *Columns) Last() int {
	if len(c.Updates) == 0 {
		return 0
	}
	return c.Updates[len(c.Updates)-1]
}

// A Run has the numbers of a run as they were read last.
type Run struct {
	Metrics, Timing Columns

	mu          sync.Mutex
	used, bytes int // when, in the order of all uses
}

// Kept are the numbers of the runs that were asked for last, as many as there is room for.
type Kept struct {
	mu   sync.Mutex
	runs map[string]*Run
	uses int
}

// mostKept is how many bytes of numbers are kept: 64 runs of 1,000 updates have a third of that.
const mostKept = 64 << 20

// Of gives the numbers of the run in dir to use, as they are now. Others who want them wait meanwhile.
func (k *Kept) Of(dir string, use func(r *Run)) {
	k.mu.Lock()
	r := k.runs[dir]
	if r == nil {
		r = &Run{Metrics: newColumns(metricsFile), Timing: newColumns("timing.jsonl")}
		if k.runs == nil {
			k.runs = map[string]*Run{}
		}
		k.runs[dir] = r
	}
	k.uses++
	r.used = k.uses
	k.mu.Unlock()
	r.mu.Lock()
	bytes := 0
	for _, c := range []*Columns{&r.Metrics, &r.Timing} {
		if err := c.renew(dir); err != nil {
			if *c = newColumns(c.file); !errors.Is(err, fs.ErrNotExist) {
				c.Damaged = err
			}
		}
		for _, values := range c.values {
			bytes += 8 * cap(values)
		}
	}
	use(r)
	r.mu.Unlock()
	k.weigh(r, bytes)
}

// weigh lets go of the runs that were asked for the longest time ago, where all take more memory than they may.
func (k *Kept) weigh(r *Run, bytes int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	r.bytes = bytes
	all := 0
	for _, other := range k.runs {
		all += other.bytes
	}
	for all > mostKept && len(k.runs) > 1 {
		oldest := ""
		for dir, other := range k.runs {
			if other != r && (oldest == "" || other.used < k.runs[oldest].used) {
				oldest = dir
			}
		}
		all -= k.runs[oldest].bytes
		delete(k.runs, oldest)
	}
}
