package textstats

import (
	"context"
	"fmt"
	"io"

	"parley/task"
	"parley/task/dataset"
)

// NominalMaximum is the maximum that published percentages refer to.
const NominalMaximum = 3.0

// An Era names a version of the published reward.
type Era string

const (
	EraPaper  Era = "paper"   // until 2025-12-30
	EraLatest Era = "2025-12" // from 2025-12-31
)

// ArxivRubric returns the published reward of an era.
func ArxivRubric(era Era) (Rubric, error) {
	r := Rubric{
		MinWords: 128, MaxWords: 256,
		Vocabulary:   Band{From: 0.5, Low: 0.7, High: 1.3, To: 1.7, Pay: 0.5},
		FirstMarkers: true,
		JaccardCap:   0.23,
	}
	switch era {
	case EraPaper:
		r.Length = Band{From: 0.8, Low: 1.0, High: 1.3, To: 1.5, Pay: 1}
	case EraLatest:
		r.Length = Band{From: 0.8, Low: 1.3, High: 1.6, To: 2.0, Pay: 1}
	default:
		return Rubric{}, fmt.Errorf("era %q: write paper or 2025-12", era)
	}
	return r, nil
}

// ArxivOptions say where the problems come from and how they are scored.
type ArxivOptions struct {
	Path   string             // of a data set of records with abstract_text, article_id and title; empty: there are no problems
	Made   bool               // abstracts that a generator made
	Cache  string             // folder of the data sets that were pulled
	Era    Era                // empty: paper
	Scorer task.RewardVariant // empty: standard
}

// A Arxiv is the expansion task over loaded problems. It implements [task.Task] and [task.JointScorer].
//
// It is the abstract expansion task of MAGRPO (§6.2): from an abstract, one agent writes the background and
// motivation of an introduction, another the methodology and implications, and both get one reward.
//
// The reward has the same four levels as that of summarisation, with texts of 128 to 256 words, about equal
// lengths and vocabularies, and markers counted in both. Its length band changed at the end of 2025: see [Era].
type Arxiv struct {
	*dataset.Loaded
	rubric  Rubric
	variant task.RewardVariant
}

// NewArxiv loads the problems of both splits.
func NewArxiv(ctx context.Context, o ArxivOptions) (*Arxiv, error) {
	if o.Era == "" {
		o.Era = EraPaper
	}
	if o.Scorer == "" {
		o.Scorer = task.Standard
	}
	rubric, err := ArxivRubric(o.Era)
	if err != nil {
		return nil, fmt.Errorf("task arxiv: %w", err)
	}
	if err := o.Scorer.Check(); err != nil {
		return nil, fmt.Errorf("task arxiv: %w", err)
	}
	loaded := &dataset.Loaded{}
	switch {
	case o.Made:
		loaded, err = dataset.Embedded(sample, "data/made-abstracts-%s.jsonl.gz", readAbstract)
	case o.Path != "":
		loaded, err = dataset.Load(ctx, o.Path, o.Cache, task.Rows(readAbstract), nil)
	}
	if err != nil {
		return nil, fmt.Errorf("task arxiv: %w", err)
	}
	return &Arxiv{loaded, rubric, o.Scorer}, nil
}

// ReadAbstracts reads problems from JSON lines, plain or packed, with the fields abstract_text, article_id and title. The question
// is the abstract. name is for error messages.
func ReadAbstracts(name string, r io.Reader) ([]task.Problem, error) {
	return dataset.Problems(name, r, task.Rows(readAbstract))
}

func readAbstract(data []byte) (p task.Problem, err error) {
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
func (t *Arxiv) Name() string { return arxivName }

// Problems implements [task.Task]: problems are in the order of their file.
func (t *Arxiv) Problems(split task.Split, n int) ([]task.Problem, error) {
	return t.Of(arxivName, split, n)
}

// Score implements [task.JointScorer]: responses are the two parts of the introduction.
func (t *Arxiv) Score(_ context.Context, p task.Problem, responses []string) (task.Score, error) {
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
func (t *Arxiv) Range() (least, greatest float64) { return 0, t.rubric.Most() }
