// Package arxiv is the abstract expansion task of MAGRPO (§6.2): from an abstract, one agent writes the background and
// motivation of an introduction, another the methodology and implications, and both get one reward.
//
// The reward has the same four levels as that of summarisation (package words), with texts of 128 to 256 words, about equal
// lengths and vocabularies, and markers counted in both. Its length band changed at the end of 2025: see [Era].
package arxiv

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"parley/task"
	"parley/task/dataset/jsonl"
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

// Options say where the problems come from and how they are scored.
type Options struct {
	Train, Test string             // files of JSON lines with abstract_text, article_id and title
	Era         Era                // empty: paper
	Scorer      task.RewardVariant // empty: standard
}

// A Task is the expansion task over loaded problems. It implements [task.Task] and [task.JointScorer].
type Task struct {
	rubric   textstats.Rubric
	variant  task.RewardVariant
	problems map[task.Split][]task.Problem
}

// New loads the problems of both splits.
func New(o Options) (*Task, error) {
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
	t := &Task{rubric: rubric, variant: o.Scorer, problems: map[task.Split][]task.Problem{}}
	for split, file := range map[task.Split]string{task.Train: o.Train, task.Test: o.Test} {
		problems, err := readFile(file)
		if err != nil {
			return nil, fmt.Errorf("task arxiv: %s split: %w", split, err)
		}
		t.problems[split] = problems
	}
	return t, nil
}

func readFile(file string) ([]task.Problem, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(file, f)
}

// Read reads problems from JSON lines, plain or gzipped, with the fields abstract_text, article_id and title. The question
// is the abstract. name is for error messages.
func Read(name string, r io.Reader) ([]task.Problem, error) {
	return jsonl.Problems(name, r, func(line int, data []byte) (task.Problem, error) {
		var rec struct {
			ID       string `json:"article_id"`
			Abstract string `json:"abstract_text"`
			Title    string `json:"title"`
		}
		if err := json.Unmarshal(data, &rec); err != nil {
			return task.Problem{}, err
		}
		if strings.TrimSpace(rec.Abstract) == "" {
			return task.Problem{}, errors.New("no abstract_text")
		}
		p := task.Problem{ID: rec.ID, Question: rec.Abstract, Fields: map[string]string{"title": rec.Title}}
		if p.AddRow(data); p.ID == "" {
			p.ID = fmt.Sprintf("line-%d", line)
		}
		return p, nil
	})
}

// Name implements [task.Task].
func (t *Task) Name() string { return name }

// Problems implements [task.Task]: problems are in the order of their file.
func (t *Task) Problems(split task.Split, n int) ([]task.Problem, error) {
	problems, ok := t.problems[split]
	if !ok {
		return nil, fmt.Errorf("task arxiv: no split %q: write train or test", split)
	}
	return problems[:min(max(n, 0), len(problems))], nil
}

// Score implements [task.JointScorer]: responses are the two parts of the introduction.
func (t *Task) Score(p task.Problem, responses []string) (task.Score, error) {
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
