package rewards

import (
	"context"
	"io"

	"parley/task"
	"parley/task/labelled"
)

// openLabelled scores one answer: 1 where it is the right one, else 0.
func openLabelled(_ context.Context, name string, _ Settings) (*Scorer, error) {
	form, _ := labelled.Named(name)
	return &Scorer{least: 1, most: 1, read: readLabelled(form), score: func(_ context.Context, p task.Problem, responses []string) (task.Score, error) {
		answer, ok := form.Answer(responses[0])
		switch {
		case !ok:
			return task.Score{Flags: []string{"unparseable"}}, nil
		case answer == p.Truth:
			return task.Score{Reward: 1}, nil
		}
		return task.Score{}, nil
	}}, nil
}

// readLabelled reads a single record.
func readLabelled(form labelled.Form) func(string, io.Reader) ([]task.Problem, error) {
	return func(_ string, r io.Reader) ([]task.Problem, error) {
		record, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		item, err := form.Read(record)
		return []task.Problem{item.Problem}, err
	}
}
