package sums

import (
	"context"
	"fmt"
	"strings"

	"parley/task"
)

// Between separates the answers in a response.
const Between = "\n---\n"

// Fields of a problem.
const (
	Sheet    = "sheet"
	Solution = "solution"
)

// SheetOptions choose the problems.
type SheetOptions struct {
	Options
	Items int // word problems of a sheet, 1 to [Longest]
	Need  int // right answers that solve a sheet: the reward is 1 with so many, else 0; 0: it is the share of right ones
}

// LongestSheet is the most word problems of a sheet.
const LongestSheet = 20

// Dictation is the task dictation. It is a [task.JointScorer].
//
// The task is a dialogue with hidden fields in small: a customer has a sheet of word problems, those of task sums, and asks for them one after
// the other. Whoever answers sees one problem at a time. A reward comes at the end only, for all of them.
//
//	question   Mia has 23 shells. …            the first problem
//	sheet      all problems, a line each       hidden: the customer reads it
//	solution   their answers, a line each      hidden: the customer knows it, and a critic may
//
// The response that is scored is everything that was answered, with a line of dashes between the answers: see [Between].
type Dictation struct {
	opt  SheetOptions
	sums *Task
}

// NewDictation returns the task for the given options.
func NewDictation(opt SheetOptions) (*Dictation, error) {
	if opt.Items < 1 || opt.Items > LongestSheet || opt.Need < 0 || opt.Need > opt.Items {
		return nil, fmt.Errorf("dictation: %d problems a sheet, of which %d are needed: write 1 to %d, and no more needed than there are", opt.Items, opt.Need, LongestSheet)
	}
	s, err := New(opt.Options)
	if err != nil {
		return nil, fmt.Errorf("dictation: %w", err)
	}
	return &Dictation{opt, s}, nil
}

// Name implements [task.Task].
func (t *Dictation) Name() string { return dictationName }

// Problems returns the first n sheets of a split. No word problem stands on two of them.
func (t *Dictation) Problems(split task.Split, n int) ([]task.Problem, error) {
	all, err := t.sums.Problems(split, max(0, n)*t.opt.Items)
	if err != nil {
		return nil, err
	}
	var out []task.Problem
	for len(all) >= t.opt.Items {
		var sheet, solution []string
		for _, p := range all[:t.opt.Items] {
			sheet, solution = append(sheet, p.Question), append(solution, p.Truth)
		}
		all = all[t.opt.Items:]
		out = append(out, task.Problem{
			ID: fmt.Sprintf("dictation-%s-%06d", split, len(out)), Question: sheet[0],
			Fields: map[string]string{Sheet: strings.Join(sheet, "\n"), Solution: strings.Join(solution, "\n")},
		})
	}
	return out, nil
}

// Range returns 0 and 1.
func (t *Dictation) Range() (least, greatest float64) { return 0, 1 }

// Score compares the answers with the solution, one by one in their order. Its part is the share of right ones where that is the reward.
func (t *Dictation) Score(_ context.Context, p task.Problem, responses []string) (task.Score, error) {
	if len(responses) != 1 {
		return task.Score{}, fmt.Errorf("dictation: %d responses to problem %s: expected one, all answers with a line --- between them", len(responses), p.ID)
	}
	truths, answers := strings.Split(p.Fields[Solution], "\n"), strings.Split(responses[0], Between)
	right := 0
	for i, truth := range truths {
		if i < len(answers) {
			if got, ok := t.sums.Answer(answers[i]); ok && got == truth {
				right++
			}
		}
	}
	share := float64(right) / float64(len(truths))
	s := task.Score{Reward: share, Signals: &task.Signals{Solved: &share}}
	if t.opt.Need > 0 {
		s.Reward = 0
		if right >= t.opt.Need {
			s.Reward = 1
		}
	}
	return s, nil
}
