package tokens

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"parley/engine"
	"parley/internal/folder"
	"parley/rl/rollout"
	"parley/train/cluster"
	"parley/viewer/episodes"
)

// File is where results are kept in a run.
const File = "tokens.jsonl"

// A Result is what was computed of the tokens of one episode.
type Result struct {
	Update  int      `json:"update"` // the line begins with update and index: whoever looks for an episode reads no more of others
	Index   int      `json:"index"`
	Created string   `json:"created"`
	Kernels string   `json:"kernels"` // that computed
	After   string   `json:"after"`   // where the policies after the update come from; empty: they are not known
	Answers []Answer `json:"answers"`
}

// An Answer is what was computed of one.
type Answer struct {
	Place
	Policy  engine.Policy `json:"by"`
	Penalty Penalty       `json:"penalty"`
	Drawn   string        `json:"drawn"` // tells whether the answer is still the one that it was computed of
	episodes.Derived
}

// result is that of an episode.
func (x *computation) result(e *rollout.Episode) Result {
	kernels, _ := x.Lineup.Backend.Kernels(x.Memory.Options)
	kernels, _ = cluster.Exactly(kernels, x.Bases[0].Engine)
	r := Result{Update: x.update, Index: e.Index, Created: x.Now().UTC().Format(time.RFC3339), Kernels: kernels, After: x.origin, Answers: []Answer{}}
	for _, a := range x.of[e] {
		r.Answers = append(r.Answers, Answer{a.Place, a.asked.Policy, x.penalty(a.asked.Policy), drawn(a.said), a.Derived})
	}
	return r
}

// drawn is a checksum of the tokens of an answer and of their log-probabilities.
func drawn(c *rollout.Completion) string {
	sum := sha256.New()
	_ = binary.Write(sum, binary.LittleEndian, int64(len(c.Tokens))) // a hash takes everything
	for _, id := range c.Tokens {
		_ = binary.Write(sum, binary.LittleEndian, int64(id))
	}
	_ = binary.Write(sum, binary.LittleEndian, c.Logprobs)
	return hex.EncodeToString(sum.Sum(nil))[:16]
}

// A Strip is an answer token by token.
type Strip struct {
	*episodes.Tokens
	Computed *Computed `json:"computed"` // nil: nothing was
}

// Computed says how what is not recorded was computed.
type Computed struct {
	Created string  `json:"created"`
	Kernels string  `json:"kernels"`
	After   string  `json:"after"`
	Penalty Penalty `json:"penalty"`
}

// notComputed is why tokens lack what a run does not record.
const notComputed = "a run does not record it for single tokens; it can be computed while the run has the checkpoint before the update"

// Found is the newest result of an episode, and what lies beside it.
type Found struct {
	*Result          // nil: there is none
	Damaged []string // lines of the file that are no results; it may have been one of them
}

// Strip is an answer with what was computed of it: nothing, where the result is of another answer that stood in its place. v is nil where the base is
// not here.
func (f Found) Strip(v *Vocabulary, c *rollout.Completion, at Place) Strip {
	var known episodes.Vocabulary // nil, where v is
	if v != nil {
		known = v
	}
	if a := f.Of(c, at); a != nil {
		return Strip{episodes.Strip(c, known, &a.Derived, ""), &Computed{f.Created, f.Kernels, f.After, a.Penalty}}
	}
	why := notComputed
	if len(f.Damaged) > 0 {
		why += fmt.Sprintf(" (%s: damaged, and may have been it)", strings.Join(f.Damaged, ", "))
	}
	return Strip{Tokens: episodes.Strip(c, known, nil, why)}
}

// Read finds the newest result of an episode.
func Read(dir string, update, index int) (Found, error) {
	k, err := OpenKept(dir)
	if err != nil {
		return Found{}, err
	}
	defer k.Close()
	r, err := k.Of(update, index)
	return Found{r, k.Damaged()}, err
}

// keep adds results to those of the run. The trainer does not know the file.
func keep(dir string, list []Result) error {
	for _, r := range list {
		line, err := json.Marshal(r)
		if err == nil {
			err = folder.AppendLine(dir, File, line)
		}
		if err != nil {
			return &folder.KeepError{Err: err}
		}
	}
	return nil
}
