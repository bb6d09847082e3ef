package keep

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"parley/internal/folder"
	"parley/rl/rollout"
)

// aheadFile holds the episodes that wait, in the folder of a checkpoint.
const aheadFile = "ahead.jsonl"

// Ahead are those of a training.
//
// Rollouts are one update ahead of the learner (training.async 1): the episodes of an update are sampled before the steps of the update
// before, at the same time where the engines can. Numbers stay a function of recipe and seed, the same either way:
//
//	update 1:  sample episodes 1 and 2 with θ_0, learn from 1 → θ_1
//	update u:  sample episodes u+1 with θ_(u−1), learn from u, which θ_(u−2) wrote → θ_u
//
// The learner weighs every token with min(π/π_behaviour, group.ratio_cap), held constant (magrpo.md §4): what wrote it is one update older than
// what learns from it. Episodes that wait are saved with a checkpoint, so that a run which goes on learns from the same ones.
type Ahead struct {
	Ahead   bool
	Updates int // of the training: nothing is sampled for later ones
	// Play rolls out the update after so many.
	Play func(ctx context.Context, done int) ([]*rollout.Episode, error)
	// Pin lets engines draw from policies as they are now until release is called; a nil release says that they cannot.
	Pin func(ctx context.Context) (release func(), err error)

	next []*rollout.Episode        // of the next update; nil: none wait
	end  func(learned error) error // nil: nothing is sampled now
	lag  int
}

// Of returns the episodes of the update after so many: those that wait, or fresh ones.
func (r *Ahead) Of(ctx context.Context, done int) (episodes []*rollout.Episode, err error) {
	episodes, r.lag, r.next = r.next, 1, nil
	if episodes == nil {
		r.lag = 0
		episodes, err = r.Play(ctx, done)
	}
	return episodes, err
}

// Begin samples the update after the one that is to learn now, where that is to be ahead: at once, or until [Rollouts.End] where engines keep the policies
// as they are.
func (r *Ahead) Begin(ctx context.Context, done int) error {
	if !r.Ahead || done+1 >= r.Updates {
		return nil
	}
	release, err := r.Pin(ctx)
	if err != nil {
		return fmt.Errorf("keep policies for update %d: %w", done+2, err)
	}
	if release == nil {
		return r.play(ctx, done+1)
	}
	sampling, cancel := context.WithCancel(ctx)
	played := make(chan error, 1)
	go func() { played <- r.play(sampling, done+1) }()
	r.end = func(learned error) error {
		if learned != nil {
			cancel()
		}
		sampled := <-played
		cancel()
		release()
		if learned != nil {
			return learned
		}
		return sampled
	}
	return nil
}

// End waits for what is sampled while an update learns, and gives it up where that has failed. It returns the first error.
func (r *Ahead) End(learned error) error {
	end := r.end
	if r.end = nil; end == nil {
		return learned
	}
	return end(learned)
}

// play samples the update after so many, which waits then.
func (r *Ahead) play(ctx context.Context, done int) (err error) {
	if r.next, err = r.Play(ctx, done); err != nil {
		return fmt.Errorf("sample update %d ahead: %w", done+1, err)
	}
	return nil
}

// Lag is how many updates older the policies were that wrote the last episodes than those that learn from them.
func (r *Ahead) Lag() int { return r.lag }

// Save writes the episodes that wait into the folder of a checkpoint, if there are any.
func (r *Ahead) Save(dir string) error {
	if r.next == nil {
		return nil
	}
	var b bytes.Buffer
	err := WriteAhead(r.next, json.NewEncoder(&b).Encode)
	if err == nil {
		err = folder.WriteFile(filepath.Join(dir, aheadFile), b.Bytes())
	}
	if err != nil {
		return fmt.Errorf("save episodes of the next update: %w", err)
	}
	return nil
}

// WriteAhead writes episodes one by one.
func WriteAhead(episodes []*rollout.Episode, enc func(any) error) error {
	for _, e := range episodes {
		if err := enc(e); err != nil {
			return err
		}
	}
	return nil
}

// Load reads what Save wrote.
func (r *Ahead) Load(dir string) (err error) {
	r.next = nil
	f, err := os.Open(filepath.Join(dir, aheadFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		defer f.Close()
		r.next, err = readAhead(f)
	}
	if err != nil {
		return fmt.Errorf("load episodes of the next update: %w", err)
	}
	return nil
}

// readAhead reads episodes, one a line.
func readAhead(from io.Reader) (list []*rollout.Episode, err error) {
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		e, err := rollout.ReadEpisode(line)
		if err != nil {
			return nil, err
		}
		list = append(list, e)
	}
}
