package store

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
)

// The files that are compared.
const (
	MetricsFile = "metrics.jsonl"
	SumsFile    = "checksums.jsonl"
)

// A Claim is what a checkpoint says about the updates up to its own: their chain. An earlier release recorded none.
type Claim struct {
	Update int
	Chain  string
}

// Books are what a run has written down.
type Books struct {
	Metrics, Sums []byte // the files
	// Episodes is the SHA-256 of the file of an update's episodes; an error that wraps [fs.ErrNotExist] means that there is none.
	Episodes func(update int) (sum string, err error)
}

// A Loss is something that a checkpoint counts on and that is gone.
type Loss struct {
	File   string
	Update int
	Was    string // its checksum, where it is known
	Why    string
}

// String says what is gone.
func (l Loss) String() string { return fmt.Sprintf("%s, update %d: %s", l.File, l.Update, l.Why) }

// An Audit is what of the books of the updates up to a claim's is as it was.
type Audit struct {
	Metrics []byte   // the lines, in order
	Sums    []Sums   // their checksums; nil: an earlier release wrote none
	Mended  []string // files that lost nothing, though they are not as they were written: what is above is what they were
	Lost    []Loss
}

// Examine compares the books with the claim of a checkpoint, and returns what there is of the updates up to another, up to: the two differ where
// a claim of a later update stands for what is before it.
func Examine(b Books, c Claim, upto int) (*Audit, error) {
	a := &Audit{}
	sums, err := b.claimed(a, c)
	if err != nil {
		return nil, err
	}
	a.Sums = upTo(sums, upto)
	known := map[int]Sums{}
	for _, s := range a.Sums {
		known[s.Update] = s
	}
	all := index(b.Metrics)
	for update := 1; update <= upto; update++ {
		s, ok := known[update]
		a.line(all, update, s, ok)
		if err := a.episodes(b, update, s); err != nil {
			return nil, err
		}
	}
	if _, size := Whole(b.Metrics, upto); !bytes.Equal(b.Metrics[:size], a.Metrics) && len(a.Lost) == 0 {
		a.Mended = append(a.Mended, MetricsFile)
	}
	return a, nil
}

// claimed returns the checksums that fulfil a claim: those that are recorded, or else those of what is there, if they do.
func (b Books) claimed(a *Audit, c Claim) ([]Sums, error) {
	linked := upTo(Linked(ReadSums(b.Sums)), c.Update)
	if c.Chain == "" || last(linked) == c {
		return linked, nil
	}
	first := 1
	if len(linked) > 0 {
		first = linked[0].Update
	}
	again, err := b.Sum(first, c.Update)
	if err != nil {
		return nil, err
	}
	if last(again) == c {
		a.Mended = append(a.Mended, SumsFile)
		return again, nil
	}
	// If the chain is whole and ends with another sum, it cannot be told where it was changed. If it is too short, it is right as far as
	// it goes.
	if lost := last(linked).Update; lost < c.Update {
		a.Lost = append(a.Lost, Loss{File: SumsFile, Update: lost + 1, Why: "its checksums, or those after them, are missing or damaged: nothing tells whether what follows is as it was"})
	} else {
		a.Lost = append(a.Lost, Loss{File: SumsFile, Update: c.Update, Why: "the checksums are not those that the checkpoint counts on"})
	}
	return linked, nil
}

// Sum makes the checksums of what there is of some updates. The checksum of a missing line or file is empty.
func (b Books) Sum(first, upto int) (list []Sums, err error) {
	before := ""
	all := index(b.Metrics)
	for update := first; update <= upto; update++ {
		s := Sums{Update: update}
		if l := all.numbered[update]; l != nil {
			s.Metrics = SumOf(l)
		}
		if s.Episodes, err = b.Episodes(update); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		s.Chain = s.Link(before)
		before, list = s.Chain, append(list, s)
	}
	return list, nil
}

// An indexed file is the whole lines of one, by what they are known by.
type indexed struct {
	numbered map[int][]byte    // the first of an update
	summed   map[string][]byte // by checksum
}

func index(data []byte) indexed {
	all := indexed{map[int][]byte{}, map[string][]byte{}}
	for _, l := range lines(data) {
		all.summed[SumOf(l)] = l
		if n, ok := UpdateOf(l); ok && all.numbered[n] == nil {
			all.numbered[n] = l
		}
	}
	return all
}

// line adds the line of an update: the one with its checksum, wherever it stands.
func (a *Audit) line(all indexed, update int, s Sums, known bool) {
	if known && s.Metrics == "" {
		return // it was given up before
	}
	l, why := all.numbered[update], "its line is missing or damaged"
	if l != nil && known {
		l, why = all.summed[s.Metrics], "its line is not the one that was written"
	}
	if l == nil {
		a.Lost = append(a.Lost, Loss{MetricsFile, update, s.Metrics, why})
		return
	}
	a.Metrics = append(a.Metrics, l...)
}

// episodes compares the file of an update's episodes with its checksum.
func (a *Audit) episodes(b Books, update int, s Sums) error {
	if s.Episodes == "" {
		return nil
	}
	sum, err := b.Episodes(update)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		a.Lost = append(a.Lost, Loss{EpisodesFile(update), update, s.Episodes, "the file is missing"})
	case err != nil:
		return err
	case sum != s.Episodes:
		a.Lost = append(a.Lost, Loss{EpisodesFile(update), update, s.Episodes, "its checksum is wrong"})
	}
	return nil
}

// EpisodesFile is the path in a run of the episodes of an update.
func EpisodesFile(update int) string { return fmt.Sprintf("episodes/%06d.jsonl.zst", update) }
