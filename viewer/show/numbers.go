package show

import (
	"bytes"
	"errors"
	"hash/maphash"
	"io/fs"
	"math"
	"sync"
	"time"

	"parley/internal/folder"
	"parley/runs/scalars"
	"parley/runs/store"
)

// numbers are what a file of lines says of updates, column by column. The file is taken apart once: what a trainer adds to it is read by itself.
type numbers struct {
	file    string
	updates []int
	columns [][]float64 // by the reader's names; NaN: the line has none; the last lines may lack
	reader  scalars.Reader
	cut     bool // whole lines that cannot be read stand behind the last one

	size     int64 // of the file as it was looked at
	modified time.Time
	taken    int    // bytes
	sum      uint64 // of these
	seed     maphash.Seed
}

// renew reads what came to the file since the last time, or all of it, where it is no longer what it was.
func (n *numbers) renew(dir string) error {
	info, err := stat(dir, n.file)
	if errors.Is(err, fs.ErrNotExist) {
		*n = numbers{file: n.file}
		return nil
	}
	if err != nil {
		return err
	}
	if n.taken > 0 && info.Size() == n.size && info.ModTime().Equal(n.modified) {
		return nil
	}
	data, err := folder.ReadFile(dir, n.file)
	if err != nil {
		return err
	}
	if n.taken == 0 || n.taken > len(data) || maphash.Bytes(n.seed, data[:n.taken]) != n.sum {
		*n = numbers{file: n.file, seed: maphash.MakeSeed()}
	}
	n.size, n.modified = info.Size(), info.ModTime()
	n.take(data)
	return nil
}

func stat(dir, name string) (fs.FileInfo, error) {
	f, err := folder.Open(dir)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat(name)
	return info, errors.Join(err, f.Close())
}

// take reads the lines of data behind those that are taken apart.
func (n *numbers) take(data []byte) {
	last := math.MinInt
	if len(n.updates) > 0 {
		last = n.updates[len(n.updates)-1]
	}
	for update, line := range store.Ordered(data[n.taken:], last, n.reader.Read) {
		row := len(n.updates)
		n.updates, n.taken = append(n.updates, update), n.taken+len(line)+1
		for _, p := range n.reader.Line() {
			n.put(row, p.Column, p.Value)
		}
	}
	n.sum, n.cut = maphash.Bytes(n.seed, data[:n.taken]), bytes.IndexByte(data[n.taken:], '\n') >= 0
}

func (n *numbers) put(row, column int, x float64) {
	for len(n.columns) <= column {
		n.columns = append(n.columns, nil)
	}
	values := n.columns[column]
	for len(values) < row {
		values = append(values, math.NaN())
	}
	n.columns[column] = append(values[:row], x) // of a name that a line has twice the last value counts
}

// at is the value of a column in a row; nil: there is none. It stays as it is when more is read.
func (n *numbers) at(column, row int) *float64 {
	if column >= len(n.columns) || row >= len(n.columns[column]) || math.IsNaN(n.columns[column][row]) {
		return nil
	}
	return &n.columns[column][row]
}

func (n *numbers) last() int {
	if len(n.updates) == 0 {
		return 0
	}
	return n.updates[len(n.updates)-1]
}

// bytes is about how much memory the numbers take.
func (n *numbers) bytes() int {
	all := 8 * len(n.updates)
	for _, c := range n.columns {
		all += 8 * cap(c)
	}
	return all
}

// held are the numbers of a run as they were read last.
type held struct {
	mu              sync.Mutex
	metrics, timing numbers
	failed          error // of reading metrics.jsonl

	used  int // when, in the order of all uses
	bytes int
}

// mostHeld is how many bytes of numbers are kept in memory: 64 runs of 1,000 updates have a third of that.
const mostHeld = 64 << 20

// hold gives the numbers of the run in dir to use, as they are now. Others wait meanwhile.
func (r *Root) hold(dir string, use func(h *held)) {
	r.mu.Lock()
	h := r.numbers[dir]
	if h == nil {
		h = &held{metrics: numbers{file: store.MetricsFile}, timing: numbers{file: timingFile}}
		r.numbers[dir] = h
	}
	r.uses++
	h.used = r.uses
	r.mu.Unlock()
	h.mu.Lock()
	if h.failed = h.metrics.renew(dir); h.failed != nil {
		h.metrics = numbers{file: store.MetricsFile}
	}
	if h.timing.renew(dir) != nil {
		h.timing = numbers{file: timingFile} // times decide nothing
	}
	bytes := h.metrics.bytes() + h.timing.bytes()
	use(h)
	h.mu.Unlock()
	r.weigh(h, bytes)
}

const timingFile = "timing.jsonl"

// weigh lets go of the numbers that were used the longest time ago, where all take more memory than they may.
func (r *Root) weigh(h *held, bytes int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	h.bytes = bytes
	for {
		all, oldest := 0, ""
		for dir, other := range r.numbers {
			all += other.bytes
			if other != h && (oldest == "" || other.used < r.numbers[oldest].used) {
				oldest = dir
			}
		}
		if all <= mostHeld || oldest == "" {
			return
		}
		delete(r.numbers, oldest)
	}
}

// updated is the update of the last line of metrics.jsonl.
func (r *Root) updated(dir string) (update int, err error) {
	r.hold(dir, func(h *held) { update, err = h.metrics.last(), h.failed })
	return update, err
}
