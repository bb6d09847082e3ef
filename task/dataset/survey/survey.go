// Package survey looks at a data set before it is trained on: its files and columns, its splits, how long its texts are, and what stands in
// it twice or in two splits.
//
//	s, err := survey.Of(ctx, set, survey.Options{Question: "question", Tokens: func(text string) int { … }})
//
// A file that cannot be read does not hide the others: what is wrong with it stands beside it.
package survey

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"parley/task"
	"parley/task/dataset"
)

// A Set is what is known of a data set.
type Set struct {
	Name       string             `json:"name"`
	Files      []File             `json:"files"`
	Rows       int                `json:"rows"`
	Question   string             `json:"question"`   // key by which rows are compared; empty: whole rows are
	Duplicates int                `json:"duplicates"` // rows whose question stands before them in the same split
	Overlap    int                `json:"overlap"`    // rows whose question stands in another split too, each pair of splits counted once
	Tokens     map[string]Lengths `json:"tokens,omitempty"`
	Notes      []string           `json:"notes,omitempty"`

	columns []string // that have lengths, in their order
}

// Columns are those whose texts were measured, in the order of the first file.
func (s *Set) Columns() []string { return s.columns }

// A File is what is known of one file.
type File struct {
	Path    string            `json:"path"`
	Format  dataset.Format    `json:"format"`
	Split   string            `json:"split"` // train, validation, test; empty: its name says none
	Use     Use               `json:"use"`
	Rows    int               `json:"rows"`
	Columns map[string]string `json:"columns"` // type by name
	Error   string            `json:"error,omitempty"`

	Order []string `json:"-"` // of the columns
}

// A Use is what becomes of a file in training.
type Use string

const (
	Training Use = "training"
	HeldOut  Use = "held out"
	Divided  Use = "divided" // one problem in five is held out
	Unused   Use = "unused"
)

// Options say how rows are looked at.
type Options struct {
	Question string                // key by which rows are compared; empty, or not there: the first usual one that is there
	Tokens   func(text string) int // counts the tokens of a text; nil: lengths are not measured
}

// usual are keys that questions often have.
var usual = []string{"question", "Question", "problem", "Problem", "prompt", "messages", "conversations", "input", "instruction", "query", "text", "premise"}

// Of looks at a set. The only error is that of ctx.
func Of(ctx context.Context, set dataset.Set, o Options) (*Set, error) {
	s := &Set{Name: set.Name, Files: []File{}}
	uses := s.uses(set)
	v := visitor{set: s, options: o, seen: map[string]map[string]bool{}, lengths: map[string][]int{}}
	for _, f := range set.Files {
		s.Files = append(s.Files, v.file(ctx, f, uses[f.Path]))
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("read %s: %w", f.Path, err)
		}
		s.Rows += s.Files[len(s.Files)-1].Rows
	}
	s.Question, s.Overlap = v.question, v.overlap()
	s.columns, s.Tokens = v.columns, v.summaries()
	if o.Question != "" && s.Question != o.Question && s.Rows > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("no row has the key %s: %s; --question names the key of the question", o.Question, v.compared()))
	}
	return s, nil
}

// uses says what becomes of every file.
func (s *Set) uses(set dataset.Set) map[string]Use {
	uses := map[string]Use{}
	h, err := set.Halves()
	if err != nil {
		s.Notes = append(s.Notes, err.Error())
		return uses
	}
	first := Training
	if len(h.Held) == 0 {
		first = Divided
		s.Notes = append(s.Notes, dataset.OneInFive)
	}
	for _, part := range []struct {
		files []dataset.File
		use   Use
	}{{h.Train, first}, {h.Held, HeldOut}, {h.Unused, Unused}} {
		for _, f := range part.files {
			uses[f.Path] = part.use
		}
	}
	if note := h.Note(); note != "" {
		s.Notes = append(s.Notes, note)
	}
	return uses
}

// A visitor goes through the rows of all files.
type visitor struct {
	set      *Set
	options  Options
	question string
	chosen   bool                       // question is settled
	seen     map[string]map[string]bool // keys of rows, by split
	columns  []string
	lengths  map[string][]int
}

func (v *visitor) file(ctx context.Context, f dataset.File, use Use) File {
	out := File{Path: f.Path, Split: f.Split, Use: use, Columns: map[string]string{}}
	var err error
	if out.Format, err = f.Format(ctx); err == nil {
		types := map[string][]string{}
		err = f.Each(ctx, func(_ int, data []byte) error {
			r, err := dataset.ParseRecord(data)
			if err != nil {
				return err
			}
			out.Rows++
			for _, key := range columns(r, "") {
				if types[key] == nil {
					out.Order = append(out.Order, key)
				}
				if kind := typeOf(r, key); !slices.Contains(types[key], kind) {
					types[key] = append(types[key], kind)
				}
			}
			v.row(r, f.Split, out.Rows)
			return nil
		})
		for key, kinds := range types {
			out.Columns[key] = described(kinds)
		}
	}
	if err != nil {
		out.Error = err.Error()
	}
	return out
}

// measured is how many rows of a file have their tokens counted.
const measured = 1000

// row notes what a row says, the n-th of its file.
func (v *visitor) row(r dataset.Record, split string, n int) {
	if !v.chosen {
		v.choose(r)
	}
	key := v.key(r)
	if v.seen[split] == nil {
		v.seen[split] = map[string]bool{}
	}
	if v.seen[split][key] {
		v.set.Duplicates++
	}
	v.seen[split][key] = true
	if v.options.Tokens == nil || n > measured {
		return
	}
	for _, column := range columns(r, "") {
		if _, known := v.lengths[column]; !known {
			v.columns = append(v.columns, column)
		}
		v.lengths[column] = append(v.lengths[column], v.options.Tokens(r.Plain(column)))
	}
}

// choose settles by which key rows are compared.
func (v *visitor) choose(r dataset.Record) {
	v.chosen = true
	for _, key := range append([]string{v.options.Question}, usual...) {
		if key != "" && r.Has(key) {
			v.question = key
			return
		}
	}
}

// key is the same for rows that ask the same.
func (v *visitor) key(r dataset.Record) string {
	if v.question != "" {
		return task.Key(r.Plain(v.question))
	}
	keys := slices.Sorted(slices.Values(r.Keys()))
	var all strings.Builder
	for _, key := range keys {
		all.WriteString(key + ": " + r.Plain(key) + "\n")
	}
	return task.Key(all.String())
}

// compared says by what rows are compared.
func (v *visitor) compared() string {
	if v.question == "" {
		return "whole rows are compared"
	}
	return "rows are compared by " + v.question
}

// overlap counts the questions that stand in two splits, in each pair of splits.
func (v *visitor) overlap() (n int) {
	splits := []string{"", dataset.Train, dataset.Validation, dataset.Test}
	for i, a := range splits {
		for key := range v.seen[a] {
			for _, b := range splits[i+1:] {
				if v.seen[b][key] {
					n++
					break
				}
			}
		}
	}
	return n
}
