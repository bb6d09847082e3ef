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
