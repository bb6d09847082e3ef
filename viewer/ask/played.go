package ask

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"parley/internal/folder"
	"parley/rl/eval"
	"parley/runs"
	"parley/train/measure"
	"parley/viewer/tables"
)

// ContributionFile is where it is kept in a run. Who writes there holds the lock.
const (
	ContributionFile = "contribution.json"
	contributionLock = "contribution.lock"
)

// mostPlayed is how many results are kept, the newest ones.
const mostPlayed = 8

// A Key is what the numbers of a result depend on, beside the run.
type Key struct {
	Update   int `json:"update"`
	Problems int `json:"problems"`
	Seed     int `json:"seed"`
	Orders   int `json:"orders"` // drawn; 0: all
}

// Played is the team on held-out problems with agents absent.
type Played struct {
	Key
	SHA256  string       `json:"problems_sha256"`
	Kernels string       `json:"kernels"`
	Measure eval.Measure `json:"measure"`
	Seats   []Seat       `json:"agents"`
	Arms    []Arm        `json:"arms"`
	Table   *Table       `json:"table"` // nil: not all has been played
}

// An Arm is the team with some agents absent, from 0. Its scores are by problem; nil: it could not be scored.
type Arm struct {
	LeftOut   []int      `json:"left_out"`
	Untrained []int      `json:"untrained"`
	Scores    []*float64 `json:"scores"`
	Why       string     `json:"why,omitempty"` // the arm could not be measured
}

// A Table is what follows from all arms. Everything in it is of the problems that could be scored in every arm.
type Table struct {
	Problems int      `json:"problems"`
	Unscored int      `json:"unscored"`
	Score    float64  `json:"score"`
	Nobody   *float64 `json:"nobody"` // nil: nothing is shared out
	Agents   []Worth  `json:"agents"`
}

// keptContribution is the file.
type keptContribution struct {
	Training *tables.Training `json:"training"`
	Results  []*Played        `json:"results"` // oldest first
}

// readKept reads the file; one that there is not, or that is damaged, is empty.
func readKept(dir string) (k keptContribution, err error) {
	if err = runs.ReadSealed(dir, ContributionFile, &k); err != nil {
		k = keptContribution{}
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	k.Results = slices.DeleteFunc(append([]*Played{}, k.Results...), func(p *Played) bool { return p == nil || !p.fits() })
	if !k.Training.Fits() {
		k.Training = nil
	}
	return k, err
}

// mostProblems bounds what a hostile number of problems can make.
const mostProblems = 1 << 20

// fits says that the parts of a result fit together.
func (p *Played) fits() bool {
	n, of := len(p.Seats), len(members(p.Seats))
	if n > eval.MostMembers || p.Problems < 0 || p.Problems > mostProblems || p.Orders < 0 || p.Orders > mostOrders || p.Orders == 0 && of > fewAgents {
		return false
	}
	inTeam, played := func(agent int) bool { return agent >= 0 && agent < n }, map[string]bool{}
	for _, a := range p.Arms {
		if len(a.Scores) > p.Problems || !all(a.LeftOut, inTeam) || !all(a.Untrained, inTeam) {
			return false
		}
		played[keyOf(measure.Change{LeftOut: a.LeftOut, Untrained: a.Untrained})] = true
	}
	return p.Table == nil || len(p.Table.Agents) == n && all(p.wanted(), func(c measure.Change) bool { return played[keyOf(c)] })
}

// keyOf is the same text for changes that are the same.
func keyOf(c measure.Change) string { return fmt.Sprint(c.LeftOut, c.Untrained) }

func all[T any](list []T, holds func(T) bool) bool {
	return !slices.ContainsFunc(list, func(x T) bool { return !holds(x) })
}

func (k *keptContribution) find(key Key) *Played {
	if i := slices.IndexFunc(k.Results, func(p *Played) bool { return p.Key == key }); i >= 0 {
		return k.Results[i]
	}
	return nil
}

// change changes the file, whoever else does at the same time.
func change(ctx context.Context, dir string, do func(*keptContribution)) error {
	return Rewrite(ctx, dir, ContributionFile, contributionLock, func() any {
		k, _ := readKept(dir) // a damaged one is made again
		do(&k)
		return k
	})
}

// Rewrite puts an object in the place of a sealed file of a run, whoever else does at the same time. It fails with a [folder.KeepError].
func Rewrite(ctx context.Context, dir, file, lock string, object func() any) error {
	held, err := take(ctx, filepath.Join(dir, lock))
	if err != nil {
		return &folder.KeepError{Err: err}
	}
	defer held.Close()
	data, err := json.Marshal(object())
	if err == nil {
		data, err = folder.Seal(data)
	}
	if err == nil {
		err = replace(dir, file, append(data, '\n'))
	}
	if err != nil {
		return &folder.KeepError{Err: err}
	}
	return nil
}

// keep puts a result in the place of the one of its key.
func (p *Played) keep(ctx context.Context, dir string) error {
	return change(ctx, dir, func(k *keptContribution) {
		k.Results = slices.DeleteFunc(k.Results, func(o *Played) bool { return o.Key == p.Key })
		k.Results = append(k.Results, p)
		k.Results = k.Results[max(0, len(k.Results)-mostPlayed):]
	})
}

// arm is the one of a change; nil: it was not played.
func (p *Played) arm(c measure.Change) *Arm {
	i := slices.IndexFunc(p.Arms, func(a Arm) bool { return slices.Equal(a.LeftOut, c.LeftOut) && slices.Equal(a.Untrained, c.Untrained) })
	if i < 0 {
		return nil
	}
	return &p.Arms[i]
}

// why says why the arm of a change could not be measured; empty: it was, or it was not played.
func (p *Played) why(c measure.Change) string {
	if a := p.arm(c); a != nil {
		return a.Why
	}
	return ""
}
