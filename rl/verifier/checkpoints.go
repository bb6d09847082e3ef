package verifier

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"parley/engine"
	"parley/internal/folder"
)

// Checkpoints are where a verifier in training is kept, so that training which was interrupted or killed goes on where it was, to the same
// numbers. Every folder in Dir is one state: the adapter with its optimizer, and what it is a state of.
type Checkpoints struct {
	Dir   string // empty: nothing is kept
	Every int    // optimizer steps between states; 0: a twentieth of all
}

// stateFile is what a state is of.
const stateFile = "state.json"

// state says after which step of which training a state was kept.
type state struct {
	Step     int      `json:"step"`
	Settings Settings `json:"settings"`
	Data     string   `json:"data"` // hash of tokens and labels
}

// hashOf identifies the data of a training.
func hashOf(data []engine.Datum, labels []bool) (string, error) {
	h := sha256.New()
	if err := json.NewEncoder(h).Encode(struct {
		Data   []engine.Datum
		Labels []bool
	}{data, labels}); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// keep writes the state after a step, then removes the older ones.
func (c Checkpoints) keep(ctx context.Context, e engine.Engine, p engine.Policy, s state) error {
	older, err := c.states()
	if err != nil {
		return err
	}
	dir := filepath.Join(c.Dir, fmt.Sprintf("%08d", s.Step))
	if slices.Contains(older, dir) {
		return nil
	}
	err = folder.Whole(dir, func(tmp string) error {
		if err := e.Save(ctx, p, filepath.Join(tmp, adapterFolder)); err != nil {
			return err
		}
		return folder.WriteJSON(filepath.Join(tmp, stateFile), s)
	})
	if err != nil {
		return err
	}
	for _, dir := range older {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	return err
}

// restore loads the newest state as policy p and returns its step; without one it adds the policy, at step 0. A state of another training
// is an error.
func (c Checkpoints) restore(ctx context.Context, e engine.Engine, p engine.Policy, now state) (int, error) {
	found, err := c.states()
	if err != nil {
		return 0, err
	}
	if len(found) == 0 {
		return 0, e.NewPolicy(ctx, p, now.Settings.Spec())
	}
	newest := found[len(found)-1]
	data, err := os.ReadFile(filepath.Join(newest, stateFile))
	if err != nil {
		return 0, err
	}
	var was state
	if err := json.Unmarshal(data, &was); err != nil {
		return 0, fmt.Errorf("%s: %w", filepath.Join(newest, stateFile), err)
	}
	step := was.Step
	if was.Step, now.Step = 0, 0; !was.same(now) {
		return 0, fmt.Errorf("%s holds a verifier in training with other solutions or settings: go on with those, or delete it", c.Dir)
	}
	return step, e.Load(ctx, p, filepath.Join(newest, adapterFolder))
}

// same reports whether two states are of one training.
func (s state) same(other state) bool {
	a, errA := json.Marshal(s)
	b, errB := json.Marshal(other)
	return errA == nil && errB == nil && string(a) == string(b)
}

// states lists the states that are there, oldest first.
func (c Checkpoints) states() ([]string, error) {
	if c.Dir == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(c.Dir) // sorted by name
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var found []string
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err == nil {
			found = append(found, filepath.Join(c.Dir, e.Name()))
		}
	}
	return found, err
}

// Done removes what was kept.
func (c Checkpoints) Done() error {
	if c.Dir == "" {
		return nil
	}
	return os.RemoveAll(c.Dir)
}
