// Package labelled is the tasks whose problems come from a data set with right answers: word problems (GSM8K, TinyGSM, SVAMP,
// GSM-Hard, MATH) and natural language inference in any set of that form (ANLI, SNLI, WANLI).
//
//	t, err := labelled.New(ctx, labelled.GSM8K, labelled.Options{Train: files, Test: heldOut, Verifier: 2000})
//	problems, err := t.Problems(task.Train, 12800)
//	fmt.Println(t.Account())
//
// A [Format] says how a record of a data set becomes a problem and how an answer is read (maths.go, nli.go);
// a row of any other set does so as a recipe says (data.go, match.go, choice.go). What is loaded is then divided into splits that share no problem (split.go), and [Task.Account] says what came of it.
package labelled

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strings"

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
	Key     string       // says what else decides how Read reads
	Choice  bool         // an answer is one of a few words, not a number
}

// An Item is a problem as it was read. Its ID may be empty.
type Item struct {
	task.Problem
	Group     string // problems of one group never belong to different splits; empty: the problem stands by itself
	AllFields bool   // its fields are all that the record says beside; else they come along ([task.Problem.AddRow])
	Whole     string // the question with what is shown beside it; empty: there is nothing
}

// A row is what is known of an item that was read: what tells it from others, and where it is.
type row struct {
	asked task.Asked
	key   string // the same for items that ask the same
	said  string // the same for items that are one
	group string // of it, where it has one
	right uint64 // a hash of the right answer
	truth string // the beginning of the right answer, for messages
	file  int
	at    dataset.Place
}

// groupKey is what an item shares with others of its group.
func (r *row) groupKey() string { return cmp.Or(r.group, r.key) }

// rowOf is what is known of an item.
func rowOf(item Item, all bool, file int, at dataset.Place) row {
	r := row{asked: task.Asked{Question: task.Key(item.Question)}, file: file, at: at}
	if r.asked.Whole = r.asked.Question; item.Whole != "" {
		r.asked.Whole = task.Key(item.Whole)
	}
	if all {
		r.said = task.Said(item.Problem)
	}
	if item.Group != "" {
		r.group = task.Key(item.Group)
	}
	hash := fnv.New64a()
	_, _ = io.WriteString(hash, item.Right()) // a hash takes all
	r.right, r.truth = hash.Sum64(), strings.Clone(item.Truth[:min(len(item.Truth), 64)])
	return r
}

// identify gives rows the keys by which they ask the same, and those by which they are one: the same, or, where every field may be read, all of
// what they say. Where all rows ask the same, sides are told apart by the latter too.
func identify(all bool, files ...[]row) {
	asked := make([][]task.Asked, len(files))
	for i, rows := range files {
		for _, r := range rows {
			asked[i] = append(asked[i], r.asked)
		}
	}
	keys := task.AskedKeys(asked...)
	one := all && task.OneAsked(keys...)
	for i := range files {
		for j := range files[i] {
			r := &files[i][j]
			if r.key = keys[i][j]; !all {
				r.said = r.key
			}
			if one {
				r.key = r.said
			}
		}
	}
}

// A NoLabel error says why a record has no usable answer: its annotators did not agree, or it is not of the kind that is
// asked for.
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
	Reads       string   // how rows are read, for the index of a large data set; empty: none is kept
	LastNumber  bool     // take the last number of a text for its answer, for models that put nothing in a box
	Verifier    int      // so many training problems, the first ones, are kept for a verifier
	Notes       []string // that [Task.Account] ends with, such as which files are not used
}

// A Task is a form over a data set, of whose rows it knows where they are: they are read when somebody asks for them. It implements [task.Task] and
// [task.Answerer].
type Task struct {
	ctx    context.Context // of who opened it: reading rows ends with it
	format Format
	files  []File
	stamps []string // of the files, as they were gone through
	index  index
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

// New goes through a data set and divides its problems, unless it knows them from before.
func New(ctx context.Context, form Format, o Options) (*Task, error) {
	t := &Task{ctx: ctx, format: o.reading(form), notes: o.Notes, files: slices.Concat(o.Train, o.Test)}
	for _, f := range t.files {
		t.stamps = append(t.stamps, stamp(f))
	}
	kept := o.indexFile(ctx, form)
	if t.loadIndex(kept) {
		return t, nil
	}
	train, err := t.read(ctx, 0, o.Train, o)
	if err != nil {
		return nil, fmt.Errorf("task %s: training problems: %w", form.Name, err)
	}
	test, err := t.read(ctx, len(o.Train), o.Test, o)
	if err != nil {
		return nil, fmt.Errorf("task %s: held-out problems: %w", form.Name, err)
	}
	identify(o.All, train, test)
	t.contradict(test, train)
	if len(o.Test) == 0 {
		train, test = holdOut(train)
	}
	t.index.Splits = t.split(train, test, o.Verifier)
	t.index.Account, t.index.LeftOut = t.account(), t.counts.heldOut
	if t.Count(task.Train) == 0 || t.Count(task.Test) == 0 {
		return nil, fmt.Errorf("task %s: both training and held-out problems are needed: %s", form.Name, t.Account())
	}
	t.keepIndex(kept)
	return t, nil
}

// read goes through all records of files in order; from is the number of the first.
func (t *Task) read(ctx context.Context, from int, files []File, o Options) (rows []row, err error) {
	for i, f := range files {
		err := each(ctx, f, func(at dataset.Place, data []byte) error {
			item, err := t.format.Read(data)
			switch {
			case errors.As(err, new(*NoLabel)):
				t.counts.without(at.Line, err)
			case err != nil && o.SkipBroken:
				t.counts.broken++
			case err != nil:
				return fmt.Errorf("%w; task.bad_lines skip leaves such lines out", err)
			default:
				if !item.AllFields {
					item.AddRow(data)
				} else {
					t.know(item.Fields)
				}
				rows = append(rows, rowOf(item, o.All, from+i, at))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// know adds fields to those that some row has.
func (t *Task) know(fields map[string]string) {
	for name := range fields {
		if !slices.Contains(t.index.Fields, name) {
			t.index.Fields = append(t.index.Fields, name)
		}
	}
}

// Name implements [task.Task].
func (t *Task) Name() string { return t.format.Name }

// Answer implements [task.Answerer].
func (t *Task) Answer(text string) (canonical string, ok bool) { return t.format.Answer(text) }

// place is where a record stands.
func place(f File, line int) string {
	if file, ok := f.(dataset.File); ok {
		return fmt.Sprintf("%s:%d", file.Name, line)
	}
	return fmt.Sprintf("line %d", line)
}
