package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
)

// Sums are the checksums of an update. Each line's chain covers all lines before it, and a checkpoint has that of its update: so no line can be changed
// or lost unnoticed.
type Sums struct {
	Update   int    `json:"update"`
	Metrics  string `json:"metrics"`            // SHA-256 of the line in metrics.jsonl, its line break included; empty: given up
	Episodes string `json:"episodes,omitempty"` // of the file of episodes; empty: there is none
	Chain    string `json:"chain"`              // of the chain before and these
}

// Link is the chain of a line that comes after one with the chain before.
func (s Sums) Link(before string) string {
	return SumOf([]byte(before + "\n" + s.Metrics + "\n" + s.Episodes))
}

// SumOf is the SHA-256 of data.
func SumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// ReadSums reads checksums.jsonl as far as its lines are whole.
func ReadSums(data []byte) (list []Sums) {
	for l := range bytes.Lines(data) {
		var s Sums
		if !bytes.HasSuffix(l, []byte("\n")) || json.Unmarshal(l, &s) != nil {
			return list
		}
		list = append(list, s)
	}
	return list
}

// WriteSums is the inverse of ReadSums.
func WriteSums(list []Sums) (data []byte, err error) {
	for _, s := range list {
		line, err := json.Marshal(s)
		if err != nil {
			return nil, err
		}
		data = append(append(data, line...), '\n')
	}
	return data, nil
}

// Linked returns the longest start of a list that is a chain of consecutive updates.
func Linked(list []Sums) []Sums {
	before := ""
	for i, s := range list {
		if s.Update < 1 || s.Chain != s.Link(before) || i > 0 && s.Update != list[i-1].Update+1 {
			return list[:i]
		}
		before = s.Chain
	}
	return list
}

// upTo are those of a chain up to an update.
func upTo(list []Sums, update int) []Sums {
	if i := slices.IndexFunc(list, func(s Sums) bool { return s.Update > update }); i >= 0 {
		return list[:i]
	}
	return list
}

// last is the claim that a chain fulfils.
func last(list []Sums) Claim {
	if len(list) == 0 {
		return Claim{}
	}
	return Claim{list[len(list)-1].Update, list[len(list)-1].Chain}
}
