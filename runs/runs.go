// Package runs keeps one training run in one folder, so that it survives being killed at any moment.
//
// The folder is plain files, described field by field in docs/run-folder.md:
//
//	run.json                     what was run: recipe in full, seed, versions, machine ([Meta])
//	metrics.jsonl                one line an update, a function of recipe and seed
//	checksums.jsonl              one line an update, by which package verify finds damage
//	timing.jsonl                 one line an update, of everything that is not
//	trace.json                   where the time of every update went, for trace viewers
//	episodes/NNNNNN.jsonl.zst    what was said in update NNNNNN
//	checkpoints/NNNNNN/          everything needed to go on after update NNNNNN
//	adapters/<policy>/           the trained adapters
//	diagnostics.json             what goes wrong in training ([Diagnosis])
//	report.json report.md *.png  the result ([Report])
//
// Three rules make it safe. Files that are replaced are written under another name, flushed to the disk and renamed, so a
// name never holds half a file. The two .jsonl files are only appended to, and a torn last line is dropped. And the
// newest checkpoint whose checksums are right is the truth: [Run.Restore] cuts everything that is younger, and since
// metrics are a function of recipe and seed, going on from there writes the very bytes that were cut.
//
// One process writes to a run: [Create] and [Open] take a lock that dies with the process. Reading needs none.
package runs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"parley/internal/shell"
)

// Format is the version of the folder's layout.
const Format = 1

// Meta is run.json: what was run and on what.
type Meta struct {
	Format  int       `json:"format"`         // of the folder; set by Create
	Name    string    `json:"name"`           // of the recipe
	Task    string    `json:"task"`           // of the recipe
	Seed    int       `json:"seed"`           // root of all randomness
	Recipe  string    `json:"recipe"`         // in full, every default filled in, as YAML
	Keep    int       `json:"keep"`           // checkpoints kept, at least 1
	Created time.Time `json:"created"`        // set by Create where it is zero
	Parley  string    `json:"parley"`         // version and commit
	Go      string    `json:"go"`             // version of the compiler
	System  string    `json:"system"`         // such as linux/amd64
	CPU     string    `json:"cpu,omitempty"`  // name of the processor
	Cores   int       `json:"cores"`          // that the process may use
	Kernels string    `json:"kernels"`        // kernel set of the engine
	Threads int       `json:"threads"`        // of the engine; results do not depend on it
	Base    string    `json:"base,omitempty"` // name of the first agent's base model
	Bases   []Base    `json:"bases,omitempty"`
	Files   []File    `json:"files,omitempty"`   // that decide the numbers beside the bases
	Changes []Change  `json:"changes,omitempty"` // of all these in the middle of the run, as they were accepted
	Mark    string    `json:"mark,omitempty"`    // that this user made the run, where its recipe does things outside (package train/trust)

	MaxUpdates *int `json:"max_updates,omitempty"` // after which training stops; nil: where the recipe says. See [Run.Bound]
}

// Base is a base model of a run.
type Base struct {
	Name     string   `json:"name"`               // as the recipe has it
	SHA256   string   `json:"sha256"`             // of its files
	Agents   []int    `json:"agents"`             // who speak with it, from 1
	Policies []string `json:"policies,omitempty"` // trained over it
}

// A Run is a run folder that this process may write to. Its methods are for one goroutine at a time.
type Run struct {
	dir     string
	meta    Meta
	lock    *os.File
	disk    disk
	metrics *lineFile
	timing  *lineFile
	trace   *traceFile

	followers []Follower
	sums      *lineFile
	chain     *string  // of the last line of sums; nil: it has to be read
	written   struct { // the episodes that were written last
		update int
		sum    string // SHA-256 of their file
	}
}

// Create makes a new run in dir, which must not exist or be empty, and takes its lock.
func Create(dir string, meta Meta) (*Run, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("create run folder: %w", err)
	}
	if err := wantEmpty(dir); err != nil {
		return nil, err
	}
	r, err := lockRun(dir)
	if err != nil {
		return nil, err
	}
	if err := wantEmpty(dir); err != nil { // another process may have been quicker
		return nil, errors.Join(err, r.Close())
	}
	meta.Format, meta.Keep = Format, max(meta.Keep, 1)
	if meta.Created.IsZero() {
		meta.Created = time.Now().UTC().Truncate(time.Second)
	}
	r.meta = meta
	if err := r.WriteJSON("run.json", meta); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// wantEmpty returns an error where dir holds more than what a process leaves that dies before it has written run.json.
func wantEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("create run folder: %w", err)
	}
	for _, e := range entries {
		if e.Name() != "lock" && e.Name() != tempPrefix+"run.json" {
			return fmt.Errorf("create run: %s is not empty: choose another --out, or go on with %s", dir, shell.Quote("--resume", dir))
		}
	}
	return nil
}

// Open takes the lock of an existing run, to go on with it.
func Open(dir string) (*Run, error) {
	meta, err := Read(dir)
	if err != nil {
		return nil, err
	}
	r, err := lockRun(dir)
	if err != nil {
		return nil, err
	}
	r.meta = meta
	return r, nil
}

// Read returns what is in run.json. It needs no lock. A folder that is no run is a [*NotRunError].
func Read(dir string) (Meta, error) {
	var meta Meta
	data, err := os.ReadFile(filepath.Join(dir, "run.json"))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return meta, &NotRunError{dir}
	}
	if err != nil {
		return meta, fmt.Errorf("read run: %w", err)
	}
	if err := json.Unmarshal(data, &meta); err != nil {
		return meta, fmt.Errorf("read %s: %w", filepath.Join(dir, "run.json"), err)
	}
	if meta.Format != Format {
		return meta, fmt.Errorf("read %s: format %d, this parley reads format %d", filepath.Join(dir, "run.json"), meta.Format, Format)
	}
	return meta, nil
}

// A NotRunError says that a folder does not exist or is not a run. It wraps [fs.ErrNotExist].
type NotRunError struct{ Dir string }

func (e *NotRunError) Error() string { return e.Dir + " is not a run: it has no run.json" }

func (e *NotRunError) Unwrap() error { return fs.ErrNotExist }

func lockRun(dir string) (*Run, error) {
	lock, err := takeLock(dir)
	if err != nil {
		return nil, err
	}
	r := &Run{dir: dir, lock: lock, disk: osDisk{}}
	r.metrics = &lineFile{appendFile: appendFile{run: r, name: "metrics.jsonl"}}
	r.timing = &lineFile{appendFile: appendFile{run: r, name: "timing.jsonl"}}
	r.sums = &lineFile{appendFile: appendFile{run: r, name: ChecksumsFile}}
	r.trace = &traceFile{appendFile{run: r, name: "trace.json"}}
	return r, nil
}

// Dir is the run's folder.
func (r *Run) Dir() string { return r.dir }

// Meta is what is in run.json.
func (r *Run) Meta() Meta { return r.meta }

// Close flushes what was appended and gives the lock back.
func (r *Run) Close() error {
	err := errors.Join(r.metrics.close(), r.timing.close(), r.trace.close(), r.sums.close())
	for _, f := range r.followers {
		err = errors.Join(err, f.Close())
	}
	return errors.Join(err, r.lock.Close())
}

// AppendMetrics adds the line of one update to metrics.jsonl. v must have the update in its field "update", above that of
// the line before. A value that is not finite is an error.
func (r *Run) AppendMetrics(update int, v any) error {
	line, err := numbered(v)
	if err != nil {
		return fmt.Errorf("metrics of update %d: %w", update, err)
	}
	if line.update != update {
		return fmt.Errorf("metrics of update %d: the line says update %d", update, line.update)
	}
	if err := r.metrics.append(line); err != nil {
		return err
	}
	for _, f := range r.followers {
		f.Metrics(update, line.data)
	}
	return r.appendSums(line)
}

// AppendTiming adds a line to timing.jsonl. v must have a field "update".
func (r *Run) AppendTiming(v any) error {
	line, err := numbered(v)
	if err != nil {
		return fmt.Errorf("timing: %w", err)
	}
	if err := r.timing.append(line); err != nil {
		return err
	}
	for _, f := range r.followers {
		f.Timing(line.update, line.data)
	}
	return nil
}

// Root is the folder that holds runs: PARLEY_RUNS, or runs under the current folder.
func Root() string {
	if root := os.Getenv("PARLEY_RUNS"); root != "" {
		return root
	}
	return "runs"
}

// FreeDir returns root/<name>-s<seed>, with a number appended where that exists. Where nobody can tell, [Create] will say why.
func FreeDir(root, name string, seed int) string {
	dir := filepath.Join(root, name+"-s"+strconv.Itoa(seed))
	for n := 2; ; n++ {
		if _, err := os.Lstat(dir); err != nil {
			return dir
		}
		dir = filepath.Join(root, fmt.Sprintf("%s-s%d-%d", name, seed, n))
	}
}
