package runs

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"syscall"
	"time"

	"parley/internal/folder"
	"parley/internal/usererror"
	"parley/runs/store"
)

// MetaFile is the name of the file that makes a folder a run. A copy of it lies among the checkpoints.
const MetaFile = "run.json"

var metaCopy = inCheckpoints(MetaFile)

// Format is the version of the folder's layout.
const Format = 1

// Meta is run.json: what was run and on what.
type Meta struct {
	Format  int             `json:"format"`           // of the folder; set by Create
	Name    string          `json:"name"`             // of the recipe
	Task    string          `json:"task"`             // of the recipe
	Seed    int             `json:"seed"`             // root of all randomness
	Recipe  string          `json:"recipe"`           // in full, every default filled in, as YAML
	Words   int             `json:"words,omitempty"`  // version of what its words mean; set by Create. Read gives every recipe in those of today
	Keep    int             `json:"keep"`             // checkpoints kept, at least 1
	Created time.Time       `json:"created"`          // set by Create where it is zero
	Folder  string          `json:"folder,omitempty"` // where the run was made, whole: files beside it are found again where both were moved. Set by Create
	Parley  string          `json:"parley"`           // version and commit
	Go      string          `json:"go"`               // version of the compiler
	System  string          `json:"system"`           // such as linux/amd64
	CPU     string          `json:"cpu,omitempty"`    // name of the processor
	Cores   int             `json:"cores"`            // that the process may use
	Kernels string          `json:"kernels"`          // kernel set of the engine
	Python  string          `json:"python,omitempty"` // version of python3, where the recipe names a file of Python
	Threads int             `json:"threads"`          // of the engine; results do not depend on it
	Base    string          `json:"base,omitempty"`   // name of the first agent's base model
	Bases   []Base          `json:"bases,omitempty"`
	Files   []File          `json:"files,omitempty"`   // that decide the numbers beside the bases
	Changes []Change        `json:"changes,omitempty"` // of all these in the middle of the run, as they were accepted
	Worker  string          `json:"worker,omitempty"`  // SHA-256 of the files of the process that computes (engine.torch)
	Cluster json.RawMessage `json:"cluster,omitempty"` // what was measured of the server that computes (package train/cluster)
	Study   *OfStudy        `json:"study,omitempty"`   // in whose folder the run was begun
	Mark    string          `json:"mark,omitempty"`    // that this user made the run, where its recipe does things outside (package train/provenance)

	MaxUpdates *int `json:"max_updates,omitempty"` // after which training stops; nil: where the recipe says. See [Run.Bound]

	recorded string // the recipe in the words that it was recorded in, where they are not those of today
}

// Base is a base model of a run.
type Base struct {
	Name     string   `json:"name"`               // as the recipe has it
	SHA256   string   `json:"sha256"`             // of its files
	Agents   []int    `json:"agents"`             // who speak with it, from 1
	Policies []string `json:"policies,omitempty"` // trained over it
}

// OfStudy is the study that a run belongs to.
type OfStudy struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"` // of its file when the run was begun
}

// Read returns what is in run.json. It needs no lock. A folder that is no run is a [*NotRunError]; a run whose run.json is missing or damaged is a
// [*DamagedError].
func Read(dir string) (Meta, error) {
	meta, err := readMeta(dir, MetaFile)
	switch {
	case err == nil:
		return meta, nil
	case missing(err) && !isRun(dir):
		return meta, &NotRunError{dir}
	case missing(err):
		err = fmt.Errorf("%s is missing", filepath.Join(dir, MetaFile))
	case !errors.Is(err, folder.ErrDamaged):
		return meta, fmt.Errorf("read %s: %w", filepath.Join(dir, MetaFile), err)
	default:
		err = fmt.Errorf("read %s: %w", filepath.Join(dir, MetaFile), err)
	}
	_, copied := readMeta(dir, metaCopy)
	return Meta{}, &DamagedError{Dir: dir, Err: err, Whole: copied == nil}
}

// readMeta reads run.json or its copy. The error of a file that is no JSON, or that was changed after it was written,
// wraps [folder.ErrDamaged].
func readMeta(dir, name string) (meta Meta, err error) {
	data, err := folder.ReadFile(dir, name)
	if err != nil {
		return meta, err
	}
	if err := json.Unmarshal(data, &meta); err != nil {
		return meta, fmt.Errorf("%w (%v)", folder.ErrDamaged, err)
	}
	if err := folder.CheckSeal(data); err != nil {
		return meta, err
	}
	if meta.Format != Format {
		return meta, fmt.Errorf("format %d, this parley reads format %d", meta.Format, Format)
	}
	meta.inWordsOfToday()
	return meta, nil
}

// missing says whether an error is about something that is not there.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// isRun says whether a folder is, or was, a run: it has run.json, its copy, or what only a run has.
func isRun(dir string) bool {
	f, err := folder.Open(dir)
	if err != nil {
		return false
	}
	defer f.Close()
	for _, name := range []string{MetaFile, metaCopy, store.SumsFile} {
		if _, err := f.Stat(name); err == nil || errors.As(err, new(*folder.StrangeError)) {
			return true
		}
	}
	list, _ := Checkpoints(dir)
	return len(list) > 0
}

// A NotRunError says that a folder does not exist or is not a run. It wraps [fs.ErrNotExist].
type NotRunError struct{ Dir string }

func (e *NotRunError) Error() string { return e.Dir + " is not a run: it has no run.json" }

func (e *NotRunError) Unwrap() error { return fs.ErrNotExist }

// A DamagedError says that run.json of a run cannot be read, and what to do.
type DamagedError struct {
	Dir   string
	Err   error
	Whole bool // the copy is
}

func (e *DamagedError) Error() string {
	if e.Whole {
		return fmt.Sprintf("%v; its copy among the checkpoints is whole, and this takes it and goes on: %s", e.Err, usererror.Train("--resume", e.Dir))
	}
	return fmt.Sprintf("%v, and there is no whole copy of it: put it back, or start a new run", e.Err)
}

func (e *DamagedError) Unwrap() error { return e.Err }

// Heal puts the copy of run.json in its place where it is missing or damaged, and says so. Where nothing is wrong, or there is no whole copy, it
// does nothing.
func Heal(dir string) (note string, err error) {
	var damaged *DamagedError
	if _, err := Read(dir); !errors.As(err, &damaged) || !damaged.Whole {
		return "", nil
	}
	r, err := lockRun(dir)
	if err != nil {
		return "", err
	}
	note, err = r.heal(damaged)
	return note, errors.Join(err, r.Close())
}

func (r *Run) heal(damaged *DamagedError) (note string, err error) {
	meta, err := readMeta(r.dir, metaCopy)
	if err != nil {
		return "", fmt.Errorf("read the copy of %s: %w", MetaFile, err)
	}
	kept, err := r.KeepAside(MetaFile)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%v: its copy among the checkpoints takes its place%s", damaged.Err, kept), r.setMeta(meta)
}

// setMeta writes run.json, then its copy.
func (r *Run) setMeta(meta Meta) error {
	if err := r.WriteJSON(MetaFile, meta.onDisk()); err != nil {
		return err
	}
	r.meta = meta
	return r.WriteJSON(metaCopy, meta.onDisk())
}

// Amend changes what is in run.json.
func (r *Run) Amend(change func(*Meta)) error {
	meta := r.meta
	change(&meta)
	return r.setMeta(meta)
}

// Words is the version of what the words of recorded recipes mean. Since 1 the match normalised of task data tells 1/2 from 12; what it was
// before is called squad.
const Words = 1

var oldMatch = regexp.MustCompile(`(?m)^(  match: )normalised$`)

// inWordsOfToday gives a recipe that was recorded before the words of today, so that it means what it meant.
func (m *Meta) inWordsOfToday() {
	if m.Words >= Words {
		return
	}
	if now := oldMatch.ReplaceAllString(m.Recipe, "${1}squad"); now != m.Recipe {
		m.recorded, m.Recipe = m.Recipe, now
	}
	m.Words = Words
}

// Recorded is the text of the recipe as run.json has it.
func (m Meta) Recorded() string { return cmp.Or(m.recorded, m.Recipe) }

// onDisk is what run.json says: a recipe that has not changed since it was read stays in its words, for which the run is marked.
func (m Meta) onDisk() Meta {
	was := Meta{Recipe: m.recorded}
	if was.inWordsOfToday(); m.recorded != "" && was.Recipe == m.Recipe {
		m.Recipe, m.Words = m.recorded, 0
	}
	return m
}
