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
//	diagnostics.json             what goes wrong in training ([findings.Diagnosis])
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
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"parley/internal/folder"
	"parley/internal/usererror"
	"parley/runs/store"
)

// A Run is a run folder that this process may write to. Its methods are for one goroutine at a time.
type Run struct {
	*store.Store

	dir     string
	meta    Meta
	lock    *os.File
	outer   *Run // that it is a part of; nil: none
	metrics *store.LineFile
	timing  *store.LineFile
	trace   *store.TraceFile

	followers []Follower
	costs     []byte // of the update that goes on, for its checkpoint; nil: not known
	sums      *store.LineFile
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
	meta.Format, meta.Words, meta.Keep = Format, Words, max(meta.Keep, 1)
	if meta.Folder, err = filepath.Abs(dir); err != nil {
		return nil, errors.Join(fmt.Errorf("create run folder: %w", err), r.Close())
	}
	if meta.Created.IsZero() {
		meta.Created = time.Now().UTC().Truncate(time.Second)
	}
	if err := r.setMeta(meta); err != nil {
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
		if isBeginning(e.Name()) {
			continue
		}
		if isRun(dir) {
			return fmt.Errorf(usererror.Spoken("create run: %s is not empty: choose another --out, or go on with %s"), dir, usererror.Train("--resume", dir))
		}
		return fmt.Errorf(usererror.Spoken("create run: %s is not empty, and it is no run: choose another --out"), dir)
	}
	return nil
}

// isBeginning says whether a name is one of those that a run's folder has before it is a run.
func isBeginning(name string) bool { return name == "lock" || name == store.TempPrefix+MetaFile }

// Begun says whether a folder is what a process left that ended before it had written run.json. [Create] makes a run of it.
func Begun(dir string) bool {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if !isBeginning(e.Name()) {
			return false
		}
	}
	return err == nil && len(entries) > 0
}

// Open takes the lock of an existing run, to go on with it. A folder with links where parley writes is refused.
func Open(dir string) (*Run, error) {
	if _, err := Read(dir); err != nil {
		return nil, err
	}
	r, err := lockRun(dir)
	if err != nil {
		return nil, err
	}
	if err := r.noLinks(); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	if r.meta, err = Read(dir); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// noLinks refuses a run in which something that parley reads or writes is no plain file and no folder.
func (r *Run) noLinks() error {
	err := r.Folder.CheckTree(".", func(name string) bool {
		top, below, _ := strings.Cut(name, "/")
		switch {
		case !written[top]:
			return false
		case top == "checkpoints" && below != "":
			first, _, _ := strings.Cut(below, "/")
			n, err := strconv.Atoi(first)
			return first == MetaFile || err == nil && first == checkpointName(n)
		}
		return true
	})
	if err != nil {
		return &usererror.Error{Err: fmt.Errorf("open run: %w", err)}
	}
	return nil
}

// written are the names in a run's folder that are read again when it goes on.
var written = map[string]bool{
	"lock": true, MetaFile: true, store.MetricsFile: true, store.SumsFile: true, "timing.jsonl": true, "trace.json": true, "episodes": true, "checkpoints": true,
	"evaluation": true, "pass-rates.json": true, "pass-rates-held-out.json": true, "adapters": true, store.DiagnosisFile: true, "report.json": true,
	failureFile: true, "failed": true, "tensorboard": true, "mlflow.json": true, TrainedSingle: true,
}

func lockRun(dir string) (*Run, error) {
	files, err := store.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("open run: %w", err)
	}
	lock, err := takeLock(dir)
	if err != nil {
		return nil, errors.Join(err, files.Folder.Close())
	}
	r := &Run{Store: files, dir: dir, lock: lock}
	r.Again = r.again
	r.metrics, r.timing, r.sums, r.trace = r.Lines(store.MetricsFile), r.Lines("timing.jsonl"), r.Lines(store.SumsFile), r.Store.Trace("trace.json")
	return r, nil
}

// Check refuses a name in the run that is a link or another thing than a file or a folder.
func (r *Run) Check(name string) error {
	if err := r.Folder.Check(name); err != nil {
		return &usererror.Error{Err: fmt.Errorf("open run: %w", err)}
	}
	return nil
}

// Dir is the run's folder.
func (r *Run) Dir() string { return r.dir }

// Meta is what is in run.json.
func (r *Run) Meta() Meta { return r.meta }

// Close flushes what was appended and gives the lock back.
func (r *Run) Close() error {
	err := errors.Join(r.metrics.Close(), r.timing.Close(), r.trace.Close(), r.sums.Close())
	for _, f := range r.followers {
		err = errors.Join(err, f.Close())
	}
	return errors.Join(err, r.lock.Close(), r.Folder.Close())
}

// AppendMetrics adds the line of one update to metrics.jsonl. v must have the update in its field "update", above that of
// the line before. A value that is not finite is an error.
func (r *Run) AppendMetrics(update int, v any) error {
	line, err := store.Numbered(v)
	if err != nil {
		return fmt.Errorf("metrics of update %d: %w", update, err)
	}
	if line.Update != update {
		return fmt.Errorf("metrics of update %d: the line says update %d", update, line.Update)
	}
	if err := r.metrics.Append(line); err != nil {
		return err
	}
	for _, f := range r.followers {
		f.Metrics(update, line.Data)
	}
	return r.appendSums(line)
}

// AppendTiming adds a line to timing.jsonl. v must have a field "update".
func (r *Run) AppendTiming(v any) error {
	line, err := store.Numbered(v)
	if err != nil {
		return fmt.Errorf("timing: %w", err)
	}
	if err := r.timing.Append(line); err != nil {
		return err
	}
	for _, f := range r.followers {
		f.Timing(line.Update, line.Data)
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

// FreeDir returns root/<name>-s<seed>, with a number appended where that exists and is not merely [Begun]. If a folder cannot be looked at, it is
// returned, and [Create] reports the error.
func FreeDir(root, name string, seed int) string {
	dir := filepath.Join(root, name+"-s"+strconv.Itoa(seed))
	for n := 2; ; n++ {
		if _, err := os.Lstat(dir); err != nil || Begun(dir) && !Locked(dir) {
			return dir
		}
		dir = filepath.Join(root, fmt.Sprintf("%s-s%d-%d", name, seed, n))
	}
}

// A Follower is told what is written to a run, right after it was written, for those who watch runs with other tools. What goes wrong with
// it is its own to tell, and never stops the run.
type Follower interface {
	Metrics(update int, line []byte) // of metrics.jsonl
	Timing(update int, line []byte)  // of timing.jsonl
	Restored(update int)             // the run goes on after this update: everything of later ones is gone
	Finished(report Report)
	Close() error
}

// Follow lets f follow the run until the run is closed, which closes f too. Call it before [Run.Restore].
func (r *Run) Follow(f Follower) { r.followers = append(r.followers, f) }

// ErrLocked is wrapped by the error of opening a run that another process writes to.
var ErrLocked = folder.ErrLocked

// takeLock locks the file DIR/lock for this process.
func takeLock(dir string) (*os.File, error) { return folder.Lock(filepath.Join(dir, "lock")) }

// Locked says whether another process, or another [Run] of this one, writes to the run in dir.
func Locked(dir string) bool { return folder.Locked(filepath.Join(dir, "lock")) }
