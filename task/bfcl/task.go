// Package bfcl is the task of several tool calls at once that two agents share out (CoMLRL's native_parallel): each reads the question and the functions,
// neither sees the other, their calls are merged, and both get one reward. Problems are rows of the Berkeley Function Calling Leaderboard.
//
//	value.go   values of Python
//	row.go     rows: questions, functions, asked calls
//	calls.go   reading the calls of a text, merging them
//	check.go   the official checker's verdict
//	reward.go  the parts of the rewards
//	task.go    where problems come from, and how they are scored
//	type.go    what a recipe says, and the prompts
//	lamps.go   rows for bases that know digits alone, and ways to game the reward
package bfcl

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"parley/task"
	"parley/task/dataset"
)

// inBinary is the first 40 rows of category parallel.
//
//go:embed data/parallel.jsonl.gz
var inBinary []byte

// twice is the row that asks twice for one call, which merged calls never answer.
const twice = "parallel_158"

// A Task is the task over loaded problems. It implements [task.Task] and [task.JointScorer].
type Task struct {
	*dataset.Loaded
	scorer string
}

// categories are those whose rows are used.
func (s Settings) categories() []string {
	if len(s.Categories) > 0 {
		return s.Categories
	}
	return []string{"parallel", "parallel_multiple", "live_parallel", "live_parallel_multiple"}
}

// open loads the problems that the settings choose, for a team.
func (s Settings) open(ctx context.Context, in task.Environment) (*Task, error) {
	loaded, err := &dataset.Loaded{}, error(nil)
	switch {
	case in.NoProblems:
	case s.Path == "":
		loaded, err = s.shipped()
	default:
		loaded, err = s.load(ctx, in.Cache)
	}
	if err != nil {
		return nil, fmt.Errorf("task %s: %w", name, err)
	}
	for _, problems := range loaded.Splits {
		for _, p := range problems {
			s.share(p, max(in.Agents, 1))
		}
	}
	return &Task{loaded, s.Scorer}, nil
}

// shipped loads the rows in the binary.
func (s Settings) shipped() (*dataset.Loaded, error) {
	all, err := Read("the rows in the binary", bytes.NewReader(inBinary))
	if err != nil {
		return nil, err
	}
	loaded, err := s.divide(append(all, lamps()...))
	if err != nil {
		return nil, fmt.Errorf("task.categories: %w; the binary has rows of parallel and lamps: set task.path for others", err)
	}
	return loaded, nil
}

// Read reads problems from JSON lines of rows, plain or packed. name is for error messages.
func Read(name string, r io.Reader) ([]task.Problem, error) {
	return dataset.Problems(name, r, readRow)
}

func readRow(line int, record []byte) (task.Problem, error) {
	p, err := readQuestion(line, record)
	if err != nil {
		return p, err
	}
	return answer(p, record)
}

// load loads the unpacked wheel of bfcl-eval, which may be named by its folder data, or a data set of rows.
func (s Settings) load(ctx context.Context, cache string) (*dataset.Loaded, error) {
	folders := []string{s.Path, filepath.Join(s.Path, "data"), filepath.Join(s.Path, "bfcl_eval", "data")}
	i := slices.IndexFunc(folders, func(folder string) bool {
		_, err := os.Stat(filepath.Join(folder, "possible_answer"))
		return err == nil
	})
	if i < 0 {
		loaded, err := dataset.Load(ctx, s.Path, cache, readRow, nil)
		if err != nil {
			return nil, err
		}
		chosen, err := dataset.Apart(s.chosen(loaded.Splits[task.Train]), s.chosen(loaded.Splits[task.Test]), loaded.Notes...)
		if err != nil {
			return nil, fmt.Errorf("task.categories: %w", err)
		}
		chosen.Overlap = loaded.Overlap
		return chosen, nil
	}
	var all []task.Problem
	for _, category := range s.categories() {
		file := "BFCL_v4_" + category + ".json"
		problems, err := answered(ctx, filepath.Join(folders[i], file), filepath.Join(folders[i], "possible_answer", file))
		if err != nil {
			return nil, err
		}
		all = append(all, problems...)
	}
	return s.divide(all)
}

// answered reads a file of rows and one of their answers.
func answered(ctx context.Context, rows, answers string) (problems []task.Problem, err error) {
	at, lines := map[string]int{}, []int{}
	err = each(ctx, rows, func(line int, record []byte) error {
		p, err := readQuestion(line, record)
		if _, again := at[p.ID]; err == nil && again {
			err = fmt.Errorf("id %s stands twice", p.ID)
		}
		at[p.ID] = len(problems)
		problems, lines = append(problems, p), append(lines, line)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = each(ctx, answers, func(_ int, record []byte) error {
		r, err := dataset.ParseRecord(record)
		if err != nil {
			return err
		}
		i, known := at[r.Plain("id")]
		if !known {
			return fmt.Errorf("id %q is not in %s", r.Plain("id"), rows)
		}
		problems[i], err = answer(problems[i], record)
		return err
	})
	if err != nil {
		return nil, err
	}
	for i, p := range problems {
		if _, has := p.Fields[fieldTruth]; !has {
			return nil, fmt.Errorf("%s:%d: id %s is not in %s", rows, lines[i], p.ID, answers)
		}
	}
	return problems, nil
}

func each(ctx context.Context, path string, record func(line int, data []byte) error) error {
	set, err := dataset.Open(path, "")
	if err != nil {
		return err
	}
	return set.Files[0].Each(ctx, record)
}

// divide holds out one question in five of those that the settings choose.
func (s Settings) divide(all []task.Problem) (*dataset.Loaded, error) {
	train, held := dataset.Hashed(s.chosen(all))
	return dataset.Apart(train, held, dataset.OneInFive+" among categories "+strings.Join(s.categories(), ", "))
}

// chosen are the problems of the categories, and those whose ids name none.
func (s Settings) chosen(all []task.Problem) []task.Problem {
	return slices.DeleteFunc(all, func(p task.Problem) bool {
		named := category.FindStringSubmatch(p.ID)
		return p.ID == twice || named != nil && !slices.Contains(s.categories(), named[1])
	})
}

// category is at the beginning of an id.
var category = regexp.MustCompile(`^((?:live_)?parallel(?:_multiple)?|lamps)_\d`)

// Name implements [task.Task].
func (*Task) Name() string { return name }

// Problems implements [task.Task]: problems are in the order of their files.
func (t *Task) Problems(split task.Split, n int) ([]task.Problem, error) { return t.Of(name, split, n) }

// Range implements [task.JointScorer]. The greatest is what can be earned, 1.1 of the published 1.2, so that who earns it has done all.
func (t *Task) Range() (least, greatest float64) {
	if t.scorer == robust {
		return -.35, 1
	}
	return leastPublished, 1.1
}

// Score implements [task.JointScorer].
func (t *Task) Score(_ context.Context, p task.Problem, responses []string) (task.Score, error) {
	functions, err := functionsOf(p)
	if err != nil {
		return task.Score{}, fmt.Errorf("task %s: problem %s: %w", name, p.ID, err)
	}
	asked, err := askedOf(p, functions)
	if err != nil {
		return task.Score{}, fmt.Errorf("task %s: problem %s: %w", name, p.ID, err)
	}
	agents, unreadable := said(responses, functions)
	s := measure(agents, asked, functions).score(t.scorer)
	for _, calls := range agents {
		s.Signals.Usable = append(s.Signals.Usable, len(calls) > 0)
	}
	if unreadable {
		s.Flags = []string{"unreadable"}
	}
	return s, nil
}

// said reads the calls of each agent.
func said(responses []string, functions []function) (agents [][]Call, unreadable bool) {
	for _, text := range responses {
		calls, ok := read(text, functions)
		agents, unreadable = append(agents, calls), unreadable || !ok
	}
	return agents, unreadable
}

// Merged are the calls that agents make together.
func Merged(p task.Problem, responses []string) ([]Call, error) {
	functions, err := functionsOf(p)
	if err != nil {
		return nil, err
	}
	agents, _ := said(responses, functions)
	return merge(agents...), nil
}
