// This file is the task speedup: programs that shall do the same faster (LessonL, arXiv 2505.23946). The last response of a team is a whole program with the function
// that the source has.
//
//	reward = log2(max(1, s)), at most 5
//
// where s is how many times faster it is than the source, and 0 where its results differ. A program that is slower or wrong is not used, and earns 0. So
// two to the power of the mean reward is the geometric mean of max(1, s) over the problems. A speed-up is never the same twice,
// so neither is a reward.

package executor

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"io"
	"math"

	"parley/task"
	"parley/task/dataset"
)

const taskName = "speedup"

// Fields of a problem beside its question, which is the source.
const (
	FieldEntry  = "entry"  // the name of the function
	FieldInputs = "inputs" // Python with def inputs(), a list of arguments
)

//go:embed data/pareval-serial.jsonl
var shipped []byte

// mostReward is the greatest reward: 32 times as fast.
const mostReward = 5

// Task implements [task.Task] and [task.JointScorer].
type Task struct {
	*dataset.Loaded
	executor *Executor
}

func openTask(ctx context.Context, e *Executor, path, cache string) (t *Task, err error) {
	t = &Task{executor: e}
	if path != "" {
		t.Loaded, err = dataset.Load(ctx, path, cache, task.Rows(readRow), nil)
	} else {
		var all []task.Problem
		if all, err = ReadPrograms("the programs in the binary", bytes.NewReader(shipped)); err == nil {
			t.Loaded, err = dataset.Apart(parted(all))
		}
	}
	if err != nil {
		_ = t.Close() // the other error is what counts
		return nil, fmt.Errorf("task %s: %w", taskName, err)
	}
	return t, nil
}

// parted leaves one program in four for training: these are for teams of which nothing is trained.
func parted(all []task.Problem) (train, held []task.Problem) {
	for i, p := range all {
		if i%4 == 3 {
			train = append(train, p)
		} else {
			held = append(held, p)
		}
	}
	return train, held
}

// ReadPrograms reads problems from JSON lines, plain or packed.
func ReadPrograms(taskName string, r io.Reader) ([]task.Problem, error) {
	return dataset.Problems(taskName, r, task.Rows(readRow))
}

func readRow(data []byte) (task.Problem, error) {
	r, err := dataset.ParseRecord(data)
	if err != nil {
		return task.Problem{}, err
	}
	p := task.Problem{Fields: map[string]string{}}
	if p.ID, err = r.First("id"); err != nil {
		return p, err
	}
	for _, key := range []string{"source", FieldEntry, FieldInputs} {
		text, err := r.First(key)
		if err == nil && text == "" {
			err = r.Missing(key)
		}
		if err != nil {
			return p, err
		}
		p.Fields[key] = text
	}
	p.Question = p.Fields["source"]
	delete(p.Fields, "source")
	return p, nil
}

// Name implements [task.Task].
func (t *Task) Name() string { return taskName }

// Problems implements [task.Task].
func (t *Task) Problems(split task.Split, n int) ([]task.Problem, error) {
	return t.Of(taskName, split, n)
}

// Range implements [task.JointScorer].
func (t *Task) Range() (least, greatest float64) { return 0, mostReward }

// Score implements [task.JointScorer].
func (t *Task) Score(ctx context.Context, p task.Problem, responses []string) (task.Score, error) {
	if len(responses) == 0 {
		return task.Score{}, fmt.Errorf("task %s: no response to problem %s", taskName, p.ID)
	}
	m, err := t.executor.Speed(ctx, SpeedJob{
		Program: responses[len(responses)-1], Source: p.Question, Entry: p.Fields[FieldEntry], Inputs: p.Fields[FieldInputs],
	})
	if err != nil {
		return task.Score{}, fmt.Errorf("task %s, problem %s: %w", taskName, p.ID, err)
	}
	right := 0.0
	if m.Speedup > 0 {
		right = 1
	}
	gained := min(mostReward, math.Log2(max(1, m.Speedup)))
	return task.Score{Reward: gained, Parts: map[string]float64{"log2_speedup": gained}, Signals: &task.Signals{Solved: &right}}, nil
}

// Close ends the sandbox, if there is one.
func (t *Task) Close() error {
	if t.executor == nil {
		return nil
	}
	return t.executor.Close()
}
