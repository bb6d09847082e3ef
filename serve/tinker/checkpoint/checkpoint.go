// Package checkpoint keeps what models of a server saved, in a folder that outlives the server:
//
//	runs/SESSION_train_N/run.json                  a model: its base, its rank, who made it
//	runs/SESSION_train_N/weights/NAME/             a state to train on: adapter, optimizer
//	runs/SESSION_train_N/sampler_weights/NAME/     an adapter to sample from
//	runs/SESSION_train_N/external_weights/NAME/    an adapter to take away
//	passing/                                       what lives as long as a session; goes at every start
//
// A checkpoint is there whole or not at all, whatever happens to the server meanwhile. Names come from clients: they are letters, digits, dots, lines and
// underscores, and never lead out of their folder.
package checkpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"parley/internal/folder"
)

// The kinds of checkpoints.
const (
	Training = "weights"
	Sampler  = "sampler_weights"
	External = "external_weights"
)

// Files of a checkpoint that are no adapter.
const (
	aboutFile     = "checkpoint.json"
	optimizerFile = "optimizer.safetensors"
	runFile       = "run.json"
)

// A Run is a model that was trained.
type Run struct {
	ID       string         `json:"training_run_id"`
	Session  string         `json:"session_id"`
	Base     string         `json:"base_model"`
	Rank     int            `json:"lora_rank"`
	Alpha    float64        `json:"lora_alpha"`
	MLP      bool           `json:"train_mlp"`
	Attn     bool           `json:"train_attn"`
	Made     time.Time      `json:"created"`
	Metadata map[string]any `json:"user_metadata,omitempty"`
}

// An About says what a checkpoint is.
type About struct {
	Run      string         `json:"training_run_id"`
	Kind     string         `json:"kind"`
	Name     string         `json:"name"`
	Base     string         `json:"base_model"`
	Rank     int            `json:"lora_rank"`
	MLP      bool           `json:"train_mlp"`
	Attn     bool           `json:"train_attn"`
	Made     time.Time      `json:"time"`
	Size     int64          `json:"size_bytes"`
	Public   bool           `json:"public"`
	Expires  *time.Time     `json:"expires_at,omitempty"`
	Metadata map[string]any `json:"user_metadata,omitempty"`
}

// ID is what lists call it within its run.
func (a *About) ID() string { return a.Kind + "/" + a.Name }

// Path is what clients call it.
func (a *About) Path() string { return "tinker://" + a.Run + "/" + a.Kind + "/" + a.Name }

// A Store is a folder of checkpoints. Its methods are safe for concurrent use.
type Store struct {
	dir  string
	lock io.Closer
	mu   sync.Mutex // of what lists and deletes
}

// Open takes a folder, which it makes where it is not there. Two servers cannot have one at a time.
func Open(dir string) (*Store, error) {
	if err := os.MkdirAll(filepath.Join(dir, "runs"), 0o700); err != nil {
		return nil, err
	}
	lock, err := folder.Lock(filepath.Join(dir, "lock"))
	if err != nil {
		return nil, err
	}
	s := &Store{dir: dir, lock: lock}
	if err := s.clear(); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return s, nil
}

// Close gives the folder back.
func (s *Store) Close() error { return s.lock.Close() }

func (s *Store) passing() string { return filepath.Join(s.dir, "passing") }

var (
	runName  = regexp.MustCompile(`^[A-Za-z0-9-]{1,64}:train:[0-9]{1,9}$`)
	namePart = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,126}$`)
)

// CheckName refuses what is no name of a checkpoint.
func CheckName(name string) error {
	if !namePart.MatchString(name) {
		return fmt.Errorf("%.140q is no name of a checkpoint: write letters, digits, dots, lines and underscores, at most 127, the first no dot", name)
	}
	return nil
}

// LongestTTL is more than anybody waits for the end of a checkpoint, in seconds.
const LongestTTL = 100 * 365 * 24 * 3600

// ErrTaken is wrapped by errors about names that are taken.
var ErrTaken = errors.New("it is there already; choose another name, or save with overwrite")

// ErrMissing is wrapped by errors about what is not there.
var ErrMissing = errors.New("it is not there")

// ParsePath reads a path of the protocol.
func ParsePath(path string) (run, kind, name string, err error) {
	rest, ok := strings.CutPrefix(path, "tinker://")
	part := strings.Split(rest, "/")
	if !ok || len(part) != 3 || !runName.MatchString(part[0]) || !isKind(part[1]) || !namePart.MatchString(part[2]) {
		return "", "", "", fmt.Errorf("%.200q is no path of a checkpoint, such as tinker://RUN/weights/NAME", path)
	}
	return part[0], part[1], part[2], nil
}

func isKind(kind string) bool { return kind == Training || kind == Sampler || kind == External }

// folder is where a run lies. Its name is that of the run as all systems allow it.
func (s *Store) folder(run string) string {
	return filepath.Join(s.dir, "runs", strings.ReplaceAll(run, ":", "_"))
}

// AddRun notes a run.
func (s *Store) AddRun(r Run) error {
	if !runName.MatchString(r.ID) {
		return fmt.Errorf("%.100q is no name of a model", r.ID)
	}
	if err := os.MkdirAll(s.folder(r.ID), 0o700); err != nil {
		return err
	}
	return s.write(filepath.Join(s.folder(r.ID), runFile), r)
}

// write replaces a small file of JSON, so that it is there whole whenever it is read.
func (s *Store) write(path string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	if err := folder.WriteFile(path+".new", append(text, '\n')); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

func read[T any](path string) (v T, err error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return v, ErrMissing
	}
	if err == nil {
		err = json.Unmarshal(data, &v)
	}
	return v, err
}

// Run is a run by its name.
func (s *Store) Run(id string) (Run, error) {
	if !runName.MatchString(id) {
		return Run{}, fmt.Errorf("training run %.100q: %w", id, ErrMissing)
	}
	r, err := read[Run](filepath.Join(s.folder(id), runFile))
	if err != nil {
		return r, fmt.Errorf("training run %s: %w", id, err)
	}
	return r, nil
}

// Save makes a checkpoint of what write puts into a folder: all of it for training, the adapter alone for others. A name that is taken is an error,
// unless it may be replaced.
func (s *Store) Save(a About, replace bool, write func(dir string) error) (About, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := CheckName(a.Name); err != nil {
		return a, err
	}
	dir := filepath.Join(s.folder(a.Run), a.Kind, a.Name)
	if _, err := os.Lstat(dir); err == nil && !replace {
		return a, fmt.Errorf("%s: %w", a.Path(), ErrTaken)
	}
	tmp, err := s.draft(write, a.Kind == Training)
	if err != nil {
		return a, err
	}
	defer s.Forget(tmp)
	if a.Size, err = sizeOf(tmp); err != nil {
		return a, err
	}
	if err := s.write(filepath.Join(tmp, aboutFile), a); err != nil {
		return a, err
	}
	return a, s.place(tmp, dir)
}

// draft writes a policy into a new folder.
func (s *Store) draft(write func(dir string) error, optimizer bool) (string, error) {
	parent, err := os.MkdirTemp(s.passing(), draftName)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(parent, "policy")
	if err := write(dir); err != nil {
		return "", errors.Join(err, os.RemoveAll(parent))
	}
	if !optimizer {
		if err := os.Remove(filepath.Join(dir, optimizerFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", errors.Join(err, os.RemoveAll(parent))
		}
	}
	return dir, nil
}

// place gives a folder its name. One that it replaces is moved aside before: after a crash between the two, the next start puts the old one back.
func (s *Store) place(tmp, dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	aside := filepath.Join(filepath.Dir(tmp), replaced)
	if err := os.Rename(dir, aside); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err := os.Rename(tmp, dir)
	if err != nil {
		s.putBack(filepath.Dir(tmp))
	}
	return err
}

func sizeOf(dir string) (size int64, err error) {
	all, err := os.ReadDir(dir)
	for _, f := range all {
		if i, err := f.Info(); err == nil {
			size += i.Size()
		}
	}
	return size, err
}

// Passing writes a policy to sample from that lives as long as a session; see [Store.Forget].
func (s *Store) Passing(write func(dir string) error) (string, error) { return s.draft(write, false) }

// Forget removes a folder of [Store.Passing].
func (s *Store) Forget(dir string) { _ = os.RemoveAll(filepath.Dir(dir)) } // what stays goes at the next start

// Find is a checkpoint and its folder.
func (s *Store) Find(run, kind, name string) (About, string, error) {
	if !runName.MatchString(run) || !isKind(kind) || !namePart.MatchString(name) {
		return About{}, "", fmt.Errorf("checkpoint %.60q of %.100q: %w", kind+"/"+name, run, ErrMissing)
	}
	dir := filepath.Join(s.folder(run), kind, name)
	a, err := read[About](filepath.Join(dir, aboutFile))
	if err == nil && a.expired(time.Now()) {
		err = ErrMissing
	}
	if err != nil {
		return a, "", fmt.Errorf("checkpoint tinker://%s/%s/%s: %w", run, kind, name, err)
	}
	return a, dir, nil
}

func (a *About) expired(now time.Time) bool { return a.Expires != nil && now.After(*a.Expires) }

// Load lets load read a checkpoint, with the state of its optimizer or without.
func (s *Store) Load(dir string, optimizer bool, load func(dir string) error) error {
	if optimizer {
		return load(dir)
	}
	tmp, err := os.MkdirTemp(s.passing(), loadName)
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	all, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, f := range all {
		if f.Name() == optimizerFile || f.Name() == aboutFile {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err == nil {
			err = os.WriteFile(filepath.Join(tmp, f.Name()), data, 0o600)
		}
		if err != nil {
			return err
		}
	}
	return load(tmp)
}
