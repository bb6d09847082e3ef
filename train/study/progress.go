package study

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"parley/internal/folder"
	"parley/recipe"
	"parley/runs"
)

// Progress is a study, or an experiment, with what came of it so far. An experiment has a cell for each variant, and its dimensions are the keys that
// variants change.
type Progress struct {
	ID         string      `json:"id"`
	Problem    string      `json:"problem,omitempty"` // why it cannot be read; then only its runs are known
	Experiment bool        `json:"experiment,omitempty"`
	Runs       int         `json:"runs"`       // that it asks for
	Dimensions []string    `json:"dimensions"` // in which its cells differ
	Metrics    []string    `json:"metrics"`
	Cells      []CellSoFar `json:"cells"`
	Results    *Results    `json:"results"`
}

// A CellSoFar is one combination of levels, with the runs of its seeds.
type CellSoFar struct {
	Name   string     `json:"name"`
	Levels []string   `json:"levels"` // by dimension
	Runs   []RunSoFar `json:"runs"`
}

// A RunSoFar is one seed of a cell. Its state is empty before it begins.
type RunSoFar struct {
	ID    string     `json:"id"`
	Seed  int        `json:"seed"`
	State runs.State `json:"state"`
}

// A Look is how the folder root/ID is looked at.
type Look struct {
	Language *recipe.Language
	State    func(id string) runs.State                   // of a run; empty: there is none
	Values   func(yaml string) (map[string]string, error) // of the keys of a recipe
}

// SoFar puts together what came of a study or an experiment: rows are read from the folders of runs, so that one that goes on shows what is there.
func (l Look) SoFar(root, id string) Progress {
	dir := filepath.Join(root, filepath.FromSlash(id))
	p := Progress{ID: id, Experiment: !runs.IsStudy(dir), Dimensions: []string{}, Metrics: []string{}, Cells: []CellSoFar{}}
	s, plan, err := l.outline(dir)
	if err != nil {
		p.Problem = err.Error()
		return p
	}
	p.Runs, p.Metrics = len(plan.Runs), s.AllMetrics()
	var rows []Row
	states := map[string]runs.State{}
	for _, run := range plan.Runs {
		states[run.Name] = l.State(id + "/" + run.Name)
		if row, err := Read(filepath.Join(dir, run.Name), s, run); err == nil && states[run.Name] == runs.Finished {
			rows = append(rows, row)
		}
	}
	p.Results = Of(s, plan, rows)
	for _, c := range plan.Cells {
		cell := CellSoFar{Name: c.Name, Levels: []string{}, Runs: []RunSoFar{}}
		for _, level := range c.Levels {
			cell.Levels = append(cell.Levels, level.Name)
			if len(p.Cells) == 0 {
				p.Dimensions = append(p.Dimensions, level.Dimension)
			}
		}
		for _, run := range plan.Runs {
			if run.Cell == c.Name {
				cell.Runs = append(cell.Runs, RunSoFar{id + "/" + run.Name, run.Seed, states[run.Name]})
			}
		}
		p.Cells = append(p.Cells, cell)
	}
	return p
}

// outline is what a study does, or an experiment.
func (l Look) outline(dir string) (*Study, *Plan, error) {
	if runs.IsStudy(dir) {
		data, err := folder.ReadFile(dir, runs.StudyFile)
		if err != nil {
			return nil, nil, err
		}
		return Outline(l.Language, dir, data)
	}
	meta, err := runs.Read(dir)
	if err != nil {
		return nil, nil, err
	}
	r, err := l.Language.Parse(filepath.Join(dir, runs.MetaFile), []byte(meta.Recipe), nil)
	if err != nil {
		return nil, nil, err
	}
	trials, err := r.Trials()
	if err != nil {
		return nil, nil, err
	}
	plan := &Plan{}
	for _, t := range trials {
		name := cmp.Or(t.Variant, r.Name)
		if n := len(plan.Cells); n == 0 || plan.Cells[n-1].Name != name {
			values, err := l.Values(string(t.Recipe.YAML()))
			if err != nil {
				return nil, nil, err
			}
			plan.Cells = append(plan.Cells, Cell{Name: name, Levels: changed(r, name, values)})
		}
		plan.Runs = append(plan.Runs, Run{Name: t.Name(), Cell: name, Seed: t.Recipe.Seed})
	}
	return &Study{Name: r.Name, Question: r.About, Curve: "none"}, plan, nil
}

// changed are a variant's name and its values of the keys that some variant changes.
func changed(r *recipe.Recipe, variant string, values map[string]string) []Level {
	out := []Level{{"variant", variant}}
	for _, v := range r.Experiment.Variants {
		for _, set := range v.Set {
			key, _, _ := strings.Cut(set, "=")
			if level := (Level{key, values[key]}); !slices.Contains(out, level) {
				out = append(out, level)
			}
		}
	}
	return out
}

// Table has a row for every cell: its levels, its numbers with half of their interval, how many seeds are done, and which lack.
func (p *Progress) Table() [][]any {
	var head []any
	for _, d := range p.Dimensions {
		head = append(head, d)
	}
	for _, m := range p.Metrics {
		head = append(head, heading(m))
	}
	rows := [][]any{append(head, "seeds", "missing")}
	for i, c := range p.Cells {
		found := p.Results.Cells[i]
		var row []any
		for _, level := range c.Levels {
			row = append(row, cmp.Or(level, "-"))
		}
		for _, m := range p.Metrics {
			row = append(row, shown(m, found.Metrics, m))
		}
		var lack []string
		for _, run := range c.Runs {
			if !slices.Contains(found.Seeds, run.Seed) {
				lack = append(lack, fmt.Sprintf("%d (%s)", run.Seed, cmp.Or(run.State, "not begun")))
			}
		}
		rows = append(rows, append(row, fmt.Sprintf("%d of %d", len(found.Seeds), len(c.Runs)), cmp.Or(strings.Join(lack, ", "), "-")))
	}
	return rows
}
