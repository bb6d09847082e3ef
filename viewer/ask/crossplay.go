package ask

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"

	"parley/rl/eval"
	"parley/runs"
	"parley/train/measure"
)

// pairsFile is where a run keeps how its first agent plays with others, the newest pairs. Who writes there holds the lock.
const (
	pairsFile = "crossplay.json"
	pairsLock = "crossplay.lock"
	mostPairs = 256
)

// A CrossPlay is how the agents of some runs play together.
type CrossPlay struct {
	Game   string       `json:"game,omitempty"`
	Agents []string     `json:"agents,omitempty"`
	Runs   []CrossRun   `json:"runs"`
	Exact  bool         `json:"exact"` // computed from probabilities; else an estimate from games
	Games  int          `json:"games"` // of every pair; 0: exact
	Seed   int          `json:"seed"`
	Scores []CrossScore `json:"scores"` // the first is the game's own
}

// A CrossRun is a run, and after which update its agents are what they are.
type CrossRun struct {
	Run    string `json:"run"`
	Update int    `json:"update"`
}

// A CrossScore is one number of every pair, by the run of the first agent and that of the others.
type CrossScore struct {
	Score  string      `json:"score"`
	Values [][]float64 `json:"values"`
	eval.CrossPlay
}

// A PairKey is what the numbers of a pair depend on.
type PairKey struct {
	First string `json:"first_sha256"`
	Other string `json:"other_sha256"`
	PairWay
}

// A PairWay is how pairs have played.
type PairWay struct {
	Games   int    `json:"games"`
	Seed    int    `json:"seed"`
	Kernels string `json:"kernels"`
}

// A PlayedPair is a result as it is kept.
type PlayedPair struct {
	PairKey
	With    string             `json:"with"`   // the other run
	Update  int                `json:"update"` // of the first run, after which it played; earlier releases did not write it
	Exact   bool               `json:"exact"`
	Scores  []string           `json:"scores"` // their order
	Numbers map[string]float64 `json:"numbers"`
}

// KeptPairs are those of a run.
type KeptPairs struct {
	Pairs []PlayedPair `json:"pairs"` // oldest first
}

// ReadPairs reads what a run keeps; a file that there is not, or that is damaged, is empty.
func ReadPairs(dir string) (k KeptPairs, err error) {
	if err = runs.ReadSealed(dir, pairsFile, &k); err != nil {
		k = KeptPairs{}
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	k.Pairs = slices.DeleteFunc(k.Pairs, func(p PlayedPair) bool {
		return len(p.Scores) == 0 || slices.ContainsFunc(p.Scores, func(name string) bool { _, has := p.Numbers[name]; return !has })
	})
	return k, err
}

// Of is the newest pair of a key; nil: it is not kept.
func (k KeptPairs) Of(key PairKey) *PlayedPair {
	for i, p := range slices.Backward(k.Pairs) {
		if p.PairKey == key {
			return &k.Pairs[i]
		}
	}
	return nil
}

// KeepPair adds a pair to those of the run of its first agent.
func KeepPair(ctx context.Context, dir string, p PlayedPair) error {
	return Rewrite(ctx, dir, pairsFile, pairsLock, func() any {
		k, _ := ReadPairs(dir) // a damaged one is made again
		k.Pairs = append(k.Pairs, p)
		k.Pairs = k.Pairs[max(0, len(k.Pairs)-mostPairs):]
		return k
	})
}

// NewCrossPlay is what pairs score together, [first][other].
func NewCrossPlay(list []CrossRun, pairs [][]*PlayedPair) *CrossPlay {
	out := &CrossPlay{Runs: list, Exact: true, Seed: pairs[0][0].Seed}
	for _, name := range pairs[0][0].Scores {
		s := CrossScore{Score: name}
		for i, row := range pairs {
			s.Values = append(s.Values, nil)
			for _, p := range row {
				s.Values[i] = append(s.Values[i], p.Numbers[name])
				out.Exact = out.Exact && p.Exact
			}
		}
		s.CrossPlay = eval.NewCrossPlay(s.Values)
		out.Scores = append(out.Scores, s)
	}
	if out.Scores[0].Score == measure.TeamPaid { // who is never paid has no score, if somebody else is
		paid := slices.DeleteFunc(slices.Clone(out.Scores), func(s CrossScore) bool {
			return !slices.ContainsFunc(slices.Concat(s.Values...), func(x float64) bool { return x != 0 })
		})
		out.Scores = append(paid, out.Scores[:1]...)[:max(1, len(paid))]
	}
	if !out.Exact {
		out.Games = pairs[0][0].Games
	}
	return out
}

// Together is what is kept of runs that have all played with each other in one way, the newest of each; runs of which a pair lacks are left out. Nil: there are
// no two.
func Together(dirs []string) *CrossPlay {
	var list []CrossRun
	var kept []KeptPairs
	var pairs [][]*PlayedPair
	for _, dir := range dirs {
		k, _ := ReadPairs(dir) // what cannot be read has not played
		for _, self := range slices.Backward(k.Pairs) {
			if self.First != self.Other || len(pairs) > 0 && self.PairWay != pairs[0][0].PairWay {
				continue
			}
			if row := meets(kept, pairs, k, self); row != nil {
				for i := range pairs {
					pairs[i] = append(pairs[i], kept[i].Of(PairKey{pairs[i][i].First, self.First, self.PairWay}))
				}
				list, kept, pairs = append(list, CrossRun{filepath.Base(dir), self.Update}), append(kept, k), append(pairs, row)
				break
			}
		}
	}
	if len(list) < 2 {
		return nil
	}
	return NewCrossPlay(list, pairs)
}

// meets is the row of a run beside those that are there already, all of whom it has played with on either side; nil: it has not.
func meets(kept []KeptPairs, pairs [][]*PlayedPair, k KeptPairs, self PlayedPair) (row []*PlayedPair) {
	for i := range pairs {
		first := pairs[i][i].First
		there, back := k.Of(PairKey{self.First, first, self.PairWay}), kept[i].Of(PairKey{first, self.First, self.PairWay})
		if there == nil || back == nil || first == self.First || !slices.Equal(there.Scores, back.Scores) || !slices.Equal(there.Scores, pairs[0][0].Scores) {
			return nil
		}
		row = append(row, there)
	}
	return append(row, k.Of(self.PairKey))
}
