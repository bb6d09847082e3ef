// Package labelled is the tasks whose problems come from a data set with right answers: word problems (GSM8K, TinyGSM, SVAMP,
// GSM-Hard, MATH) and natural language inference in any set of that form (ANLI, SNLI, WANLI).
//
//	t, err := labelled.New(ctx, labelled.GSM8K, labelled.Options{Train: files, Test: heldOut, Verifier: 2000})
//	problems, err := t.Problems(task.Train, 12800)
//	fmt.Println(t.Account())
//
// A [Format] says how a record of a data set becomes a problem and how an answer is read (maths.go, nli.go). What is
// loaded is then divided into splits that share no problem (split.go), and [Task.Account] says what came of it.
package labelled

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"parley/task"
	"parley/task/answer"
	"parley/task/dataset"
)

// A Format is a family of data sets.
type Format struct {
	Name    string
	About   string
	DataSet string                            // that is meant where none is named; empty: one must be named
	Prepare string                            // the command that makes it from what can be downloaded; empty: it is used as it is
	Read    func(record []byte) (Item, error) // an [NoLabel] error leaves the record out; any other is a broken record
	Answer  answer.Parser
	Fields  []task.Field // of its problems
	Prompts task.Prompts // of its own; empty: the general form
	Choice  bool         // an answer is one of a few words, not a number
}

// An Item is a problem as it was read. Its ID may be empty.
type Item struct {
	task.Problem
	Group     string // problems of one group never belong to different splits; empty: the problem stands by itself
	AllFields bool   // its fields are all that the record says beside; else they come along ([task.Problem.AddRow])
	Whole     string // the question with what is shown beside it; empty: there is nothing

	key  string // the same for items that ask the same
	said string // the same for items that are one
	at   string // its file and line
}

// group is what an item shares with others of its group.
func (i *Item) group() string {
	if i.Group != "" {
		return task.Key(i.Group)
	}
	return i.key
}

// identify gives items the keys by which they ask the same, and those by which they are one: the same, or, where every field may be read, all of
// what they say. Where all items ask the same, sides are told apart by the latter too.
func identify(all bool, files ...[]Item) {
	asked := make([][]task.Asked, len(files))
	for i, items := range files {
		for _, item := range items {
			asked[i] = append(asked[i], task.Asked{Question: item.Question, Whole: cmp.Or(item.Whole, item.Question)})
		}
	}
	keys := task.AskedKeys(asked...)
	one := all && task.OneAsked(keys...)
	for i := range files {
		for j := range files[i] {
			item := &files[i][j]
			item.key, item.said = keys[i][j], keys[i][j]
			if all {
				item.said = task.Said(item.Problem)
			}
			if one {
				item.key = item.said
			}
		}
	}
}

// An NoLabel error says why a record has no usable answer: nobody agreed on one, or it is not of the kind that is asked for.
type NoLabel struct{ Reason string }

func (e *NoLabel) Error() string { return e.Reason }

// A File is a source of records, such as a dataset.File. An error of record ends the reading and is returned with its place.
type File interface {
	Each(ctx context.Context, record func(line int, data []byte) error) error
}

// Options say where the problems come from.
type Options struct {
	Train, Test []File   // without Test, a fifth of Train is held out
	SkipBroken  bool     // leave out records that cannot be read, and count them; else they are errors
	All         bool     // every field of a problem may be read
	LastNumber  bool     // take the last number of a text for its answer, for models that put nothing in a box
	Verifier    int      // so many training problems, the first ones, are kept for a verifier
	Notes       []string // that [Task.Account] ends with, such as which files are not used
}

// A Task is a form over a loaded data set. It implements [task.Task] and [task.Answerer].
type Task struct {
	format Format
	splits map[task.Split][]task.Problem
	counts counts
	notes  []string
}

// reading is the form as the options have answers read.
func (o Options) reading(form Format) Format {
	if o.LastNumber {
		form.Answer = answer.LastNumber
	}
	return form
}

// New loads and divides the problems.
func New(ctx context.Context, form Format, o Options) (*Task, error) {
	t := &Task{format: o.reading(form), notes: o.Notes}
	train, err := t.read(ctx, o.Train, o.SkipBroken)
	if err != nil {
		return nil, fmt.Errorf("task %s: training problems: %w", form.Name, err)
	}
	test, err := t.read(ctx, o.Test, o.SkipBroken)
	if err != nil {
		return nil, fmt.Errorf("task %s: held-out problems: %w", form.Name, err)
	}
	identify(o.All, train, test)
	t.counts.contradict(test, train)
	if len(o.Test) == 0 {
		train, test = holdOut(train)
	}
	t.splits = t.split(train, test, o.Verifier)
	if len(t.splits[task.Train]) == 0 || len(t.splits[task.Test]) == 0 {
		return nil, fmt.Errorf("task %s: both training and held-out problems are needed: %s", form.Name, t.Account())
	}
	return t, nil
}

// read loads all records of files in order.
func (t *Task) read(ctx context.Context, files []File, skip bool) ([]Item, error) {
	var items []Item
	for _, f := range files {
		err := f.Each(ctx, func(line int, data []byte) error {
			item, err := t.format.Read(data)
			switch {
			case errors.As(err, new(*NoLabel)):
				t.counts.without(line, err)
			case err != nil && skip:
				t.counts.broken++
			case err != nil:
				return fmt.Errorf("%w; task.bad_lines skip leaves such lines out", err)
			default:
				if !item.AllFields {
					item.AddRow(data)
				}
				item.at = place(f, line)
				items = append(items, item)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return items, nil
}

// Name implements [task.Task].
func (t *Task) Name() string { return t.format.Name }

// Problems implements [task.Task]: problems are in the order of their files.
func (t *Task) Problems(split task.Split, n int) ([]task.Problem, error) {
	problems, ok := t.splits[split]
	if !ok {
		return nil, fmt.Errorf("task %s: no split %q: write train, verifier or test", t.format.Name, split)
	}
	return problems[:min(max(n, 0), len(problems))], nil
}

// Answer implements [task.Answerer].
func (t *Task) Answer(text string) (canonical string, ok bool) { return t.format.Answer(text) }

// place is where a record stands.
func place(f File, line int) string {
	if file, ok := f.(dataset.File); ok {
		return fmt.Sprintf("%s:%d", file.Name, line)
	}
	return fmt.Sprintf("line %d", line)
}
