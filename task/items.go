package task

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
)

// An ItemScorer scores responses to single items, outside training. It may be used by several goroutines.
type ItemScorer struct {
	// Read reads an item, one record of the task's own data set in JSON, that so many responses are about.
	Read func(item []byte, responses int) (Problem, error)
	// Score scores one response per agent.
	Score func(ctx context.Context, p Problem, responses []string) (Score, error)
	// Close ends what the scorer needed; nil: nothing.
	Close func() error
}

// End closes the scorer.
func (s *ItemScorer) End() error {
	if s.Close == nil {
		return nil
	}
	return s.Close()
}

// Gaming is what is known to game a task's reward (MAGRPO §6.4, §7.3, §15.4).
type Gaming struct {
	Policies []Policy                  // the first is honest
	Settings func(v RewardVariant) any // to score them by: a pointer to the task's settings
}

// A Policy is a way to answer one item.
type Policy struct {
	Name      string
	Item      []byte
	Responses []string
}

// ScoreAnswer scores a single response by its final answer: 1 where it is the right one, else 0.
func ScoreAnswer(read func(text string) (canonical string, ok bool), p Problem, responses []string) (Score, error) {
	if len(responses) != 1 {
		return Score{}, fmt.Errorf("%d responses, want 1", len(responses))
	}
	switch answer, ok := read(responses[0]); {
	case !ok:
		return Score{Flags: []string{"unparseable"}}, nil
	case answer == p.Right():
		return Score{Reward: 1}, nil
	}
	return Score{}, nil
}

// FirstOf reads an item with a reader of whole files.
func FirstOf(read func(name string, r io.Reader) ([]Problem, error)) func(item []byte, responses int) (Problem, error) {
	return func(item []byte, _ int) (Problem, error) {
		problems, err := read("item", bytes.NewReader(item))
		if err != nil {
			return Problem{}, err
		}
		return problems[0], nil
	}
}

// ReadProblem reads an item of a task whose problems are made: a question and its truth, as episodes have them.
func ReadProblem(item []byte, _ int) (Problem, error) {
	var p Problem
	err := json.Unmarshal(item, &p)
	return p, err
}

// An Overlapper is a task that leaves training problems out because they are held out too.
type Overlapper interface {
	// LeftOut is how many.
	LeftOut() int
}

// Apart returns the training problems that ask what no held-out problem asks, and how many do not. Questions are compared by [Key], and so are
// the named fields, where questions alone do not tell problems apart.
func Apart(train, held []Problem, fields ...string) (kept []Problem, overlap int) {
	measured := make(map[string]bool, len(held))
	for _, p := range held {
		measured[asked(p, fields)] = true
	}
	for _, p := range train {
		if !measured[asked(p, fields)] {
			kept = append(kept, p)
		}
	}
	return kept, len(train) - len(kept)
}

// asked is the same for problems that ask the same.
func asked(p Problem, fields []string) string {
	key := Key(p.Question)
	for _, name := range fields {
		key += Key(p.Fields[name])
	}
	return key
}

// A PassRate says how often a model solved a problem.
type PassRate struct {
	ID      string `json:"id"` // of the problem
	Right   int    `json:"right"`
	Samples int    `json:"samples"`
}

// Share is the pass rate itself, in [0, 1].
func (r PassRate) Share() float64 { return float64(r.Right) / float64(max(r.Samples, 1)) }

// MeanShare is the mean of pass rates, in [0, 1].
func MeanShare(rates []PassRate) float64 {
	sum := 0.0
	for _, r := range rates {
		sum += r.Share()
	}
	return sum / float64(max(len(rates), 1))
}

// Between returns the problems whose pass rate lies within bounds, both included, in their order, and their rates. There is one rate for
// each problem. What a model always or never solves teaches it little: all answers of a group then earn the same.
func Between(problems []Problem, rates []PassRate, least, most float64) ([]Problem, []PassRate) {
	if len(rates) != len(problems) {
		panic("internal error: pass rates of other problems")
	}
	var kept []Problem
	var theirs []PassRate
	for i, p := range problems {
		if share := rates[i].Share(); share >= least && share <= most {
			kept, theirs = append(kept, p), append(theirs, rates[i])
		}
	}
	return kept, theirs
}
