package runs

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strconv"
)

// CheckpointDir is the folder of the checkpoint of the run in dir after update.
func CheckpointDir(dir string, update int) string {
	return filepath.Join(dir, "checkpoints", checkpointName(update))
}

// A Manifest lists the files of a checkpoint with their SHA-256, so that damage is noticed.
type Manifest struct {
	Update int               `json:"update"`
	Files  map[string]string `json:"files"`           // path with slashes → hexadecimal SHA-256
	Chain  string            `json:"chain,omitempty"` // of checksums.jsonl up to the update
}

func (r *Run) checkpoints() string { return filepath.Join(r.dir, "checkpoints") }

func checkpointName(update int) string { return fmt.Sprintf("%06d", update) }

// Checkpoint saves everything that is needed to go on after update: state as JSON, and what save writes into the folder it
// is given. The checkpoint appears under its name only when all of it is on the disk, and so are the lines appended before.
// Then older checkpoints are removed, all but [Meta].Keep.
func (r *Run) Checkpoint(update int, state any, save func(dir string) error) error {
	name := filepath.Join("checkpoints", checkpointName(update))
	temp := filepath.Join(r.checkpoints(), tempPrefix+checkpointName(update))
	if err := r.fillCheckpoint(temp, update, state, save); err != nil {
		os.RemoveAll(temp)
		return r.writeError(name, err)
	}
	if err := errors.Join(r.metrics.sync(), r.sums.sync(), r.timing.sync()); err != nil {
		return err
	}
	final := filepath.Join(r.dir, name)
	if err := r.replaceDir(final, temp); err != nil {
		os.RemoveAll(temp)
		return r.writeError(name, err)
	}
	return r.prune(update)
}

// fillCheckpoint writes a whole checkpoint into a fresh folder and flushes it.
func (r *Run) fillCheckpoint(dir string, update int, state any, save func(dir string) error) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := save(dir); err != nil {
		return err
	}
	data, err := json.Marshal(state)
	if err != nil {
		return fmt.Errorf("state: %w", err)
	}
	if err := r.writeSynced(filepath.Join(dir, "state.json"), writes(data)); err != nil {
		return err
	}
	sums, err := Checksums(dir)
	if err != nil {
		return err
	}
	chain, err := r.lastChain()
	if err != nil {
		return err
	}
	if data, err = json.MarshalIndent(Manifest{update, sums, chain}, "", "  "); err != nil {
		return err
	}
	if err := r.writeSynced(filepath.Join(dir, "manifest.json"), writes(append(data, '\n'))); err != nil {
		return err
	}
	return syncTree(r.disk, dir)
}

func writes(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// Checksums hashes every file under dir except the manifest itself.
func Checksums(dir string) (map[string]string, error) {
	sums := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil || rel == "manifest.json" {
			return err
		}
		sums[filepath.ToSlash(rel)], err = Checksum(path)
		return err
	})
	return sums, err
}

// Checksum is the SHA-256 of a file.
func Checksum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// syncTree flushes every file and folder under dir.
func syncTree(d disk, dir string) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			return d.syncDir(path)
		}
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
}

// ReadManifest reads the Manifest of the checkpoint in dir and compares all files with it.
func ReadManifest(dir string) (m Manifest, err error) {
	data, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, fmt.Errorf("manifest.json: %w", err)
	}
	if _, ok := m.Files["state.json"]; !ok {
		return m, errors.New("manifest.json does not list state.json")
	}
	sums, err := Checksums(dir)
	if err != nil {
		return m, err
	}
	for name, want := range m.Files {
		if got, ok := sums[name]; !ok {
			return m, fmt.Errorf("%s is missing", name)
		} else if got != want {
			return m, fmt.Errorf("%s is damaged: its checksum is wrong", name)
		}
	}
	return m, nil
}

// Checkpoints lists the updates after which the run in dir has a checkpoint, whole or not, newest first.
func Checkpoints(dir string) ([]int, error) {
	entries, err := os.ReadDir(filepath.Join(dir, "checkpoints"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read run: %w", err)
	}
	var list []int
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil && n >= 0 && e.IsDir() {
			list = append(list, n)
		}
	}
	sort.Sort(sort.Reverse(sort.IntSlice(list)))
	return list, nil
}

// prune removes all checkpoints but the newest ones up to update, and whatever is damaged or unfinished.
func (r *Run) prune(update int) error {
	list, err := Checkpoints(r.dir)
	if err != nil {
		return err
	}
	kept := map[string]bool{}
	for _, n := range list {
		if n <= update && len(kept) < max(r.meta.Keep, 1) {
			kept[checkpointName(n)] = true
		}
	}
	entries, err := os.ReadDir(r.checkpoints())
	if err != nil {
		return fmt.Errorf("read run: %w", err)
	}
	for _, e := range entries {
		if !kept[e.Name()] {
			if err := os.RemoveAll(filepath.Join(r.checkpoints(), e.Name())); err != nil {
				return fmt.Errorf("remove old checkpoint: %w", err)
			}
		}
	}
	return nil
}
