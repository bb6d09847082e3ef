package runs

import (
	"errors"
	"fmt"
	"math"
	"path"
	"strings"

	"parley/internal/usererror"
	"parley/runs/store"
)

// Restoring says how a run goes back to a checkpoint.
type Restoring struct {
	Load func(dir string, state []byte) error // the checkpoint's folder and its state
	// Every is after how many updates the run saves a checkpoint; 0: not known.
	Every int
	// AcceptLoss goes on though something is gone that cannot be made again.
	AcceptLoss bool
}

// Restore brings the run back to its newest good checkpoint, and cuts off all that it wrote after that. A damaged checkpoint is set aside
// and the one before is taken. What the run has written about the updates before is compared with what the checkpoint counts on
// ([store.Examine]); where some of it is gone, an older checkpoint is taken that does not need it, or else the run is refused. notes says
// what was found and done. It returns the update to go on after, -1 when there is no checkpoint and everything begins anew.
func (r *Run) Restore(o Restoring) (update int, notes []string, err error) {
	p, err := r.choose(o)
	if err != nil {
		return -1, p.notes, err
	}
	if p.audit != nil {
		dir := CheckpointDir(r.dir, p.update)
		state, err := r.Folder.ReadFile(path.Join(inCheckpoints(checkpointName(p.update)), "state.json"))
		if err != nil {
			return -1, p.notes, fmt.Errorf("read checkpoint: %w", err)
		}
		if err := o.Load(dir, state); err != nil {
			return -1, p.notes, fmt.Errorf("load checkpoint of update %d: %w", p.update, err)
		}
		more, err := r.mend(p)
		p.notes = append(p.notes, more...)
		if err != nil {
			return -1, p.notes, err
		}
	}
	more, err := r.cut(max(p.update, 0))
	return p.update, append(p.notes, more...), err
}

// A point is where a run goes on.
type point struct {
	update int
	audit  *store.Audit // nil: there is no checkpoint
	notes  []string
}

// choose finds the newest checkpoint that is whole and whose updates are all there.
func (r *Run) choose(o Restoring) (p point, err error) {
	p.update = -1
	list, err := Checkpoints(r.dir)
	if err != nil {
		return p, err
	}
	books, err := ReadBooks(r.dir)
	if err != nil {
		return p, err
	}
	var lossy point
	for _, n := range list {
		m, damage := store.ReadManifest(CheckpointDir(r.dir, n))
		if damage == nil && m.Update != n {
			damage = fmt.Errorf("it is that of update %d", m.Update)
		}
		if damage != nil {
			p.notes = append(p.notes, fmt.Sprintf("the checkpoint of update %d cannot be used (%v); taking the one before", n, damage))
			if err := r.setAside(n); err != nil {
				return p, r.Failed("checkpoints", err)
			}
			continue
		}
		audit, err := store.Examine(books, r.meta.Claim(m), n)
		if err != nil {
			return p, fmt.Errorf("read run: %w", err)
		}
		if len(audit.Lost) == 0 {
			p.update, p.audit = n, audit
			return p, nil
		}
		if lossy.audit == nil {
			lossy = point{update: n, audit: audit}
		}
		p.notes = append(p.notes, fmt.Sprintf("what update %d was is not all there (%v)", n, audit.Lost[0]))
	}
	if lossy.audit != nil {
		return r.accept(p, lossy, o)
	}
	return p, r.fromTheStart(&p, len(list) > 0, books, o)
}

// accept takes a checkpoint of which something is gone, if that is accepted.
func (r *Run) accept(p, lossy point, o Restoring) (point, error) {
	if !o.AcceptLoss {
		return p, r.lossError(lossy.audit.Lost)
	}
	p.update, p.audit = lossy.update, lossy.audit
	return p, nil
}

// fromTheStart lets a run without a whole checkpoint begin anew: what it had done comes out the same again. Where it had done more than it does
// between two checkpoints, one was there and is gone, and doing everything again has to be accepted.
func (r *Run) fromTheStart(p *point, damaged bool, books store.Books, o Restoring) error {
	last, _ := store.Whole(books.Metrics, math.MaxInt)
	switch {
	case damaged:
		p.notes = append(p.notes, "no checkpoint is whole: starting again from the first update")
	case o.Every > 0 && last > o.Every && !o.AcceptLoss:
		return r.lossError([]store.Loss{{File: "checkpoints", Update: last, Why: fmt.Sprintf("there is no checkpoint, so that all %d updates would be trained again", last)}})
	case last > 0:
		p.notes = append(p.notes, fmt.Sprintf("there is no checkpoint yet: updates 1 to %d are trained again", last))
	}
	return nil
}

// A LossError says that something of a run is gone that cannot be made again.
type LossError struct {
	dir   string
	again string // the command that accepts it, for a shell: Python has no such argument
	Lost  []store.Loss
}

// lossError is what a run is refused with: a user has to decide, and nothing was started.
func (r *Run) lossError(lost []store.Loss) error {
	return &usererror.Error{Err: &LossError{r.dir, r.shell("--accept-loss"), lost}}
}

func (e *LossError) Error() string {
	const most = 10
	var b strings.Builder
	for i, l := range e.Lost {
		if i == most {
			fmt.Fprintf(&b, "\n  and %d more", len(e.Lost)-most)
			break
		}
		fmt.Fprintf(&b, "\n  %v", l)
	}
	return fmt.Sprintf("%s is damaged:%s\nput back what is missing; or go on without it with: %s", e.dir, b.String(), e.again)
}

// Claim is what a checkpoint counts on. After a loss was accepted that is what was there then.
func (m Meta) Claim(of store.Manifest) store.Claim {
	for i := len(m.Changes) - 1; i >= 0; i-- {
		if c := m.Changes[i]; c.What == store.SumsFile {
			if c.Update >= of.Update {
				return store.Claim{Update: c.Update, Chain: c.Now}
			}
			break
		}
	}
	return store.Claim{Update: of.Update, Chain: of.Chain}
}

// mend writes the files that a checkpoint counts on as they were, as far as they are there, and keeps the damaged ones beside them. What is lost
// is recorded.
func (r *Run) mend(p point) (notes []string, err error) {
	seen := map[string]bool{}
	for _, l := range p.audit.Lost {
		kept := ""
		if !seen[l.File] {
			if kept, err = r.KeepAside(l.File); err != nil {
				return notes, err
			}
		}
		seen[l.File] = true
		notes = append(notes, fmt.Sprintf("%v; accepted%s", l, kept))
	}
	for _, name := range p.audit.Mended {
		kept, err := r.KeepAside(name)
		if err != nil {
			return notes, err
		}
		notes = append(notes, fmt.Sprintf("%s was damaged, and nothing of it is lost%s", name, kept))
	}
	if len(p.audit.Lost)+len(p.audit.Mended) == 0 {
		return nil, nil
	}
	return notes, r.rewrite(p)
}

// rewrite writes metrics.jsonl and checksums.jsonl up to the point. run.json comes last: before, the same loss is found again.
func (r *Run) rewrite(p point) error {
	if err := errors.Join(r.metrics.Close(), r.sums.Close()); err != nil {
		return err
	}
	if err := r.WriteFile(store.MetricsFile, p.audit.Metrics); err != nil {
		return err
	}
	sums := p.audit.Sums
	if len(p.audit.Lost) > 0 {
		for _, l := range p.audit.Lost {
			if strings.HasPrefix(l.File, "episodes/") {
				if err := r.Folder.Remove(l.File); err != nil {
					return r.Failed(l.File, err)
				}
			}
		}
		books, err := ReadBooks(r.dir)
		if err != nil {
			return err
		}
		if sums, err = books.Sum(1, p.update); err != nil {
			return err
		}
	}
	data, err := store.WriteSums(sums)
	if err != nil {
		return err
	}
	if err := r.WriteFile(store.SumsFile, data); err != nil || len(p.audit.Lost) == 0 {
		return err
	}
	return r.recordLoss(p, sums)
}

// recordLoss writes into run.json what is gone, and which checksums count from now on.
func (r *Run) recordLoss(p point, sums []store.Sums) error {
	var list []Change
	for _, l := range p.audit.Lost {
		if l.File != store.SumsFile {
			list = append(list, Change{Update: p.update, What: l.File, Path: fmt.Sprintf("of update %d", l.Update), Was: orUnknown(l.Was)})
		}
	}
	return r.Amend(func(m *Meta) {
		m.Changes = append(append(m.Changes[:len(m.Changes):len(m.Changes)], list...), anchor(p.update, sums))
	})
}

// orUnknown is a checksum, or a word where nobody knows it.
func orUnknown(sum string) string {
	if sum == "" {
		return "unknown"
	}
	return sum
}

// anchor is the change that makes the checksums up to an update those that count.
func anchor(update int, sums []store.Sums) Change {
	c := Change{Update: update, What: store.SumsFile, Was: "damaged"}
	if len(sums) > 0 {
		c.Now = sums[len(sums)-1].Chain
	}
	return c
}

// cut removes everything that belongs to updates after update.
func (r *Run) cut(update int) (notes []string, err error) {
	if err := r.metrics.Cut(update); err != nil {
		return nil, err
	}
	if err := r.cutSums(update); err != nil {
		return nil, err
	}
	if err := r.moveAnchor(update); err != nil {
		return nil, err
	}
	if notes, err = r.cutCosts(update); err != nil {
		return notes, err
	}
	for _, f := range r.followers {
		f.Restored(update)
	}
	return notes, r.dropEpisodes(update)
}

// moveAnchor lets the checksums that count end at an update, where a loss of later ones was accepted before.
func (r *Run) moveAnchor(update int) error {
	c := r.meta.Claim(store.Manifest{Update: update})
	if c.Update <= update {
		return nil
	}
	chain, err := r.lastChain()
	if err != nil {
		return err
	}
	return r.Amend(func(m *Meta) {
		m.Changes = append(m.Changes[:len(m.Changes):len(m.Changes)], Change{Update: update, What: store.SumsFile, Was: c.Chain, Now: chain})
	})
}
