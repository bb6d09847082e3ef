package runs

import (
	"fmt"

	"parley/internal/folder"
	"parley/runs/store"
)

// appendSums adds the line of an update whose metrics were just written.
func (r *Run) appendSums(metrics store.Line) error {
	if err := r.sums.Open(r.sums.Cut); err != nil {
		return err
	}
	if r.sums.Last >= metrics.Update { // metrics.jsonl was torn, and goes on after its last whole line
		if err := r.cutSums(metrics.Update - 1); err != nil {
			return err
		}
	}
	before, err := r.lastChain()
	if err != nil {
		return err
	}
	s := store.Sums{Update: metrics.Update, Metrics: store.SumOf(metrics.Data)}
	if r.written.update == metrics.Update {
		s.Episodes = r.written.sum
	}
	s.Chain = s.Link(before)
	line, err := store.Numbered(s)
	if err != nil {
		return err
	}
	if err := r.sums.Append(line); err != nil {
		return err
	}
	r.chain = &s.Chain
	return nil
}

// cutSums drops the checksums of updates after most.
func (r *Run) cutSums(most int) error {
	r.chain = nil
	return r.sums.Cut(most)
}

// lastChain is the chain of all checksums; empty: there is none.
func (r *Run) lastChain() (string, error) {
	if r.chain != nil {
		return *r.chain, nil
	}
	data, err := r.sums.Content()
	if err != nil {
		return "", err
	}
	chain := ""
	for _, s := range store.ReadSums(data) {
		chain = s.Chain
	}
	r.chain = &chain
	return chain, nil
}

// ReadBooks reads what the run in dir has written down about its updates.
func ReadBooks(dir string) (store.Books, error) {
	b := store.Books{Episodes: func(update int) (string, error) { return store.Sum(dir, EpisodeFile(update)) }}
	for name, data := range map[string]*[]byte{store.MetricsFile: &b.Metrics, store.SumsFile: &b.Sums} {
		var err error
		if *data, err = folder.ReadFile(dir, name); err != nil && !missing(err) {
			return b, fmt.Errorf("read run: %w", err)
		}
	}
	return b, nil
}
