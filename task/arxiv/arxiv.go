// Package arxiv is the abstract expansion task of MAGRPO (§6.2): from an abstract, one agent writes the background and
// motivation of an introduction, another the methodology and implications, and both get one reward.
//
// The reward has the same four levels as that of summarisation (package words), with texts of 128 to 256 words, about equal
// lengths and vocabularies, and markers counted in both. Its length band changed at the end of 2025: see [Era].
package arxiv

import (
	"context"
	"embed"
	"fmt"
	"io"

	"parley/task"
	"parley/task/dataset"
	"parley/task/textstats"
)

// NominalMaximum is the maximum that published percentages refer to.
const NominalMaximum = 3.0

// An Era names a version of the published reward.
type Era string

const (
	EraPaper  Era = "paper"   // until 2025-12-30
	EraLatest Era = "2025-12" // from 2025-12-31
)

// Rubric returns the published reward of an era.
func Rubric(era Era) (textstats.Rubric, error) {
	r := textstats.Rubric{
		MinWords: 128, MaxWords: 256,
		Vocabulary:   textstats.Band{From: 0.5, Low: 0.7, High: 1.3, To: 1.7, Pay: 0.5},
		FirstMarkers: true,
		JaccardCap:   0.23,
	}
	switch era {
	case EraPaper:
		r.Length = textstats.Band{From: 0.8, Low: 1.0, High: 1.3, To: 1.5, Pay: 1}
	case EraLatest:
		r.Length = textstats.Band{From: 0.8, Low: 1.3, High: 1.6, To: 2.0, Pay: 1}
	default:
		return textstats.Rubric{}, fmt.Errorf("era %q: write paper or 2025-12", era)
	}
	return r, nil
}

//go:embed data/*.jsonl.gz
var sample embed.FS

// Options say where the problems come from and how they are scored.
type Options struct {
	Path   string             // of a data set of records with abstract_text, article_id and title; empty: there are no problems
	Made   bool               // abstracts that a generator made
	Cache  string             // folder of the data sets that were pulled
	Era    Era                // empty: paper
	Scorer task.RewardVariant // empty: standard
}

// A Task is the expansion task over loaded problems. It implements [task.Task] and [task.JointScorer].
type Task struct {
	*dataset.Loaded
	rubric  textstats.Rubric
	variant task.RewardVariant
}

// New loads the problems of both splits.
func New(ctx context.Context, o Options) (*Task, error) {
	if o.Era == "" {
		o.Era = EraPaper
	}
	if o.Scorer == "" {
		o.Scorer = task.Standard
	}
	rubric, err := Rubric(o.Era)
	if err != nil {
		return nil, fmt.Errorf("task arxiv: %w", err)
	}
	if err := o.Scorer.Check(); err != nil {
		return nil, fmt.Errorf("task arxiv: %w", err)
	}
	loaded := &dataset.Loaded{}
	switch {
	case o.Made:
		loaded, err = dataset.Embedded(sample, "data/made-%s.jsonl.gz", readRecord)
	case o.Path != "":
		loaded, err = dataset.Load(ctx, o.Path, o.Cache, task.Rows(readRecord), nil)
	}
	if err != nil {
		return nil, fmt.Errorf("task arxiv: %w", err)
	}
	return &Task{loaded, rubric, o.Scorer}, nil
}

// Read reads problems from JSON lines, plain or packed, with the fields abstract_text, article_id and title. The question
// is the abstract. name is for error messages.
func Read(name string, r io.Reader) ([]task.Problem, error) {
	return dataset.Problems(name, r, task.Rows(readRecord))
}

func readRecord(data []byte) (p task.Problem, err error) {
	r, err := dataset.ParseRecord(data)
	if err != nil {
		return p, err
	}
	abstract, err := r.Required("abstract_text")
	if err != nil {
		return p, err
	}
	id, err := r.Text("article_id")
	if err != nil {
		return p, err
	}
	title, err := r.Text("title")
	return task.Problem{ID: id, Question: abstract, Fields: map[string]string{"title": title}}, err
}

// Name implements [task.Task].
func (t *Task) Name() string { return name }

// Problems implements [task.Task]: problems are in the order of their file.
func (t *Task) Problems(split task.Split, n int) ([]task.Problem, error) { return t.Of(name, split, n) }

// Score implements [task.JointScorer]: responses are the two parts of the introduction.
func (t *Task) Score(_ context.Context, p task.Problem, responses []string) (task.Score, error) {
	switch len(responses) {
	case 1:
		return t.rubric.TaskScoreOne(t.variant, responses[0], p.Question), nil
	case 2:
		s := t.rubric.ScorePair(t.variant, responses[0], responses[1], p.Question)
		return t.rubric.TaskScore(s, responses[0], responses[1]), nil
	}
	return task.Score{}, fmt.Errorf("task arxiv: %d responses, want 2: background, then methodology; or 1 that holds both", len(responses))
}

// Range implements [task.JointScorer].
func (t *Task) Range() (least, greatest float64) { return 0, t.rubric.Most() }
