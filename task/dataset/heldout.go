package dataset

// This file loads the problems of a data set that a user names, and divides them into those for training and those that are held out.
//
//	loaded, err := Load(ctx, path, cache, readRecord, nil)
//
// Files whose names say so are held out; else some of the problems are, by a [Cut]. A training problem that asks what a held-out one asks is
// left out and counted, whatever files they come from: what is measured was never trained on.

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"strings"

	"parley/internal/seed"
	"parley/task"
)

// Loaded are the problems of a set, each in the order of its files.
type Loaded struct {
	Splits  map[task.Split][]task.Problem
	Overlap int      // training problems that were left out, as they are held out too
	Notes   []string // what became of files and problems, for the user
}

// A Cut holds problems out of a set as its publishers do; it returns none where it is another set.
type Cut func(all []task.Problem) (train, held []task.Problem)

// divide holds problems out of a set, and says by which rule: [Hashed], but for sets that have one of their own.
func (c Cut) divide(all []task.Problem) (train, held []task.Problem, note string) {
	if c != nil {
		if train, held = c(all); len(train)+len(held) > 0 {
			return train, held, fmt.Sprintf("no file is held out: the set is a published one, of which %d problems are", len(held))
		}
	}
	train, held = Hashed(all)
	return train, held, OneInFive
}

// Hashed holds out one problem in five: a hash of its question decides, so that a problem is held out in every set that has it.
func Hashed(all []task.Problem) (train, held []task.Problem) {
	keys := make([]string, len(all))
	for i, p := range all {
		keys[i] = task.Key(p.Question)
	}
	return Divide(all, keys)
}

// Divide holds out those whose key [HeldOut] chooses.
func Divide[T any](all []T, keys []string) (train, held []T) {
	out := HeldOut(keys)
	for i, x := range all {
		if out[keys[i]] {
			held = append(held, x)
		} else {
			train = append(train, x)
		}
	}
	return train, held
}

// HeldOut chooses among the keys of problems, or of what they share with others: one in five by a hash of each. In a small set that could be
// none or all; then one at least is held out and one at least is not.
func HeldOut(keys []string) map[string]bool {
	hashes := make(map[string]uint64, len(keys))
	held := map[string]bool{}
	var first, last string // by hash
	for _, key := range keys {
		if _, known := hashes[key]; known {
			continue
		}
		hash := seed.Derive(0, "labelled: split of "+key)
		if before := func(other string) int {
			return cmp.Or(cmp.Compare(hash, hashes[other]), cmp.Compare(key, other))
		}; len(hashes) == 0 {
			first, last = key, key
		} else if before(first) < 0 {
			first = key
		} else if before(last) > 0 {
			last = key
		}
		hashes[key] = hash
		if hash%5 == 0 {
			held[key] = true
		}
	}
	switch n := len(hashes); {
	case n > 1 && len(held) == 0:
		held[first] = true
	case n > 1 && len(held) == n:
		delete(held, last)
	}
	return held
}

// Load reads the files of a set: path is a file, a folder, or the name of a pulled set in the cache. If no file is held out, cut may divide
// the set; nil: there is no such function. In all other sets one problem in five is held out ([Hashed]).
func Load(ctx context.Context, path, cache string, read func(line int, record []byte) (task.Problem, error), cut Cut) (*Loaded, error) {
	set, err := Open(path, cache)
	if err != nil {
		return nil, err
	}
	return set.Load(ctx, read, cut)
}

// Load is [Load] of a set that is open.
func (s Set) Load(ctx context.Context, read func(line int, record []byte) (task.Problem, error), cut Cut) (*Loaded, error) {
	files, err := s.Halves()
	if err != nil {
		return nil, err
	}
	train, err := Records(ctx, files.Train, read)
	if err != nil {
		return nil, err
	}
	var held []task.Problem
	var notes []string
	if len(files.Held) > 0 {
		held, err = Records(ctx, files.Held, read)
	} else {
		var note string
		train, held, note = cut.divide(train)
		notes = append(notes, note)
	}
	if err != nil {
		return nil, err
	}
	if note := files.Note(); note != "" {
		notes = append(notes, note)
	}
	return Apart(train, held, notes...)
}

// Embedded reads the problems that a task brings along; form names the file of a split.
func Embedded(files fs.FS, form string, read func(record []byte) (task.Problem, error)) (*Loaded, error) {
	var halves [2][]task.Problem
	for i, split := range []task.Split{task.Train, task.Test} {
		name := fmt.Sprintf(form, split)
		r, err := files.Open(name)
		if err != nil {
			return nil, err
		}
		halves[i], err = Problems(name, r, task.Rows(read))
		r.Close()
		if err != nil {
			return nil, err
		}
	}
	return Apart(halves[0], halves[1])
}

// OneSource is a fault where problems are made and read too.
func OneSource(made bool, path string) []task.Fault {
	if !made || path == "" {
		return nil
	}
	return []task.Fault{{Key: "made", Message: "is true, and task.path names a data set too", Hint: "leave one of them out"}}
}

// Apart leaves out the training problems that are held out too. It is an error if no training problem is left or no
// problem is held out.
func Apart(train, held []task.Problem, notes ...string) (*Loaded, error) {
	l := &Loaded{Notes: notes}
	train, l.Overlap = task.Apart(train, held)
	if l.Overlap > 0 {
		l.Notes = append(l.Notes, fmt.Sprintf("training problems left out, as they are held out too: %d", l.Overlap))
	}
	if len(train) == 0 || len(held) == 0 {
		return nil, fmt.Errorf("%d training and %d held-out problems: both are needed; %s", len(train), len(held), strings.Join(l.Notes, "; "))
	}
	l.Splits = map[task.Split][]task.Problem{task.Train: train, task.Test: held}
	return l, nil
}

// Account says what became of files and problems; empty: nothing that needs to be said.
func (l *Loaded) Account() string { return strings.Join(l.Notes, "; ") }

// LeftOut implements [task.Overlapper].
func (l *Loaded) LeftOut() int { return l.Overlap }

// Of returns the first n problems of a split, as [task.Task] wants them; name is the task's.
func (l *Loaded) Of(name string, split task.Split, n int) ([]task.Problem, error) {
	problems, ok := l.Splits[split]
	if !ok {
		return nil, fmt.Errorf("task %s: no split %q: write train or test", name, split)
	}
	return problems[:min(max(n, 0), len(problems))], nil
}
