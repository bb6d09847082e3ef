// Package kept keeps what an evaluation has finished in a folder, so that one that was interrupted goes on there.
//
//	folder.go   the folder: what is evaluated, and its lock; a run whose training is finished
//	journal.go  the finished problems of a system, a line each
//	systems.go  whole measurements of systems, of runs and of evaluations, and what they answered
//	panel.go    the measurements of a team while it is trained
//
// The folder appears with the first finished problem and is removed once the evaluation is done. It is no run. Only one process at a time writes to it.
package kept

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"parley/internal/folder"
	"parley/internal/usererror"
	"parley/recipe"
	"parley/rl/rollout/keep"
	"parley/runs"
	"parley/runs/store"
	"parley/train/plan"
	"parley/train/provenance"
)

// originFile says what is evaluated.
const originFile = "evaluation.json"

// An Origin is what is evaluated.
type Origin struct {
	Run    string    `json:"run,omitempty"`            // folder of the run that is measured; empty: the untrained team of the recipe
	Accept bool      `json:"accept_changed,omitempty"` // the run is measured though something of it has changed
	Moved  []string  `json:"moved,omitempty"`          // where files of the run are, changes key=value
	Meta   runs.Meta `json:"meta"`                     // the recipe, and what decides the numbers
}

// A Folder keeps what an evaluation finishes.
type Folder struct {
	origin Origin
	dir    string
	note   func(string)

	mu       sync.Mutex
	store    *store.Store // nil: nothing was kept yet
	lock     *os.File
	journals map[string]*journal
	resumed  bool
	system   string // that is measured now
	broken   bool   // it cannot be written to
	root     bool   // the folder that it is in was made for it
}

// FreeDir is root/eval-NAME, with a number appended where that exists. interrupted is the first of those that exist which is an interrupted evaluation;
// empty: none is.
func FreeDir(root, name string) (dir, interrupted string) {
	dir = filepath.Join(root, "eval-"+name)
	for n := 2; ; n++ {
		if _, err := os.Lstat(dir); err != nil {
			return dir, interrupted
		}
		if interrupted == "" && Is(dir) && !folder.Locked(filepath.Join(dir, "lock")) {
			interrupted = dir
		}
		dir = filepath.Join(root, fmt.Sprintf("eval-%s-%d", name, n))
	}
}

// Is reports whether a folder is that of an interrupted evaluation.
func Is(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, originFile))
	return err == nil
}

// New returns a folder that is made once something is finished. note is told why nothing can be kept. With an empty dir nothing
// is.
func New(dir string, o Origin, note func(string)) *Folder {
	return &Folder{origin: o, dir: dir, note: note, journals: map[string]*journal{}, broken: dir == ""}
}

// Open opens the folder of an evaluation that was interrupted, with the recipe of the team that is measured; nil: the run has it. A recipe that was not
// written by this user is refused where it does things outside, unless it is trusted.
func Open(dir string, language *recipe.Language, trusted bool, note func(string)) (*Folder, *recipe.Recipe, error) {
	f := New(dir, Origin{}, note)
	err := runs.ReadSealed(dir, originFile, &f.origin)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, usererror.Errorf("%s is no interrupted evaluation: it has no %s", dir, originFile)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read what is evaluated: %w", err)
	}
	f.resumed = true
	if f.origin.Run != "" {
		return f, nil, f.open()
	}
	if language == nil {
		return nil, nil, errors.New("no language to read the recipe in")
	}
	r, err := language.Parse(filepath.Join(dir, originFile), []byte(f.origin.Meta.Recipe), nil)
	if err == nil && !trusted {
		err = provenance.CheckRecord(r, dir, f.origin.Meta)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("the recipe recorded in %s: %w", dir, err)
	}
	return f, plan.Dated(r, f.origin.Meta.Created), f.open()
}

// Begin says what decides the numbers now. An evaluation that goes on is refused where that is another than it was.
func (f *Folder) Begin(ctx context.Context, r *recipe.Recipe, now runs.Meta) error {
	switch {
	case f.resumed:
		return f.same(ctx, now)
	case f.dir == "":
		return nil
	}
	mark, err := provenance.MarkTrusted(r, now.Recipe)
	if err != nil {
		f.note(err.Error())
	}
	now.Mark, now.Created = mark, time.Now().UTC().Truncate(time.Second)
	f.origin.Meta = now
	return nil
}

// Unfinished is the error of an evaluation that ended with err, with what to do then. interrupted makes it where it was interrupted, of what is
// kept.
func (f *Folder) Unfinished(err error, wasInterrupted bool, interrupted func(kept string) error) error {
	switch again := f.again(); {
	case wasInterrupted && again == "":
		return interrupted("nothing was written")
	case wasInterrupted:
		return interrupted("the problems that are finished are kept; go on with\n  " + again)
	case again != "":
		return fmt.Errorf("%w\nthe problems that are finished are kept; go on with\n  %s", err, again)
	}
	return err
}

// Origin is what is evaluated.
func (f *Folder) Origin() Origin { return f.origin }

// same refuses to go on where something that decides the numbers is another than it was.
func (f *Folder) same(ctx context.Context, now runs.Meta) error {
	list, err := provenance.Changes(ctx, f.origin.Meta, now)
	if err != nil || len(list) == 0 {
		return err
	}
	lines := make([]string, len(list))
	for i, c := range list {
		lines[i] = "  " + c.String()
	}
	return usererror.Errorf("what decides the numbers of %s changed since the evaluation was interrupted:\n%s\nput it back; or begin again, and remove %s", f.dir, strings.Join(lines, "\n"), f.dir)
}

// again is the command that goes on; empty: nothing is kept.
func (f *Folder) again() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.store == nil {
		return ""
	}
	return usererror.Quote("parley", "eval", "--resume", f.dir)
}

// Keeper keeps the finished problems of a part of the system that is measured now.
func (f *Folder) Keeper(part int) keep.Keeper { return keeper{f, f.system, part} }

// open takes the lock of a folder that is there.
func (f *Folder) open() (err error) {
	if f.lock, err = folder.Lock(filepath.Join(f.dir, "lock")); err != nil {
		return err
	}
	if f.store, err = store.Open(f.dir); err != nil {
		return errors.Join(err, f.lock.Close())
	}
	f.store.Again = func() string { return usererror.Quote("parley", "eval", "--resume", f.dir) }
	return nil
}

// begin makes the folder.
func (f *Folder) begin() error {
	if f.store != nil {
		return nil
	}
	_, err := os.Lstat(filepath.Dir(f.dir))
	f.root = errors.Is(err, fs.ErrNotExist)
	if err := os.MkdirAll(filepath.Dir(f.dir), 0o755); err != nil {
		return err
	}
	if err := os.Mkdir(f.dir, 0o755); err != nil {
		return err
	}
	if err := f.open(); err != nil {
		return err
	}
	if err := os.Mkdir(filepath.Join(f.dir, "evaluation"), 0o755); err != nil {
		return err
	}
	return f.store.WriteJSON(originFile, f.origin)
}

// trouble says once that nothing more can be kept.
func (f *Folder) trouble(err error) {
	if !f.broken {
		f.note(fmt.Sprintf("finished problems are not kept: %v; an evaluation that is interrupted has to begin again", err))
	}
	f.broken = true
}

// Done ends the folder of an evaluation that is done. Where a file is named, it gets what every system answered to the held-out problems.
func (f *Folder) Done(answers string) error {
	if answers != "" {
		if err := f.copyAnswers(answers); err != nil {
			return fmt.Errorf("write answers to held-out problems: %w", err)
		}
	}
	return f.remove()
}

// copyAnswers puts the files of all systems behind each other, which is a packed file again.
func (f *Folder) copyAnswers(to string) error {
	list, err := store.Answers(f.dir)
	if err == nil && len(list) == 0 {
		err = errors.New("the evaluation has kept none")
	}
	if err != nil {
		return err
	}
	var all []byte
	for _, a := range list {
		data, err := read(f.dir, store.AnswersFile(a.System, a.Update))
		if err != nil {
			return err
		}
		all = append(all, data...)
	}
	return folder.WriteFile(to, all)
}

// remove removes the folder.
func (f *Folder) remove() error {
	opened := f.store != nil
	if err := f.Close(); err != nil || !opened {
		return err
	}
	if err := os.RemoveAll(f.dir); err != nil {
		return fmt.Errorf("remove what the evaluation kept: %w", err)
	}
	if f.root {
		_ = os.Remove(filepath.Dir(f.dir)) // another may have begun a run there
	}
	return nil
}

// Close gives the lock back. What is kept stays.
func (f *Folder) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.store == nil {
		return nil
	}
	var errs []error
	for _, j := range f.journals {
		errs = append(errs, j.close())
	}
	errs = append(errs, f.store.Folder.Close(), f.lock.Close())
	f.store, f.journals = nil, map[string]*journal{}
	return errors.Join(errs...)
}

// Dir implements [Place]. The folder may not be there.
func (f *Folder) Dir() string { return f.dir }

// WriteCompact implements [Place]. It fails only where v is no JSON: what cannot be kept is measured again.
func (f *Folder) WriteCompact(name string, v any) error {
	if _, err := json.Marshal(v); err != nil {
		return err
	}
	f.write(func() error { return f.store.WriteCompact(name, v) })
	return nil
}

// WriteStream implements [Place].
func (f *Folder) WriteStream(name string, write func(w io.Writer) error) error {
	f.write(func() error { return f.store.WriteStream(name, write) })
	return nil
}

// write writes to the folder, which is made for that.
func (f *Folder) write(do func() error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.broken {
		return
	}
	err := f.begin()
	if err == nil {
		err = do()
	}
	if err != nil {
		f.trouble(err)
	}
}

// read reads a file of the folder.
func read(dir, name string) ([]byte, error) { return folder.ReadFile(dir, name) }

// Finished is the report of a run that has been trained to its end. Only such a run has a trained team to measure.
func Finished(dir string) (runs.Report, error) {
	report, err := runs.ReadReport(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return report, usererror.Errorf("run %s has not finished training: go on with `%s`, or measure what there is with `%s`", dir,
			runs.Again(dir), usererror.Quote("parley", "run", "finish", dir))
	}
	return report, err
}
