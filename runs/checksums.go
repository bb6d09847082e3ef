package runs

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// ChecksumsFile has one line an update, by which package verify finds damage.
const ChecksumsFile = "checksums.jsonl"

// UpdateSums are the checksums of an update. Each line's chain covers all lines before it, and a checkpoint has that of its update: so no line can be changed
// or lost unnoticed.
type UpdateSums struct {
	Update   int    `json:"update"`
	Metrics  string `json:"metrics"`            // SHA-256 of the line in metrics.jsonl, its line break included
	Episodes string `json:"episodes,omitempty"` // of the file of episodes
	Chain    string `json:"chain"`              // of the chain before and these
}

// Link is the chain of a line that comes after one with the chain before.
func (s UpdateSums) Link(before string) string {
	return sumOf([]byte(before + "\n" + s.Metrics + "\n" + s.Episodes))
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// appendSums adds the line of an update whose metrics were just written.
func (r *Run) appendSums(metrics line) error {
	if err := r.sums.open(r.sums.cut); err != nil {
		return err
	}
	if r.sums.last >= metrics.update { // metrics.jsonl was torn, and goes on after its last whole line
		if err := r.cutSums(metrics.update - 1); err != nil {
			return err
		}
	}
	before, err := r.lastChain()
	if err != nil {
		return err
	}
	s := UpdateSums{Update: metrics.update, Metrics: sumOf(metrics.data)}
	if r.written.update == metrics.update {
		s.Episodes = r.written.sum
	}
	s.Chain = s.Link(before)
	line, err := numbered(s)
	if err != nil {
		return err
	}
	if err := r.sums.append(line); err != nil {
		return err
	}
	r.chain = &s.Chain
	return nil
}

// cutSums drops the checksums of updates after most.
func (r *Run) cutSums(most int) error {
	r.chain = nil
	return r.sums.cut(most)
}

// lastChain is the chain of all checksums.
func (r *Run) lastChain() (string, error) {
	if r.chain != nil {
		return *r.chain, nil
	}
	chain, err := chainOf(r.dir)
	if err == nil {
		r.chain = &chain
	}
	return chain, err
}

// chainOf is the chain of the last line of checksums.jsonl; empty: there is none.
func chainOf(dir string) (chain string, err error) {
	err = ReadLines(dir, ChecksumsFile, func(line []byte) error {
		var s UpdateSums
		err := json.Unmarshal(line, &s)
		chain = s.Chain
		return err
	})
	return chain, err
}

// ReadSums reads checksums.jsonl as far as its lines are whole.
func ReadSums(data []byte) (list []UpdateSums) {
	for l := range bytes.Lines(data) {
		var s UpdateSums
		if !bytes.HasSuffix(l, []byte("\n")) || json.Unmarshal(l, &s) != nil {
			return list
		}
		list = append(list, s)
	}
	return list
}
