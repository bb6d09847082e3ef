// This file looks at a data set before it is trained on: its files and columns, its splits, how long its texts are, and what stands in
// it twice or in two splits.
//
//	s, err := set.Survey(ctx, dataset.SurveyOptions{Question: "question", Tokens: func(text string) int { … }})
//
// A file that cannot be read does not hide the others: what is wrong with it stands beside it.

package dataset

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"parley/task"
)

// A Survey is what is known of a data set.
type Survey struct {
	Name       string             `json:"name"`
	Files      []Surveyed         `json:"files"`
	Rows       int                `json:"rows"`
	Question   string             `json:"question"`   // key by which rows are compared; empty: whole rows are
	Duplicates int                `json:"duplicates"` // rows whose question stands before them in the same split
	Overlap    int                `json:"overlap"`    // rows whose question stands in another split too, each pair of splits counted once
	Tokens     map[string]Lengths `json:"tokens,omitempty"`
	Notes      []string           `json:"notes,omitempty"`

	columns []string // that have lengths, in their order
}

// Columns are those whose texts were measured, in the order of the first file.
func (s *Survey) Columns() []string { return s.columns }

// Surveyed is what is known of one file.
type Surveyed struct {
	Path    string            `json:"path"`
	Format  Format            `json:"format"`
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
	UseTraining Use = "training"
	UseHeldOut  Use = "held out"
	UseDivided  Use = "divided" // one problem in five is held out
	UseNone     Use = "unused"
)

// SurveyOptions say how rows are looked at.
type SurveyOptions struct {
	Question string                // key by which rows are compared; empty, or not there: the first usual one that is there
	Tokens   func(text string) int // counts the tokens of a text; nil: lengths are not measured
}

// usual are keys that questions often have.
var usual = []string{"question", "Question", "problem", "Problem", "prompt", "messages", "conversations", "input", "instruction", "query", "text", "premise"}

// Survey looks at a set. The only error is that of ctx.
func (s Set) Survey(ctx context.Context, o SurveyOptions) (*Survey, error) {
	out := &Survey{Name: s.Name, Files: []Surveyed{}}
	uses := out.uses(s)
	v := visitor{set: out, options: o, seen: map[string]map[string]bool{}, lengths: map[string][]int{}}
	for _, f := range s.Files {
		out.Files = append(out.Files, v.file(ctx, f, uses[f.Path]))
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("read %s: %w", f.Path, err)
		}
		out.Rows += out.Files[len(out.Files)-1].Rows
	}
	out.Question, out.Overlap = v.question, v.overlap()
	out.columns, out.Tokens = v.columns, v.summaries()
	if o.Question != "" && out.Question != o.Question && out.Rows > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("no row has the key %s: %s; --question names the key of the question", o.Question, v.compared()))
	}
	return out, nil
}

// uses says what becomes of every file.
func (s *Survey) uses(set Set) map[string]Use {
	uses := map[string]Use{}
	h, err := set.Halves()
	if err != nil {
		s.Notes = append(s.Notes, err.Error())
		return uses
	}
	first := UseTraining
	if len(h.Held) == 0 {
		first = UseDivided
		s.Notes = append(s.Notes, OneInFive)
	}
	for _, part := range []struct {
		files []File
		use   Use
	}{{h.Train, first}, {h.Held, UseHeldOut}, {h.Unused, UseNone}} {
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
	set      *Survey
	options  SurveyOptions
	question string
	chosen   bool                       // question is settled
	seen     map[string]map[string]bool // keys of rows, by split
	columns  []string
	lengths  map[string][]int
}

func (v *visitor) file(ctx context.Context, f File, use Use) Surveyed {
	out := Surveyed{Path: f.Path, Split: f.Split, Use: use, Columns: map[string]string{}}
	var err error
	if out.Format, err = f.Format(ctx); err == nil {
		types := map[string][]string{}
		err = f.Each(ctx, func(_ int, data []byte) error {
			r, err := ParseRecord(data)
			if err != nil {
				return err
			}
			out.Rows++
			for _, key := range columnsOf(r, "") {
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
			out.Columns[key] = joinedKinds(kinds)
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
func (v *visitor) row(r Record, split string, n int) {
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
	for _, column := range columnsOf(r, "") {
		if _, known := v.lengths[column]; !known {
			v.columns = append(v.columns, column)
		}
		v.lengths[column] = append(v.lengths[column], v.options.Tokens(r.Plain(column)))
	}
}

// choose settles by which key rows are compared.
func (v *visitor) choose(r Record) {
	v.chosen = true
	for _, key := range append([]string{v.options.Question}, usual...) {
		if key != "" && r.Has(key) {
			v.question = key
			return
		}
	}
}

// key is the same for rows that ask the same.
func (v *visitor) key(r Record) string {
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
	splits := []string{"", Train, Validation, Test}
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
