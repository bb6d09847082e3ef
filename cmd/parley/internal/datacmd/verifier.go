package datacmd

// The verb verifier: MAPoRL's verifier is made from solutions of a base, and scores answers (maporl.md 3).
//
//	solutions.go  solutions are sampled and labelled
//	balance.go  equally many right and wrong ones are chosen
//	train.go    a verifier is trained and measured
//	score.go    it scores answers
//	plot.go     pictures of how good it is

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"time"

	"parley/cmd/parley/internal/cli"
	"parley/engine/native"
	"parley/rl/verifier"
	"parley/train/lineup"
)

// Verifier is the verb verifier.
type Verifier struct {
	Data    verifierDataCmd    `cmd:"" help:"Sample solutions of a base model and label them."`
	Balance verifierBalanceCmd `cmd:"" help:"Select equally many right and wrong solutions of each problem."`
	Train   verifierTrainCmd   `cmd:"" help:"Train a verifier on solutions and measure it on held-out problems."`
	Score   verifierScoreCmd   `cmd:"" help:"Score answers with a trained verifier."`
}

// newFolder refuses a folder that exists, before any work is done for it.
func newFolder(dir string) error {
	if _, err := os.Lstat(dir); err == nil {
		return cli.Usagef("%s exists already: name a new folder with --out", dir)
	}
	return nil
}

// bench opens the base and the task of a recipe that was recorded with solutions or a verifier, over the same files.
func bench(a *cli.App, dir string, o verifier.Origin, sets []string) (*lineup.Workbench, error) {
	r, err := a.Language.Parse(dir, []byte(o.Recipe), sets)
	if err != nil {
		return nil, fmt.Errorf("the recipe recorded in %s: %w", dir, err)
	}
	w, err := lineup.OpenWorkbench(a.Ctx, r, native.Backend{}, 0)
	if err != nil {
		return nil, err
	}
	a.NoteSlow()
	if w.SHA256 != o.SHA256 {
		return nil, errors.Join(cli.Usagef("the base model %s is not the one that %s was made with (its files had the hash %.12s…): put that back", r.Model, dir, o.SHA256), w.Close())
	}
	return w, nil
}

// A pulse tells of progress on stderr, a line now and then.
type pulse struct {
	w    io.Writer
	last time.Time
}

const pulseEvery = 10 * time.Second

// tell writes a line if it is the last, or if none was written for a while.
func (p *pulse) tell(last bool, format string, args ...any) {
	if now := time.Now(); last || now.Sub(p.last) >= pulseEvery {
		p.last = now
		fmt.Fprintf(p.w, format+"\n", args...)
	}
}

// printTally prints what became of sampled solutions.
func printTally(a *cli.App, t verifier.Tally) error {
	if err := a.Printf("sampled %d solutions, kept %d: %d right, %d wrong\n", t.Sampled, t.Kept, t.Right, t.Wrong); err != nil {
		return err
	}
	for _, fault := range slices.Sorted(maps.Keys(t.Dropped)) {
		if err := a.Printf("  dropped %d: %s\n", t.Dropped[fault], fault); err != nil {
			return err
		}
	}
	return nil
}
